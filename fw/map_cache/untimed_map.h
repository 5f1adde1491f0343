// SPDX-License-Identifier: Apache-2.0
//
// A map cache without time, flash and addresses: only the policy and its counters, for millions of page
// requests per second. As in the study, every translation page is assumed to be on flash. With one request at
// a time the counters equal those of the timed cache.
#pragma once

#include "fw/hal/zeroed_memory.h"
#include "fw/map_cache/cache_policy.h"
#include "fw/map_cache/map_counters.h"
#include "fw/map_cache/sector_cover.h"

namespace solidtlm::fw {

class UntimedMap : private EntrySource {
  public:
    /// Uses exported_sectors, unit_bytes, flash.page_bytes and map_cache of `config`. REQUIRES: the policy is
    /// not full_table, and size_bytes is at least smallest_cache().
    explicit UntimedMap(const FirmwareConfig& config);

    /// Serves one page request; `ahead`: this many more of the same command follow. True if it was a hit.
    bool access(Lpn lpn, bool write, std::uint32_t ahead = 0);

    [[nodiscard]] const MapCounters& counters() const { return counters_; }
    [[nodiscard]] const MapAreaSize& map() const { return map_; }
    [[nodiscard]] const CachePolicy& policy() const { return *policy_; }

  private:
    /// As if the drive had been filled from end to end before the first request.
    [[nodiscard]] std::uint32_t entry(Lpn lpn) const override {
        return places_[lpn.value] != 0 ? places_[lpn.value] : lpn.value + 1;
    }
    void entries(Lpn first, std::span<std::uint32_t> found) const override {
        const std::uint32_t* const places = &places_[first.value];
        for (std::uint32_t i = 0; i < found.size(); ++i) {
            found[i] = places[i] != 0 ? places[i] : first.value + i + 1;
        }
    }
    Node fetch(Lpn lpn, std::uint32_t ahead);
    void evict();

    MapAreaSize map_;
    hal::ZeroedMemory<std::uint32_t> places_;  // by LPN, for pages written since the fill; 0: as filled
    std::uint32_t next_place_;
    std::unique_ptr<CachePolicy> policy_;
    SectorCover cover_;
    MapCounters counters_;
    std::vector<MapPiece> pieces_;
};

}  // namespace solidtlm::fw
