// SPDX-License-Identifier: Apache-2.0
//
// What work of the cached map keeps while it waits. Internal to cached_map*.cpp.
#pragma once

#include <coroutine>
#include "fw/map_cache/cached_map.h"

namespace solidtlm::fw {

/// A miss that waits for its translation page; lives in the frame that waits.
struct CachedMap::Miss {
    MapFetch fetch;
    MapRange window;  // what the read under way brings in for it; count 0: it comes with another one's
    Node node = kNoNode;
    Ledger* ledger = nullptr;
    Ps accounted{0};  // up to here `waits` knows what it waited for
    MapTime waits;
    Coroutine* waiter = nullptr;
    Miss* next = nullptr;
};

/// A translation page that is being written. Reused.
struct CachedMap::Rewrite {
    std::vector<MapPiece> pieces;       // from the cache
    std::vector<std::uint32_t> values;  // of these, as they are programmed
    std::vector<MapUpdate*> moved;      // entries that are not cached, by data collection
    MapListener* listener = nullptr;    // of these
    MapTime* waits = nullptr;           // of the miss that waits for it, if any
};

/// Updates of one superpage moved by data collection. Reused.
struct CachedMap::Collection {
    explicit Collection(Executor& executor) : join(executor, "translation pages that collection writes") {}
    std::vector<MapUpdate*> uncached;
    MapListener* listener = nullptr;
    Join join;
};

/// `window` less what `other` brings in; still with `lpn` in it, unless that is in `other`: then nothing.
inline MapRange without(const MapRange& window, const MapRange& other, Lpn lpn) {
    const std::uint32_t end = window.first.value + window.count;
    const std::uint32_t other_end = other.first.value + other.count;
    if (other.count == 0 || other_end <= window.first.value || end <= other.first.value) {
        return window;
    }
    if (lpn.value >= other.first.value && lpn.value < other_end) {
        return MapRange{window.first, 0};
    }
    return lpn < other.first ? MapRange{window.first, other.first.value - window.first.value}
                             : MapRange{Lpn{other_end}, end - other_end};
}

}  // namespace solidtlm::fw
