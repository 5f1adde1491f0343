// SPDX-License-Identifier: Apache-2.0
//
// A case in several sessions: between them the drive is shut down, saved to a file and loaded.
#pragma once

#include <functional>

#include "testbench/sim/simulation.h"
#include "testbench/torture/load.h"

namespace solidtlm::testbench {

/// Runs one session after the other, each in a process of its own, until one has faults. The outcome is that
/// of the last one that ran. Only the first one is preconditioned and filled; all have the case's cuts.
/// `run` runs one. REQUIRES: there are sessions; no module was elaborated in this process.
[[nodiscard]] SimulationOutcome run_sessions(
    const PreparedCase& prepared, const std::function<SimulationOutcome(const PreparedCase&)>& run);

}  // namespace solidtlm::testbench
