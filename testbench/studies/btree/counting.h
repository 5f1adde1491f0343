// SPDX-License-Identifier: Apache-2.0
//
// What a tree's page writes make a translation layer program and erase, without a drive.
#pragma once

#include <span>

#include "fw/block_map/block_counters.h"
#include "testbench/studies/btree/table1.h"
#include "testbench/workload/btree/load.h"

namespace solidtlm::testbench::btree {

/// The flash of the study: a block of so many pages, programmed in ascending order or in any.
struct Flash {
    std::uint32_t page_bytes = 512;
    std::uint32_t block_pages = 32;
    bool ascending_pages = false;
};

struct LayerSetting {
    Layer layer = Layer::fast;
    std::uint32_t log_blocks = 8;  ///< 0: fmax alone, a mirror for every logical block
};

[[nodiscard]] fw::BlockCounters count(std::span<const PageIo> traffic, std::uint32_t tree_page_bytes,
                                      const LayerSetting& setting, const Flash& flash);

[[nodiscard]] inline Counts counts_of(const fw::BlockCounters& counters) {
    return {counters.programs(), counters.erases};
}

}  // namespace solidtlm::testbench::btree
