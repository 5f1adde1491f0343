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

Observed observed_of(const SystemPoint& point, const std::string& load, std::uint64_t bytes, Json& result) {
    constexpr double kBytesPerMb = 1e6;
    Observed observed = detach(result);
    observed.system = point.system;
    observed.load = load;
    const double seconds = flash_seconds(observed.work, point.configuration);
    observed.flash_bound_mb_per_s = seconds > 0.0 ? static_cast<double>(bytes) / kBytesPerMb / seconds : 0.0;
    return observed;
}

}  // namespace solidtlm::testbench::fragmentation
