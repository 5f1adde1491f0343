// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <vector>

#include "fw/hal/types.h"

namespace solidtlm::testbench {

using hal::Ps;

/// When the drive loses power. What falls into a time without power, or after the end of the run, does not
/// happen. `every` counts from when the drive takes commands, so that a short one does not keep it booting
/// for ever.
struct PowerCuts {
    std::vector<Ps> at;                     ///< since the start of the simulation, ascending
    Ps every{0};                            ///< and so long after each time it is ready; 0: no more than `at`
    Ps off = std::chrono::milliseconds(1);  ///< from a cut to the next power-on; more than 0

    [[nodiscard]] bool any() const { return !at.empty() || every > Ps{0}; }
};

}  // namespace solidtlm::testbench
