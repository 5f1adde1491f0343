// SPDX-License-Identifier: Apache-2.0
//
// Which entries a map cache holds, and in which order it evicts them: data structures only, without time and
// flash. The timed cache (cached_map) and the untimed one (untimed_map) use the same policies.
// docs/map-cache.md defines each policy and the bytes that it counts per entry.
//
// A *node* enters and leaves the cache as a whole: a run of entries, or a single one. Room is reserved before
// an entry is read, because a miss then waits for flash. A pinned node cannot leave.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string_view>
#include <type_traits>
#include <vector>

#include "fw/drive/config.h"
#include "fw/drive/layout.h"
#include "fw/hal/check.h"
#include "fw/hal/state_archive.h"
#include "fw/map_cache/needs.h"

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

/// The entries that a miss will bring in, decided before there is room for them. Only the policy interprets
/// it.
struct MapFetch {
    Lpn lpn;                  ///< the entry asked for
    std::uint32_t count = 0;  ///< entries, at most
    std::uint32_t bytes = 0;  ///< room that it takes in the cache
    bool aligned = false;     ///< the aligned part of the page that holds lpn, not the entries from lpn on
};

/// Entries of one node that are written to their translation page.
struct MapPiece {
    Node node;
    MapRange range;
};

/// The values of the entries, for policies that store them in compressed form.
class EntrySource {
  public:
    virtual ~EntrySource() = default;
    /// Ppa + 1, or 0 if unmapped. Valid only for an entry that is cached or about to be inserted.
    [[nodiscard]] virtual std::uint32_t entry(Lpn lpn) const = 0;
    /// As above, for found.size() entries from `first` on.
    virtual void entries(Lpn first, std::span<std::uint32_t> found) const = 0;
};

class CachePolicy {
  public:
    virtual ~CachePolicy() = default;

    /// The node that holds the entry, or kNoNode. Changes nothing.
    [[nodiscard]] virtual Node find(Lpn lpn) const = 0;
    /// The entry is used: updates the order.
    virtual void use(Node node, Lpn lpn) = 0;

    /// Decides what a miss brings in. `ahead`: this many entries after lpn will be requested next.
    [[nodiscard]] virtual MapFetch plan(Lpn lpn, std::uint32_t ahead) = 0;
    /// Reserves room for `fetch`; false if there is not enough.
    virtual bool reserve(const MapFetch& fetch) = 0;
    /// Releases the reserved room.
    virtual void cancel(const MapFetch& fetch) = 0;
    /// The entries that would come in now. REQUIRES: lpn is not in the cache.
    [[nodiscard]] MapRange window(const MapFetch& fetch) const {
        SOLIDTLM_CHECK(find(fetch.lpn) == kNoNode, "the entry is not in the cache");
        return window_of(fetch);
    }
    /// Inserts the entries of `window` that are not cached yet. The node becomes the most recently used one,
    /// and is clean. REQUIRES: room is reserved; lpn is in `window` and not in the cache.
    Node insert(const MapFetch& fetch, const MapRange& window) {
        SOLIDTLM_CHECK(find(fetch.lpn) == kNoNode && fetch.lpn >= window.first &&
                           fetch.lpn.value - window.first.value < window.count,
                       "the requested entry is in the window and not in the cache");
        return take_in(fetch, window);
    }

    /// The node to evict next, or kNoNode if all are pinned.
    [[nodiscard]] virtual Node victim() const = 0;
    /// A policy may move the dirty entries of a victim to a smaller place. True if the victim is gone.
    virtual bool demote(Node /*node*/) { return false; }
    /// REQUIRES: the node is clean and not pinned.
    void drop(Node node) {
        SOLIDTLM_CHECK(!dirty(node) && !pinned(node), "a node that leaves the cache is clean and not pinned");
        discard(node);
    }

    [[nodiscard]] virtual bool dirty(Node node) const = 0;
    virtual void mark_dirty(Node node, Lpn lpn) = 0;
    /// Appends the entries to write before the dirty `node` can leave.
    virtual void collect(Node node, std::vector<MapPiece>& pieces) const = 0;
    /// Appends all dirty entries of a translation page.
    virtual void collect_page(Tpn page, std::vector<MapPiece>& pieces) const = 0;
    /// The entries of the piece are being written: they are clean unless they change again.
    virtual void mark_clean(const MapPiece& piece) = 0;
    [[nodiscard]] virtual MapRange range(Node node) const = 0;

    virtual void pin(Node node) = 0;
    virtual void unpin(Node node) = 0;
    [[nodiscard]] virtual bool pinned(Node node) const = 0;

    /// Entries that a miss would bring in now, if the policy varies that number; otherwise 0.
    [[nodiscard]] virtual std::uint32_t window_entries() const { return 0; }
    /// Entries of neighbouring LPNs are worth more if their addresses follow each other: collection should
    /// write in the order of LPNs.
    [[nodiscard]] virtual bool wants_order() const { return false; }
    /// A change made a node grow beyond the budget: victims must leave.
    [[nodiscard]] virtual bool over_budget() const { return false; }
    /// At most map_cache.size_bytes, including reserved room.
    [[nodiscard]] virtual std::uint64_t bytes_used() const = 0;
    /// REQUIRES: no node is pinned and no room is reserved.
    virtual void serialize(hal::StateArchive& archive) = 0;
    /// Checks all structures; returns a description of the first contradiction, or an empty string.
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

/// Makes a `Policy`; for MapCachePolicy::make.
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

/// The policies in fw/map_cache/policies: all but full_table.
std::span<const MapCachePolicy* const> map_cache_policies();

[[nodiscard]] inline const MapCachePolicy& map_cache_policy(std::string_view name) {
    return hal::named(map_cache_policies(), name);
}

/// The smallest map_cache.size_bytes with which the policy can serve a miss. 0 for full_table.
[[nodiscard]] inline std::uint64_t smallest_cache(const FirmwareConfig& config) {
    const MapCacheConfig& cache = config.map_cache;
    return cache.whole_map() ? 0 : map_cache_policy(cache.policy).smallest(cache, map_area_size(config));
}

}  // namespace solidtlm::fw
