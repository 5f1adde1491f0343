// SPDX-License-Identifier: Apache-2.0
//
// Sectors that the host has made uncorrectable on purpose (WRITE UNCORRECTABLE EXT of ACS-3). Reads of them
// fail until they are written or trimmed, or power is lost: the table is in DRAM, for every translation
// layer.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>

#include "fw/buffer/slot.h"
#include "fw/hal/state_archive.h"

namespace solidtlm::fw {

class MarkedSectors {
  public:
    /// Most mapping units with marked sectors at the same time: one command, with units of one sector.
    static constexpr std::size_t kMostUnits = 65'536;

    explicit MarkedSectors(std::uint32_t sectors_per_unit) : per_unit_(sectors_per_unit) {}

    [[nodiscard]] bool empty() const { return units_.empty(); }
    /// Units with marked sectors.
    [[nodiscard]] std::size_t units() const { return units_.size(); }
    /// Marks sectors. False, and nothing is marked, if there is no room for more units.
    bool mark(std::uint64_t lba, std::uint64_t sectors);
    void clear(std::uint64_t lba, std::uint64_t sectors);
    /// How many of these sectors come before the first marked one; `sectors` if none is marked.
    [[nodiscard]] std::uint64_t readable(std::uint64_t lba, std::uint64_t sectors) const;

    void serialize(hal::StateArchive& archive) { archive(units_); }

  private:
    /// The sectors of `unit` that lie within the given range.
    [[nodiscard]] SectorMask part(std::uint64_t unit, std::uint64_t lba, std::uint64_t sectors) const;

    std::uint32_t per_unit_;
    std::map<std::uint64_t, SectorMask> units_;  // never 0
};

}  // namespace solidtlm::fw
