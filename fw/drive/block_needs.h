// SPDX-License-Identifier: Apache-2.0
//
// The number of blocks that a block-mapped layer needs; for the configuration, the limits and the layers.
#pragma once

#include <cstdint>

#include "fw/drive/config.h"

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

}  // namespace solidtlm::fw
