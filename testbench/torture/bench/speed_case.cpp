// SPDX-License-Identifier: Apache-2.0
#include "testbench/torture/bench/speed_case.h"

#include "platform/interface_facts.h"
#include "testbench/sim/host/pacing/closed_loop.h"
#include "testbench/sim/load/workload.h"
#include "testbench/torture/bench/metered_source.h"

namespace solidtlm::testbench {
namespace {

constexpr std::uint64_t kSmall = 4096;
constexpr std::uint64_t kLarge = 131072;
constexpr std::uint64_t kWarmUpShare = 10;
constexpr std::uint64_t kLargeRequestShare = 8;

/// Every sector holds data, in address order.
Preconditioning full() {
    Preconditioning precondition;
    precondition.random = 0;
    return precondition;
}

/// In steady state (docs/ageing.md).
Preconditioning overwritten() {
    Preconditioning precondition;
    precondition.random = 1;
    return precondition;
}

std::vector<SpeedCase> make_cases() {
    const std::vector<std::string> small_pages{"nand.geometry.channels=8", "nand.geometry.dies=4",
                                               "nand.geometry.planes=2",   "nand.geometry.blocks=1024",
                                               "nand.geometry.pages=256",  "nand.geometry.page_size=4KiB"};
    std::vector<SpeedCase> cases;
    for (const bool small : {false, true}) {
        const std::string device = small ? "small_pages/" : "default/";
        const std::vector<std::string> settings = small ? small_pages : std::vector<std::string>{};
        cases.push_back({device + "random_read", settings, "random,read=1,size=4k", full(), kSmall});
        cases.push_back({device + "random_write", settings, "random,read=0,size=4k", overwritten(), kSmall});
        cases.push_back(
            {device + "sequential_read", settings, "sequential,read=1,size=128k", full(), kLarge});
        cases.push_back(
            {device + "sequential_write", settings, "sequential,read=0,size=128k", full(), kLarge});
    }
    return cases;
}

std::unique_ptr<RequestSource> workload(const std::string& spec, const platform::Configuration& configuration,
                                        std::uint64_t requests) {
    WorkloadConfig config = parse_workload(spec, configuration.firmware.exported_sectors);
    config.count = requests;
    config.seed = configuration.seed;
    return make_workload(config);
}

SimulationOutcome run(const platform::Configuration& configuration, const Preconditioning& precondition,
                      RequestSource& source) {
    const std::uint32_t depth = platform::interface_facts(configuration).queue_depth;
    RunSpec settings = run_of(configuration, depth);
    settings.precondition = precondition;
    return simulate(settings, source, ClosedLoop(depth), {.scenario = "bench_speed"});
}

Json entries_between(const EntryCount& begin, const EntryCount& end) {
    Json by_module = Json::object();
    for (const auto& [module, count] : end.by_module) {
        by_module[module] = count - begin.by_module.at(module);
    }
    return by_module;
}

}  // namespace

const std::vector<SpeedCase>& speed_cases() {
    static const std::vector<SpeedCase> cases = make_cases();
    return cases;
}

platform::Configuration configuration_of(const SpeedCase& speed_case, const platform::Configuration& base) {
    return speed_case.settings.empty() ? base : platform::variant_of(base, speed_case.settings);
}

std::uint64_t requests_of(const SpeedCase& speed_case, std::uint64_t requests) {
    return speed_case.request_bytes == kSmall ? requests
                                              : std::max<std::uint64_t>(1, requests / kLargeRequestShare);
}

SimulationOutcome run_speed_case(const SpeedCase& speed_case, const platform::Configuration& base,
                                 std::uint64_t requests) {
    const platform::Configuration configuration = configuration_of(speed_case, base);
    const std::uint64_t warm_up = requests / kWarmUpShare;
    const auto source = workload(speed_case.workload, configuration, warm_up + requests);
    MeteredSource metered(*source, {warm_up, warm_up + requests});
    SimulationOutcome outcome = run(configuration, speed_case.precondition, metered);
    const Mark& begin = metered.marks().front();
    const Mark& end = metered.marks().back();
    Json sample{{"requests", end.requests - begin.requests},
                {"wall_s", end.wall_s - begin.wall_s},
                {"cpu_s", end.cpu_s - begin.cpu_s},
                {"simulated_s", static_cast<double>((end.simulated - begin.simulated).count()) * 1e-12},
                {"entries", entries_between(begin.entries, end.entries)},
                {"kernel_events", end.entries.kernel_events - begin.entries.kernel_events}};
    outcome.result = Json{{"sample", std::move(sample)}, {"result", std::move(outcome.result)}};
    return outcome;
}

SimulationOutcome run_memory_case(const platform::Configuration& base, std::uint64_t writes) {
    const auto source = workload("random,read=0,size=4k", base, writes);
    MeteredSource metered(*source, {writes / 10, writes});
    SimulationOutcome outcome = run(base, full(), metered);
    outcome.result =
        Json{{"writes", writes},
             {"resident_bytes", {metered.marks()[0].resident_bytes, metered.marks()[1].resident_bytes}}};
    return outcome;
}

}  // namespace solidtlm::testbench
