// SPDX-License-Identifier: Apache-2.0
//
// The number of blocks that a block-mapped layer needs; for the configuration, the limits and the layers.
#pragma once

#include <cstdint>

#include "fw/drive/config.h"

namespace solidtlm::fw {

/// Blocks and pages that the layer works on. Pages are mapping units: one unit is one NAND page.
struct BlockGeometry {
    std::uint32_t blocks = 0;  ///< good ones
    std::uint32_t pages = 0;   ///< of a block
    std::uint32_t columns =
        1;  ///< NAND blocks of a block: `offset % columns` is which, the quotient its page
    std::uint32_t logical_pages = 0;  ///< exported
    bool ascending_pages = true;      ///< a NAND block is programmed from its first page upwards
};

/// Blocks that are neither data nor log: the target of a merge, and one whose erase is under way.
constexpr std::uint32_t kSpareBlocks = 2;

/// Log blocks where firmware.block_map.log_blocks is 0: this share of all blocks, rounded down, but not more
/// than the exported capacity leaves nor fewer than the layer needs.
constexpr std::uint32_t kAutomaticLogPercent = 3;

/// Blocks as docs/block-map.md defines them, of a device whose parallel units have `superblocks` good
/// superblocks each; exports what `config` does. REQUIRES: a mapping unit is a page.
BlockGeometry block_geometry(const FirmwareConfig& config, std::uint32_t superblocks);

/// Places of a block for the logical pages of its logical block: D. 0: the block has too few pages.
std::uint32_t data_pages(const TranslationPlan& plan, const BlockGeometry& geometry);
/// Logical blocks that the exported pages fill; all ones where a block has no places for any.
std::uint32_t logical_blocks(const TranslationPlan& plan, const BlockGeometry& geometry);
/// Log blocks in use at most: firmware.block_map.log_blocks or what stands for 0.
std::uint32_t log_blocks(const FirmwareConfig& config, const BlockGeometry& geometry);
/// Blocks that must be good: for all logical blocks, the log blocks asked for or, where they are automatic,
/// the fewest, and the spare ones.
std::uint64_t least_blocks(const FirmwareConfig& config, const BlockGeometry& geometry);

}  // namespace solidtlm::fw
