// SPDX-License-Identifier: Apache-2.0
//
// What results say of a block-mapped layer.
#pragma once

#include <cstdint>

#include "fw/block_map/block_counters.h"

namespace solidtlm::fw {

struct BlockMapState {
    BlockCounters counters;
    std::uint64_t data_blocks = 0;            ///< in use as data blocks
    std::uint64_t data_pages = 0;             ///< their places for logical pages
    std::uint64_t data_pages_programmed = 0;  ///< of these, since the erases
    std::uint64_t log_blocks = 0;             ///< in use as log or mirror blocks
};

}  // namespace solidtlm::fw
