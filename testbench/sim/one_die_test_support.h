// SPDX-License-Identifier: Apache-2.0
//
// A drive with one die, whose programs are worked out by hand.
#pragma once

#include <fmt/format.h>

#include <string>
#include <vector>

namespace solidtlm::testbench {

/// Settings on the preset agrawal, so that pages hold one mapping unit: one die, 96 pages per block.
inline std::vector<std::string> one_die_settings(int planes) {
    return {"nand.geometry.channels=1",
            "nand.geometry.dies=1",
            "nand.geometry.dies_per_way=1",
            "nand.geometry.pages=96",
            "nand.timing.plane_busy=2us",
            "nand.ecc.codeword_size=0",
            "firmware.allocation.order=PCWD",
            "firmware.write_buffer.policy=write_back",
            "firmware.write_buffer.size=256KiB",
            "firmware.gc.background_threshold=2",
            "content=none",
            fmt::format("nand.geometry.planes={}", planes)};
}

}  // namespace solidtlm::testbench
