// SPDX-License-Identifier: Apache-2.0
#include "testbench/studies/striping/point.h"

#include <string>

#include "testbench/host/pacing/closed_loop.h"

namespace solidtlm::testbench::striping {
SimulationOutcome run_point(const platform::Configuration& configuration, const Stream& stream,
                            const StreamPlan& plan) {
    StreamSource source(stream, plan, configuration.seed);
    SimulationSettings settings;
    settings.scenario = "tb_striping";
    settings.configuration = configuration;
    settings.host.content = configuration.content;
    settings.host.queue_depth = stream.depth;
    settings.quiet = true;
    settings.warm_up_commands = plan.commands_before();
    SimulationOutcome outcome = simulate(settings, source, ClosedLoop(stream.depth));
    const Json& counters = outcome.result["firmware"];
    for (const char* counter : {"host.read_unwritten_units", "host.read_buffer_hits", "gc.victims"}) {
        if (counters[counter] != 0) {
            outcome.faults.push_back(std::string(counter) + " is " + counters[counter].dump() +
                                     ": the point does not measure what it should");
        }
    }
    return outcome;
}

Measured measured_of(const Json& result, Operation operation) {
    const std::string name(kOperationNames[static_cast<std::size_t>(operation)]);
    const Json& host = result["host"][name];
    const Json& busy = result["utilization"];
    Measured measured;
    measured.mb_per_s = host["mb_per_s"];
    measured.iops = host["iops"];
    measured.mean_us = host["latency_us"]["mean"];
    measured.p99_us = host["latency_us"]["p99"];
    const Json& stages = result["ledger"]["by_operation"][name];
    measured.channel = wait_share(stages, "channel", measured.mean_us);
    measured.die = wait_share(stages, "die", measured.mean_us);
    measured.busy = {busy["link"].get<double>(), mean_of(busy["channels"]), mean_of(busy["dies"]),
                     busy["dram"].get<double>(), busy["core"].get<double>()};
    for (double& value : measured.busy) {
        value *= 100.0;
    }
    return measured;
}

}  // namespace solidtlm::testbench::striping
