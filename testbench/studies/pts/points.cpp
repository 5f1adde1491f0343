// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>
#include <fmt/ranges.h>

#include "testbench/sim/host/pacing/closed_loop.h"
#include "testbench/studies/pts/pts.h"

namespace solidtlm::testbench::pts {
namespace {

SimulationOutcome carry_out_test(const TestPlan& plan, const platform::Configuration& configuration) {
    CellRecorder recorder(configuration.nand.geometry.page_bytes);
    RoundSource source(plan, configuration.seed, recorder);
    const std::unique_ptr<RequestSource> before = preconditioning(plan, configuration.seed);
    RunHooks hooks{.scenario = "tb_pts"};
    hooks.before = before.get();
    hooks.watcher = &recorder;
    SimulationOutcome outcome =
        simulate(run_of(configuration, plan.depth), source, ClosedLoop(plan.depth), hooks);
    outcome.noted["cells"] = Json::array();
    for (const CellResult& result : recorder.results()) {
        const Cell& cell = plan.cells[result.cell];
        outcome.noted["cells"].push_back({{"parameters",
                                           {{"test", plan.test},
                                            {"round", result.round},
                                            {"block_bytes", cell.block_bytes},
                                            {"read_percent", cell.read_percent},
                                            {"pattern", cell.sequential ? "sequential" : "random"},
                                            {"queue_depth", plan.depth}}},
                                          {"derived", result.to_json()}});
    }
    outcome.noted["steady"] = steady(plan, recorder.results());
    return outcome;
}

/// What a reader needs to know about a test. `rounds` and `steady` are what the program stopped at.
Json facts_of(const TestPlan& plan, const platform::Configuration& configuration, std::size_t cells) {
    return {{"capacity_bytes", configuration.exported_bytes()},
            {"range_bytes", plan.range_bytes},
            {"cell_s", std::chrono::duration<double>(plan.length.time).count()},
            {"cell_requests", plan.length.requests},
            {"cell_written_bytes", plan.length.written_bytes},
            {"rounds", cells / plan.cells.size()},
            {"most_rounds", plan.most_rounds},
            {"sequential_fills", plan.sequential_fills},
            {"sequential_bytes", plan.sequential_bytes},
            {"random_fills", plan.random_fills},
            {"lead_bytes", plan.lead_bytes},
            {"deviations", fmt::format("{}", fmt::join(plan.deviations, "; "))}};
}

}  // namespace

StudyJob job_of(const TestPlan& plan, const platform::Configuration& configuration) {
    StudyJob job;
    job.name = plan.test;
    job.parameters = {{"test", plan.test}, {"queue_depth", plan.depth}};
    if (plan.test == "throughput") {
        job.name += fmt::format(" {} KiB", plan.sequential_bytes / hal::kKiB);
        job.parameters["block_bytes"] = plan.sequential_bytes;
    }
    job.run = [plan, configuration] { return carry_out_test(plan, configuration); };
    job.measure = [plan, configuration](const Json& /*result*/, Measured& point) {
        point.derived = facts_of(plan, configuration, point.more["cells"].size());
        point.derived["steady"] = point.more["steady"];
    };
    job.parts = [](Measured& point) {
        std::vector<Measured> cells;
        for (Json& cell : point.more["cells"]) {
            cells.push_back({std::move(cell["parameters"]), std::move(cell["derived"])});
        }
        point.more.clear();
        return cells;
    };
    return job;
}

}  // namespace solidtlm::testbench::pts
