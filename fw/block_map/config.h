// SPDX-License-Identifier: Apache-2.0
//
// Keys of the block-mapped layers.
#pragma once

#include <cstdint>

#include "fw/hal/key.h"

namespace solidtlm::fw {

struct BlockMapConfig {
    SOLIDTLM_KEYS(BlockMapConfig);
    SOLIDTLM_KEY(
        std::uint32_t, log_blocks, 0, key.integer(0, 1'048'576, "blocks"),
        "Log or mirror blocks in use at most. 0: 3 % of the blocks, and what the layer needs at least. "
        "Not for page_map and mtbs.");
};

}  // namespace solidtlm::fw
