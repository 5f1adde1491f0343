// SPDX-License-Identifier: Apache-2.0
//
// One point of a striping study: a device, a stream, and what came out of it.
#pragma once

#include <cstdint>

#include "platform/configuration.h"
#include "testbench/run/simulation.h"
#include "testbench/studies/parts/result_values.h"
#include "testbench/studies/striping/bound.h"
#include "testbench/studies/striping/stream.h"

namespace solidtlm::testbench::striping {

/// Simulates; one call a process. Faults also when a read did not come from flash or garbage collection ran:
/// such a point measures something else.
[[nodiscard]] SimulationOutcome run_point(const platform::Configuration& configuration, const Stream& stream,
                                          const StreamPlan& plan);

/// What a point is about, read from its result.
struct Measured {
    double mb_per_s = 0.0;
    double iops = 0.0;
    double mean_us = 0.0;
    double p99_us = 0.0;
    WaitShare channel;
    WaitShare die;
    /// Busy in percent of the measured time; channels and dies as a mean.
    std::array<double, kResources> busy{};
};
/// REQUIRES: result as made by run_point().
[[nodiscard]] Measured measured_of(const Json& result, Operation operation);

}  // namespace solidtlm::testbench::striping
