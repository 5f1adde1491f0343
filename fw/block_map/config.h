// SPDX-License-Identifier: Apache-2.0
//
// Keys of the block-mapped layers.
#pragma once

#include <cstdint>

#include "fw/hal/key.h"

namespace solidtlm::fw {

struct BlockMapConfig {
    SOLIDTLM_KEYS(BlockMapConfig);
    SOLIDTLM_KEY(std::uint32_t, log_blocks, 0, key.integer(0, 1'048'576, "blocks"),
                 "Log or mirror blocks in use at most; superblock: blocks beyond those that the data fill. "
                 "0: 3 % of the blocks, and what the layer needs at least. Not for page_map and mtbs.");
    SOLIDTLM_KEY(std::uint32_t, associativity, 4, key.integer(1, 65'536, "blocks"),
                 "kast: logical blocks that share a random log block (K).");
    SOLIDTLM_KEY(std::uint32_t, sequential_logs, 1, key.integer(1, 65'536, "blocks"),
                 "kast: sequential log blocks at most.");
    SOLIDTLM_KEY(std::uint32_t, superblock_blocks, 8, key.integer(1, 1'024, "blocks"),
                 "superblock: adjacent logical blocks of a superblock (N).");
    SOLIDTLM_KEY(std::uint32_t, superblock_logs, 4, key.integer(1, 1'024, "blocks"),
                 "superblock: blocks that a superblock may have beyond these (K).");
};

}  // namespace solidtlm::fw
