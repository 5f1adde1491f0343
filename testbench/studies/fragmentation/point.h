// SPDX-License-Identifier: Apache-2.0
//
// One system on one load: counted, or on the whole drive.
#pragma once

#include <cstdint>

#include "testbench/simulation/simulation.h"
#include "testbench/studies/fragmentation/load.h"
#include "testbench/studies/fragmentation/observed.h"
#include "testbench/studies/fragmentation/system.h"

namespace solidtlm::testbench::fragmentation {

/// Samples of the block utilisation while a load runs.
constexpr std::uint64_t kSamples = 64;
constexpr const char* kOverTime = "utilisation_over_time";

/// Page writes, merges and erases without time. Reads and flushes do nothing, trims what whole units they
/// cover; a preconditioned drive is filled. `profile` is that of the load.
[[nodiscard]] SimulationOutcome run_counted(const SystemPoint& point, const Load& load,
                                            const Profile& profile);

/// The whole drive, `depth` requests outstanding. One call a process.
[[nodiscard]] SimulationOutcome run_timed(const SystemPoint& point, const Load& load, std::uint32_t depth);

// Both give a result that has `utilisation_over_time` besides the usual fields: pairs of GiB written and
// block utilisation in percent.

/// What is to be seen in a result that one of the two gave; takes `utilisation_over_time` out of it. `bytes`
/// were read and written.
[[nodiscard]] Observed observed_of(const SystemPoint& point, const std::string& load, std::uint64_t bytes,
                                   Json& result);

}  // namespace solidtlm::testbench::fragmentation
