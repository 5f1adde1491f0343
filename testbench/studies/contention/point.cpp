// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cmath>
#include <string>

#include "testbench/sim/host/pacing/closed_loop.h"
#include "testbench/sim/load/workload.h"
#include "testbench/studies/contention/contention.h"
#include "testbench/studies/kit/result_values.h"

namespace solidtlm::testbench::contention {
namespace {

std::string fault_of(const std::string& what, const Json& found, const Json& expected) {
    return what + " is " + found.dump() + " and should be " + expected.dump() +
           ": the point does not measure what it should";
}

/// Compares the array's operations for the map with the cache's counters.
void check_map(const Json& result, std::vector<std::string>& faults) {
    if (!result.contains("map_cache")) {
        return;
    }
    const Json& flash = result["map_cache"]["flash"];
    const Json& array = result["nand"]["by_cause"]["map"];
    const auto sum = [&flash](std::initializer_list<const char*> names) {
        std::uint64_t total = 0;
        for (const char* name : names) {
            total += flash[name].get<std::uint64_t>();
        }
        return Json(total);
    };
    const std::pair<const char*, Json> expected[] = {
        {"reads", sum({"miss_reads", "merge_reads", "gc_reads", "copy_reads"})},
        {"programs", sum({"write_backs", "gc_programs", "copies"})},
        {"erases", sum({"erases"})}};
    for (const auto& [name, count] : expected) {
        if (array[name] != count) {
            faults.push_back(fault_of("nand.by_cause.map." + std::string(name), array[name], count));
        }
    }
}

/// The part that a stage belongs to; `miss`: for a flash operation of a miss.
std::string part_of(const std::string& stage, bool miss) {
    const std::string prefix = miss ? "miss_" : "";
    for (const std::string& wait : {std::string("channel_wait_"), std::string("die_wait_")}) {
        if (stage.starts_with(wait)) {
            const std::string holder = stage.substr(wait.size());
            return prefix + wait + (holder == "host" || holder == "map" ? holder : "gc");
        }
    }
    if (stage == "channel_transfer" || stage == "array") {
        return prefix + stage;
    }
    if (stage.starts_with("dram_") || stage == "ecc" || stage == "hash") {
        return prefix + "dram_ecc";
    }
    if (stage.starts_with("link_") || stage == "completion" || stage == "doorbell" || stage == "prp_fetch") {
        return "link";
    }
    if (stage == "queue") {
        return "miss_queue";
    }
    return miss ? "miss_core" : stage.starts_with("firmware_") ? "core" : "queue";
}

void add(Json& values, const std::string& part, double share) {
    double& sum = values["share_" + part].get_ref<double&>();
    sum += share;
}

/// Distributes a share of the latency in proportion to the parts of a miss's time.
void add_misses(Json& values, const Json& time, double share) {
    const double total = time["total"];
    if (total <= 0.0) {
        add(values, "miss_queue", share);
        return;
    }
    for (const auto& [name, us] : time.items()) {
        if (name != "total") {
            add(values, part_of(name, true), share * us.get<double>() / total);
        }
    }
}

/// Reads wait for misses; without reads, writes do.
const Json& misses_of(const Json& result) {
    const Json& kinds = result["map_cache"]["miss_us"];
    return kinds[kinds["translating"]["misses"] != 0 ? "translating" : "updating"];
}

void add_shares(const Json& result, Json& values) {
    for (const std::string& share : shares(0)) {
        values[share] = 0.0;
    }
    const Json& stages = result["ledger"]["stages_us"];
    double latency = 0.0;
    for (const Json& us : stages) {
        latency += us.get<double>();
    }
    if (latency <= 0.0) {
        return;
    }
    for (const auto& [stage, us] : stages.items()) {
        const double share = us.get<double>() / latency;
        if (stage != "map_read" && stage != "map_write_back") {
            add(values, part_of(stage, false), share);
        } else if (share > 0.0) {
            add_misses(values, misses_of(result)[stage == "map_read" ? "read" : "write_back"], share);
        }
    }
}

/// Busy times of one kind of resource as fractions of the measured time: the mean, the part held by
/// operations on translation pages, and the busiest resource.
void add_busy(const Json& utilization, const std::string& kind, Json& values) {
    double most = 0.0;
    for (const Json& value : utilization[kind]) {
        most = std::max(most, value.get<double>());
    }
    values[kind + "_busy"] = mean_of(utilization[kind]);
    values[kind + "_of_map"] = utilization[kind + "_by_holder"]["map"].get<double>();
    values[kind + "_most"] = most;
}

}  // namespace

std::unique_ptr<RequestSource> workload_of(const Load& load, const platform::Configuration& configuration) {
    WorkloadConfig config = parse_workload(load.workload, configuration.firmware.exported_sectors);
    if (config.arrivals != Arrivals::none) {
        throw InputError(
            "--workload: found arrival times; allowed: none, the queue is kept full (see --depths)");
    }
    if (load.workload.find("seed=") == std::string::npos) {
        config.seed = configuration.seed;
    }
    config.count = load.warm_up + load.measured;
    config.total_bytes = 0;
    return make_workload(config);
}

std::vector<std::string> shares(std::size_t first, std::size_t last) {
    std::vector<std::string> names;
    for (std::size_t i = first; i < last; ++i) {
        names.push_back("share_" + std::string(kParts[i]));
    }
    return names;
}

RunSpec settings_of(const platform::Configuration& configuration, const Load& load, std::uint32_t depth) {
    RunSpec settings = run_of(configuration, depth);
    settings.precondition = load.precondition;
    settings.warm_up = load.warm_up;
    return settings;
}

SimulationOutcome run_point(const RunSpec& settings, const Load& load, DriveToRun& drive) {
    const std::unique_ptr<RequestSource> source = workload_of(load, settings.configuration);
    SimulationOutcome outcome = simulate(settings, *source, ClosedLoop(settings.queue_depth.value()),
                                         {.scenario = "tb_contention"}, drive);
    const Json& unwritten = outcome.result["firmware"]["host.read_unwritten_units"];
    if (unwritten.get<double>() != 0.0) {
        outcome.faults.push_back(fault_of("host.read_unwritten_units", unwritten, 0));
    }
    check_map(outcome.result, outcome.faults);
    if (outcome.result["host"]["completed"] == 0) {
        outcome.result = nullptr;  // no commands were measured
    }
    return outcome;
}

void add_sums(Json& values) {
    const auto add_sum = [&values](const char* name, std::initializer_list<std::string> parts) {
        double sum = 0.0;
        for (const std::string& part : parts) {
            sum += values["share_" + part].get<double>();
        }
        values[name] = sum;
    };
    add_sum("channel_wait_share",
            {"channel_wait_host", "channel_wait_map", "channel_wait_gc", "miss_channel_wait_host",
             "miss_channel_wait_map", "miss_channel_wait_gc"});
    add_sum("die_wait_share", {"die_wait_host", "die_wait_map", "die_wait_gc", "miss_die_wait_host",
                               "miss_die_wait_map", "miss_die_wait_gc"});
    double misses = 0.0;
    for (const std::string& share : shares(kFirstMissPart)) {
        misses += values[share].get<double>();
    }
    values["miss_share"] = misses;
}

void measure(const Json& result, Measured& point) {
    const Json& host = result["host"];
    const Json& utilization = result["utilization"];
    Json& values = point.more;
    values["mb_per_s"] = host["mb_per_s"];
    values["mean_us"] = host["latency_us"]["mean"];
    values["p99_us"] = host["latency_us"]["p99"];
    values["hit_ratio"] = 1.0;
    if (result.contains("map_cache") && !result["map_cache"]["hit_ratio"].is_null()) {
        values["hit_ratio"] = result["map_cache"]["hit_ratio"];
    }
    for (const char* resource : {"link", "core", "dram"}) {
        values[resource + std::string("_busy")] = utilization[resource];
    }
    add_busy(utilization, "channels", values);
    add_busy(utilization, "dies", values);
    add_shares(result, values);
    add_sums(values);
}

void add_bounds(const Demand& demand, const Bounds& bounds, Measured& point) {
    const Json& values = point.more;
    Json& derived = point.derived;
    derived = {{"mb_per_s", values["mb_per_s"]},
               {"hit_ratio", values["hit_ratio"]},
               {"limit", limit_of(point)},
               {"bound_mb_per_s", bounds.least()},
               {"bound_by", bounds.binding()},
               {"measured_of_bound", values["mb_per_s"].get<double>() / bounds.least()}};
    for (std::size_t i = 0; i < kResources; ++i) {
        derived["bound_" + std::string(kResourceNames[i]) + "_mb_per_s"] = bounds.mb_per_s[i];
    }
    for (const std::string& share : shares(0)) {
        derived[share] = values[share];
    }
    for (const char* sum : {"channel_wait_share", "die_wait_share", "miss_share"}) {
        derived[sum] = values[sum];
    }
    derived["miss_without_waiting_us"] = demand.miss_us;
    derived["busiest_channel"] = values["channels_most"];
    derived["busiest_die"] = values["dies_most"];
}

}  // namespace solidtlm::testbench::contention
