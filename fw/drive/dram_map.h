// SPDX-License-Identifier: Apache-2.0
//
// Where each region lies in the DRAM buffer.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "fw/drive/layout.h"
#include "fw/drive/needs.h"

namespace solidtlm::fw {

using hal::DramAddress;

constexpr std::uint32_t kDramLineBytes = 64;  ///< one burst: the least that the core reads
constexpr std::uint32_t kMapEntriesPerLine = kDramLineBytes / kMapEntryBytes;

class DramMap {
  public:
    struct Place {
        const DramRegion* region;
        DramAddress begin;
        std::uint64_t bytes;  ///< rounded up to kAlignment
    };

    /// One region after the other, from address 0 on.
    DramMap(std::span<const DramRegion* const> regions, const FirmwareConfig& config,
            const MediaLayout& layout);

    /// REQUIRES: the region is one of the regions.
    [[nodiscard]] DramAddress operator[](const DramRegion& region) const { return place(region).begin; }
    /// REQUIRES: the region is one of the regions.
    [[nodiscard]] std::uint64_t bytes(const DramRegion& region) const { return place(region).bytes; }
    [[nodiscard]] std::span<const Place> places() const { return places_; }
    /// Bytes needed in total.
    [[nodiscard]] std::uint64_t end() const { return end_; }

    static constexpr std::uint64_t kAlignment = 4096;

  private:
    [[nodiscard]] const Place& place(const DramRegion& region) const;

    std::vector<Place> places_;
    std::uint64_t end_ = 0;
};

}  // namespace solidtlm::fw
