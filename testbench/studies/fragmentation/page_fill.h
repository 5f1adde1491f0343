// SPDX-License-Identifier: Apache-2.0
//
// Page mapping while it fills an empty drive: page after page in the order of the stripe, or one block after
// another without striping. Blocks that are still being filled count as allocated.
#pragma once

#include <algorithm>
#include <cstdint>

#include "testbench/studies/fragmentation/system.h"

namespace solidtlm::testbench::fragmentation {

/// NAND blocks that `pages` programmed pages have been begun in. Nothing is collected: REQUIRES pages <= the
/// drive's.
[[nodiscard]] inline std::uint64_t page_fill_blocks(std::uint64_t pages,
                                                    const platform::Configuration& configuration) {
    const hw::NandGeometry& geometry = configuration.nand.geometry;
    // Blocks that are filled side by side.
    const std::uint64_t open = columns_of(configuration);
    const std::uint64_t row = open * geometry.pages;
    return pages / row * open + std::min(pages % row, open);
}

/// Percent; 0 for no pages.
[[nodiscard]] inline double page_fill_utilisation(std::uint64_t pages,
                                                  const platform::Configuration& configuration) {
    const std::uint64_t places = page_fill_blocks(pages, configuration) * configuration.nand.geometry.pages;
    return pages > 0 ? 100.0 * static_cast<double>(pages) / static_cast<double>(places) : 0.0;
}

}  // namespace solidtlm::testbench::fragmentation
