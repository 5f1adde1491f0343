// SPDX-License-Identifier: Apache-2.0
//
// A map that is only partly in DRAM. A policy decides which part; this class carries out page requests.
//
// A miss makes room (PageWriter merges a dirty victim with its translation page and writes it), then its
// translation page is read (PageFetcher). Translation pages are locked one by one. The holder of a lock
// waits only for flash, DRAM for one page and space in the map area, which do not depend on locks: no
// deadlock. A fetched entry stays pinned until the request that missed has seen it: no livelock, however
// small the cache.
#pragma once

#include <string_view>

#include "fw/map_cache/cached_entries.h"
#include "fw/map_cache/collected_updates.h"
#include "fw/map_cache/map_cache.h"
#include "fw/map_cache/page_fetcher.h"
#include "fw/map_cache/page_writer.h"

namespace solidtlm::fw {

namespace boot_step {
constexpr std::string_view kTranslationPages = "translation_pages";  ///< writes translation pages again
}  // namespace boot_step
namespace boot_count {
constexpr std::string_view kMapBlocks = "map_blocks";  ///< blocks of the map area whose first page was read
constexpr std::string_view kTranslationPages = "translation_pages";  ///< translation pages written again
}  // namespace boot_count

class CachedMap : public MapCache {
  public:
    /// REQUIRES: map_cache.policy is not full_table.
    CachedMap(Services& services, const DramMap& dram_map, Allocator& allocator);

    void start() override { area_.start(); }
    Task<void> restore(const MediaScan& scan, BootReport& report) override;
    void serialize(hal::StateArchive& archive) override { archive(entries_, area_, jobs_); }
    Task<void> lookup(Lpn first, std::span<Ppa> found, Ledger* ledger, Charge& charge) override;
    Task<void> update(std::span<MapUpdate> updates, MapListener& listener, Cause cause, Ledger* ledger,
                      Charge& charge) override;
    void prefetch(Lpn lpn) const override { entries_.prefetch(lpn); }
    [[nodiscard]] Ppa peek(Lpn lpn) const override { return entries_.peek(lpn); }
    [[nodiscard]] std::uint32_t never_mapped(Lpn lpn) const override { return entries_.never_mapped(lpn); }
    [[nodiscard]] bool complete() const override { return false; }
    [[nodiscard]] bool wants_order() const override { return entries_.policy().wants_order(); }
    [[nodiscard]] bool at_rest() const override { return !area_.active(); }
    [[nodiscard]] bool worn_out() const override { return area_.worn_out(); }
    [[nodiscard]] std::optional<Ps> worn_out_since() const override { return area_.worn_out_since(); }
    void tell(hal::Metrics& metrics) const override;
    void reset_counters() override;
    [[nodiscard]] std::string check() const override;

  private:
    Task<void> keep_budget(Ledger* ledger, Charge& charge);
    Task<Node> access(Lpn lpn, std::uint32_t ahead, Ledger* ledger, MapWaits& waits, Charge& charge);
    Task<Node> fetch(Lpn lpn, std::uint32_t ahead, Ledger* ledger, MapWaits& waits, Charge& charge);
    Task<Ps> make_room(Ledger* ledger, MapTime* waits);

    Services& services_;
    MapCounters counters_;
    CachedEntries entries_;
    MapArea area_;
    PageLocks locks_;
    JobPool<MapJob> jobs_;
    const MapTools tools_;
    PageFetcher fetcher_;
    PageWriter writer_;
    CollectedUpdates collected_;
};

}  // namespace solidtlm::fw
