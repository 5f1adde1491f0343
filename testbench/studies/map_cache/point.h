// SPDX-License-Identifier: Apache-2.0
//
// One cache on one load: without time, or in the whole drive.
#pragma once

#include <cstdint>

#include "testbench/simulation/simulation.h"
#include "testbench/studies/map_cache/load.h"

namespace solidtlm::testbench::map_cache {

/// Equal parts of a load, for what changes over time.
constexpr std::size_t kIntervals = 10;

/// The policy and its counters alone. The result has `map_cache`, whose measured penalty is null, and with
/// bsb `windows_over_time`: for each length in `map_cache.windows` how often it was chosen in each part.
[[nodiscard]] SimulationOutcome run_untimed(const platform::Configuration& configuration, const Load& load);

/// The whole drive, `depth` commands outstanding. First every page that the load touches is written, in
/// ascending order, and flushed, so that every translation page it needs is on flash; the result begins after
/// that. One call a process.
[[nodiscard]] SimulationOutcome run_timed(const platform::Configuration& configuration, const Load& load,
                                          std::uint32_t depth);

}  // namespace solidtlm::testbench::map_cache
