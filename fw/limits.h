// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string_view>

#include "fw/config.h"

namespace solidtlm::fw {

/// Planes that are programmed and erased at once: all of a die when the allocation order varies the plane
/// fastest.
constexpr std::uint32_t planes_per_parallel_unit(std::string_view order, std::uint32_t planes_per_die) {
    return order.starts_with('P') ? planes_per_die : 1;
}

/// Superblocks of a parallel unit that can never hold exported data: the free ones that host writes may not
/// touch (gc.foreground_threshold), the open one of garbage collection, and one superblock's worth of invalid
/// units without which collecting a victim would not gain a free superblock.
constexpr std::uint32_t reserved_superblocks(const FirmwareConfig& config) {
    return config.gc.foreground_threshold + 2;
}

constexpr std::uint32_t kMapEntryBytes = 4;  ///< of the map: a Ppa

/// Blocks of the map area that are neither full of translation pages nor waiting to be: a write frontier,
/// that of collection, one that collection keeps free, and two that let it begin in time.
constexpr std::uint32_t kMapWorkingBlocks = 5;

/// The map on flash, where it does not lie in DRAM as a whole. All 0 where it does.
struct MapAreaSize {
    std::uint32_t entries = 0;            ///< of a translation page, 4 bytes each; a power of two
    std::uint32_t translation_pages = 0;  ///< one NAND page each
    std::uint32_t superblocks = 0;        ///< of each parallel unit, set aside for them
};

/// Twice the blocks that the translation pages fill, so that half of what is written to a block is out of
/// date before it is collected, and the blocks that its writing and collecting keep open or free.
MapAreaSize map_area_size(const FirmwareConfig& config, std::uint64_t exported_units);
/// For the exported capacity of `config`.
MapAreaSize map_area_size(const FirmwareConfig& config);

constexpr std::uint32_t kLogicalBlockBytes = 8;  ///< what a table has of a logical block: data block, log

/// Tables of a block-mapped layer in DRAM (docs/block-map.md, "Tables"). Both 0 for page_map.
struct BlockTableSize {
    std::uint64_t logical_blocks = 0;  ///< kLogicalBlockBytes each
    std::uint64_t log_entries = 0;     ///< pages of the logs, kMapEntryBytes each
};
BlockTableSize block_table_size(const FirmwareConfig& config, std::uint32_t superblocks);

/// Mapping units that the firmware can export and still serve every write when all of them hold data, with
/// all blocks good. 0 if the geometry is too small. Uses flash, unit_bytes, translation, allocation, gc,
/// map_cache and block_map of `config`.
std::uint64_t max_exported_units(const FirmwareConfig& config);

/// The same when each parallel unit has only `superblocks` good superblocks.
std::uint64_t max_exported_units(const FirmwareConfig& config, std::uint32_t superblocks);

}  // namespace solidtlm::fw
