// SPDX-License-Identifier: Apache-2.0
//
// What the map takes of flash and of DRAM, and has under way.
#pragma once

#include <cstdint>

#include "fw/drive/layout.h"
#include "fw/drive/needs.h"

namespace solidtlm::fw {

/// Blocks of the map area in addition to those that hold the translation pages: a write frontier, the
/// frontier of collection, one that collection keeps free, and two that let it begin in time.
constexpr std::uint32_t kMapWorkingBlocks = 5;

/// The map on flash. All 0 if the whole map is in DRAM.
struct MapAreaSize {
    std::uint32_t entries = 0;            ///< per translation page, 4 bytes each; a power of two
    std::uint32_t translation_pages = 0;  ///< one NAND page each
    std::uint32_t superblocks = 0;        ///< of each parallel unit, reserved for the map area
};

/// Twice the blocks that the translation pages fill, so that half of a block is out of date before it is
/// collected; and the blocks that writing and collecting keep open or free.
MapAreaSize map_area_size(const FirmwareConfig& config, std::uint64_t exported_units);
/// For the exported capacity of `config`.
MapAreaSize map_area_size(const FirmwareConfig& config);

inline constexpr FlashArea kMapArea{"the map",
                                    {"firmware.map_cache.policy", "firmware.map_cache.translation_page"},
                                    [](const FirmwareConfig& config, std::uint64_t exported_units) {
                                        return map_area_size(config, exported_units).superblocks;
                                    }};

constexpr std::uint32_t kMapMoves = 4;  ///< moves by the map area's own garbage collection, at once
constexpr std::uint32_t kMapJobs = 16;  ///< misses, write-backs and updates by data collection, at once

/// kMapEntryBytes per mapping unit, if the whole map is in DRAM.
extern const DramRegion kMapTable;
/// If the map is cached: map_cache.size_bytes.
extern const DramRegion kMapCacheEntries;
/// If the map is cached: the directory, and the owner of each page of the map area; 4 bytes each.
extern const DramRegion kMapDirectory;
/// If the map is cached: translation pages in transfer, kMapMoves and kMapJobs.
extern const DramRegion kMapBuffers;

/// If the map is cached: kMapMoves and kMapJobs, and at a boot a search of each plane. A task for each of
/// these, one that collects blocks of the map, and one for each translation page that changes because data
/// collection moves units or pages come to share one.
extern const RoomWork kMapWork;

}  // namespace solidtlm::fw
