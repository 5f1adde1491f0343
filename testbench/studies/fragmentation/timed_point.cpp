// SPDX-License-Identifier: Apache-2.0
#include "testbench/host/pacing/closed_loop.h"
#include "testbench/studies/fragmentation/point.h"

namespace solidtlm::testbench::fragmentation {

SimulationOutcome run_timed(const SystemPoint& point, const Load& load, std::uint32_t depth) {
    const platform::Configuration& configuration = point.configuration;
    const std::unique_ptr<RequestSource> source = open(load, configuration);
    SimulationSettings settings;
    settings.scenario = "tb_fragmentation";
    settings.configuration = configuration;
    settings.host.content = configuration.content;
    settings.host.queue_depth = depth;
    settings.quiet = true;
    settings.precondition = load.line.precondition;
    return simulate(settings, *source, ClosedLoop(depth));
}

}  // namespace solidtlm::testbench::fragmentation
