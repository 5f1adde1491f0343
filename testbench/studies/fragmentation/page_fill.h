// SPDX-License-Identifier: Apache-2.0
//
// Block utilisation of page mapping while it fills an empty drive: page after page in the order of the
// stripe, or one block after another without striping. Blocks that are still being filled count as allocated.
#pragma once

#include <cstdint>

#include "platform/configuration.h"

namespace solidtlm::testbench::fragmentation {

/// Percent; 0 for no pages. Nothing is collected: REQUIRES pages <= the drive's.
[[nodiscard]] inline double page_fill_utilisation(std::uint64_t pages,
                                                  const platform::Configuration& configuration) {
    const hw::NandGeometry& geometry = configuration.nand.geometry;
    const bool striped = configuration.firmware.allocation.striping == fw::StripingMode::full;
    const bool multi_plane = configuration.firmware.allocation.order.starts_with('P');
    const std::uint64_t planes = std::uint64_t{geometry.channels} * geometry.dies * geometry.planes;
    // Blocks that are filled side by side.
    const std::uint64_t open = striped ? planes : multi_plane ? geometry.planes : 1;
    const std::uint64_t row = open * geometry.pages;
    const std::uint64_t rest = pages % row;
    const std::uint64_t blocks = pages / row * open + (rest < open ? rest : open);
    return pages > 0 ? 100.0 * static_cast<double>(pages) / static_cast<double>(blocks * geometry.pages)
                     : 0.0;
}

}  // namespace solidtlm::testbench::fragmentation
