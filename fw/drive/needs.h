// SPDX-License-Identifier: Apache-2.0
//
// How a room declares what it takes of flash and of DRAM, and its most flash operations and tasks. The
// constants stand in the room's needs.h, and fw/needs.cpp lists them.
#pragma once

#include <array>
#include <cstdint>
#include <string_view>
#include <vector>

#include "fw/drive/config.h"

namespace solidtlm::fw {

class MediaLayout;

/// Keys that decide how much a room needs; empty ones do not count.
using NeedKeys = std::array<std::string_view, 5>;

/// What a room keeps on flash beside the data: some superblocks of each parallel unit.
struct FlashArea {
    std::string_view what;  ///< for messages: "the map"
    NeedKeys keys;
    /// Superblocks of each parallel unit, if the drive exports `exported_units`; 0: the drive has no such
    /// area. The more units, the more superblocks.
    std::uint32_t (*superblocks)(const FirmwareConfig& config, std::uint64_t exported_units);
};

/// What a room keeps in DRAM.
struct DramRegion {
    std::string_view what;  ///< for messages: "map table"; several regions may have the same
    NeedKeys keys;
    /// 0: the drive has no such region.
    std::uint64_t (*bytes)(const FirmwareConfig& config, const MediaLayout& layout);
};

/// What a room has under way at once, at most. 0: the drive has no such work.
struct RoomWork {
    std::string_view what;  ///< "commands"
    /// Operations on flash besides erases, which do not count because the table of a block refuses a second
    /// one.
    std::uint64_t (*operations)(const FirmwareConfig& config, const MediaLayout& layout);
    /// Spawned tasks, besides those that most_tasks() adds.
    std::uint64_t (*tasks)(const FirmwareConfig& config, const MediaLayout& layout);
};

/// How the superblocks of each parallel unit are shared out.
struct FlashPlan {
    struct Share {
        const FlashArea* area;
        std::uint32_t superblocks;
    };
    std::vector<Share> areas;  ///< behind the data, in this order
    std::uint32_t slc = 0;     ///< the last superblocks of the data that are always in SLC mode

    /// Superblocks of each parallel unit that do not belong to the data.
    [[nodiscard]] std::uint32_t set_aside() const {
        std::uint32_t sum = 0;
        for (const Share& share : areas) {
            sum += share.superblocks;
        }
        return sum;
    }
};

/// Parts of size `part` that `amount` fills, the last one perhaps not completely.
constexpr std::uint32_t parts_of(std::uint64_t amount, std::uint64_t part) {
    return static_cast<std::uint32_t>((amount + part - 1) / part);
}

}  // namespace solidtlm::fw
