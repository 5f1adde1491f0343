// SPDX-License-Identifier: Apache-2.0
//
// Which entries a map cache holds, and in which order it evicts them: data structures only, no time, no
// flash. The same policies serve the timed cache (cached_map) and the untimed one (untimed_map).
// docs/map-cache.md defines each policy, and which bytes it counts for an entry.
//
// A *node* enters and leaves as a whole: a run of entries, or a single one. Room is reserved before anything
// is read, because in between a miss waits for flash. A pinned node stays where it is.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string_view>
#include <type_traits>
#include <vector>

#include "fw/drive/config.h"
#include "fw/drive/layout.h"
#include "fw/drive/limits.h"
#include "fw/hal/check.h"
#include "fw/hal/state_archive.h"

namespace solidtlm::fw {

/// Translation page number.
using Tpn = hal::Index<struct TpnTag, std::uint32_t>;
using Node = hal::Index<struct NodeTag, std::uint32_t>;
constexpr Node kNoNode{0xFFFF'FFFF};

/// Consecutive entries of one translation page.
struct MapRange {
    Lpn first;
    std::uint32_t count = 0;
};

/// What a miss wants to bring in, decided before room is made for it. A policy's own: others only keep it.
struct MapFetch {
    Lpn lpn;                  ///< the entry asked for
    std::uint32_t count = 0;  ///< entries, at most
    std::uint32_t bytes = 0;  ///< of the cache
    bool aligned = false;     ///< the part of the translation page that holds lpn, not from lpn on
};

/// Entries of one node that are written to their translation page.
struct MapPiece {
    Node node;
    MapRange range;
};

/// The entries themselves, for policies that store them shrunk.
class EntrySource {
  public:
    virtual ~EntrySource() = default;
    /// Ppa + 1, or 0 where unmapped. Means nothing unless it is in the cache, or about to be inserted.
    [[nodiscard]] virtual std::uint32_t entry(Lpn lpn) const = 0;
    /// As above, for found.size() entries from `first` on.
    virtual void entries(Lpn first, std::span<std::uint32_t> found) const = 0;
};

class CachePolicy {
  public:
    virtual ~CachePolicy() = default;

    /// The node that holds the entry, or kNoNode. Changes nothing.
    [[nodiscard]] virtual Node find(Lpn lpn) const = 0;
    /// The entry was asked for: changes the order.
    virtual void use(Node node, Lpn lpn) = 0;

    /// A miss: what to bring in. `ahead`: this many entries after lpn will be requested next.
    [[nodiscard]] virtual MapFetch plan(Lpn lpn, std::uint32_t ahead) = 0;
    /// Takes room for `fetch`; false if there is not enough.
    virtual bool reserve(const MapFetch& fetch) = 0;
    /// Gives the room back.
    virtual void cancel(const MapFetch& fetch) = 0;
    /// What would come in now. REQUIRES: lpn is not in the cache.
    [[nodiscard]] MapRange window(const MapFetch& fetch) const {
        SOLIDTLM_CHECK(find(fetch.lpn) == kNoNode, "only what is not in the cache comes in");
        return window_of(fetch);
    }
    /// Takes in `window`, as far as it is not there already; it becomes the last used, and clean. REQUIRES:
    /// room is reserved, lpn is in `window` and not in the cache.
    Node insert(const MapFetch& fetch, const MapRange& window) {
        SOLIDTLM_CHECK(find(fetch.lpn) == kNoNode && fetch.lpn >= window.first &&
                           fetch.lpn.value - window.first.value < window.count,
                       "what was asked for is in the window and not in the cache");
        return take_in(fetch, window);
    }

    /// What leaves next, or kNoNode if everything is pinned.
    [[nodiscard]] virtual Node victim() const = 0;
    /// The policy may keep what is dirty in a victim in a smaller place. True: the victim is gone.
    virtual bool demote(Node /*node*/) { return false; }
    /// REQUIRES: clean, not pinned.
    void drop(Node node) {
        SOLIDTLM_CHECK(!dirty(node) && !pinned(node), "what leaves the cache is clean and not pinned");
        discard(node);
    }

    [[nodiscard]] virtual bool dirty(Node node) const = 0;
    virtual void mark_dirty(Node node, Lpn lpn) = 0;
    /// What is written when the dirty `node` is to leave. Appends.
    virtual void collect(Node node, std::vector<MapPiece>& pieces) const = 0;
    /// All that is dirty in a translation page. Appends.
    virtual void collect_page(Tpn page, std::vector<MapPiece>& pieces) const = 0;
    /// The entries of the piece are being written: clean unless they change again.
    virtual void mark_clean(const MapPiece& piece) = 0;
    [[nodiscard]] virtual MapRange range(Node node) const = 0;

    virtual void pin(Node node) = 0;
    virtual void unpin(Node node) = 0;
    [[nodiscard]] virtual bool pinned(Node node) const = 0;

    /// Entries that a miss would bring in now, where the policy decides that from miss to miss; else 0.
    [[nodiscard]] virtual std::uint32_t window_entries() const { return 0; }
    /// Entries of neighbouring LPNs are worth more if their addresses follow each other: collection should
    /// write in the order of LPNs.
    [[nodiscard]] virtual bool wants_order() const { return false; }
    /// A change made an entry's node grow beyond the budget: victims have to leave.
    [[nodiscard]] virtual bool over_budget() const { return false; }
    /// At most map_cache.size_bytes, room that is reserved included.
    [[nodiscard]] virtual std::uint64_t bytes_used() const = 0;
    /// REQUIRES: nothing is pinned, no room reserved.
    virtual void serialize(hal::StateArchive& archive) = 0;
    /// Walks through everything; a description of the first contradiction, or empty.
    [[nodiscard]] virtual std::string check() const = 0;

  protected:
    [[nodiscard]] virtual MapRange window_of(const MapFetch& fetch) const = 0;
    virtual Node take_in(const MapFetch& fetch, const MapRange& window) = 0;
    virtual void discard(Node node) = 0;
};

/// A value of firmware.map_cache.policy.
struct MapCachePolicy : hal::Named {
    std::unique_ptr<CachePolicy> (*make)(const MapCacheConfig&, const MapAreaSize&, const EntrySource&);
    std::uint64_t (*smallest)(const MapCacheConfig&, const MapAreaSize&);
};

/// For MapCachePolicy::make.
template <class Policy>
std::unique_ptr<CachePolicy> make_cache(const MapCacheConfig& config, const MapAreaSize& map,
                                        const EntrySource& entries) {
    if constexpr (std::is_constructible_v<Policy, const MapCacheConfig&, const MapAreaSize&,
                                          const EntrySource&>) {
        return std::make_unique<Policy>(config, map, entries);
    } else {
        return std::make_unique<Policy>(config, map);
    }
}

/// Those in fw/map_cache/policies: all but full_table.
std::span<const MapCachePolicy* const> map_cache_policies();

[[nodiscard]] inline const MapCachePolicy& map_cache_policy(std::string_view name) {
    return hal::named(map_cache_policies(), name);
}

/// Least map_cache.size_bytes that holds what the policy needs for one miss. 0 for full_table.
[[nodiscard]] inline std::uint64_t smallest_cache(const FirmwareConfig& config) {
    const MapCacheConfig& cache = config.map_cache;
    return cache.whole_map() ? 0 : map_cache_policy(cache.policy).smallest(cache, map_area_size(config));
}

}  // namespace solidtlm::fw
