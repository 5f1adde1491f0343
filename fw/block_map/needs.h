// SPDX-License-Identifier: Apache-2.0
//
// What a block-mapped layer takes of flash and of DRAM.
#pragma once

#include <cstdint>

#include "fw/drive/layout.h"
#include "fw/drive/needs.h"

namespace solidtlm::fw {

/// The blocks and pages of a block-mapped layer. Pages are mapping units: one unit is one NAND page.
struct BlockGeometry {
    std::uint32_t blocks = 0;  ///< good blocks
    std::uint32_t pages = 0;   ///< pages per block
    std::uint32_t columns =
        1;  ///< NAND blocks per block: `offset % columns` selects one, the quotient is its page
    std::uint32_t logical_pages = 0;  ///< exported
    bool ascending_pages = true;      ///< a NAND block is programmed from its first page upwards
};

/// Blocks that are neither data nor log: the target of a merge, and one whose erase is under way.
constexpr std::uint32_t kSpareBlocks = 2;

/// Log blocks if firmware.block_map.log_blocks is 0: this share of all blocks, rounded down, but at most what
/// the exported capacity leaves and at least what the layer needs.
constexpr std::uint32_t kAutomaticLogPercent = 3;

/// Blocks as docs/block-map.md defines them, of a device whose parallel units have `superblocks` good
/// superblocks each, for the exported capacity of `config`. REQUIRES: a mapping unit is a page.
BlockGeometry block_geometry(const FirmwareConfig& config, std::uint32_t superblocks);

/// Places of a block for the logical pages of its logical block: D. 0 if the block has too few pages.
std::uint32_t data_pages(const TranslationPlan& plan, const BlockGeometry& geometry);
/// Logical blocks that the exported pages fill; all bits set if a block has no place for a page.
std::uint32_t logical_blocks(const TranslationPlan& plan, const BlockGeometry& geometry);
/// Most log blocks in use: firmware.block_map.log_blocks, or the automatic number if that is 0.
std::uint32_t log_blocks(const FirmwareConfig& config, const BlockGeometry& geometry);
/// Least number of good blocks: all logical blocks, the log blocks that are configured (if automatic, the
/// fewest possible), and the spare blocks.
std::uint64_t least_blocks(const FirmwareConfig& config, const BlockGeometry& geometry);

/// Mapping units that remain for data besides the layer's log blocks and spare blocks, on parallel units with
/// `superblocks` good superblocks each. 0 if there are too few.
std::uint64_t most_block_mapped_units(const FirmwareConfig& config, std::uint32_t superblocks);

constexpr std::uint32_t kLogicalBlockBytes = 8;  ///< table entry of a logical block: data block and log

/// Tables of a block-mapped layer in DRAM (docs/block-map.md, "In the firmware"). Both 0 for page_map.
struct BlockTableSize {
    std::uint64_t logical_blocks = 0;  ///< kLogicalBlockBytes each
    std::uint64_t log_entries = 0;     ///< pages of the logs, kMapEntryBytes each
};
BlockTableSize block_table_size(const FirmwareConfig& config, std::uint32_t superblocks);

extern const DramRegion kLogicalBlocks;  ///< kLogicalBlockBytes per logical block
extern const DramRegion kBlockLogs;      ///< kMapEntryBytes per page of the logs

}  // namespace solidtlm::fw
