// SPDX-License-Identifier: Apache-2.0
#include "testbench/studies/contention/point.h"

#include <algorithm>
#include <numeric>
#include <string>

#include "testbench/host/pacing/closed_loop.h"
#include "testbench/studies/parts/result_values.h"

namespace solidtlm::testbench::contention {
namespace {

std::string fault_of(const std::string& what, const Json& found, const Json& expected) {
    return what + " is " + found.dump() + " and should be " + expected.dump() +
           ": the point does not measure what it should";
}

/// What the array did for the map is what the cache counted.
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

/// Of a wait's holder, the third that is told apart. `first` is that for the host.
Part held_by(Part first, std::string_view holder) {
    const int which = holder == "host" ? 0 : holder == "map" ? 1 : 2;
    return static_cast<Part>(static_cast<int>(first) + which);
}

/// The part that a stage belongs to; `miss`: of a miss's flash operation.
Part part_of(std::string_view stage, bool miss) {
    constexpr std::string_view kChannelWait = "channel_wait_";
    constexpr std::string_view kDieWait = "die_wait_";
    if (stage.starts_with(kChannelWait)) {
        return held_by(miss ? Part::miss_channel_wait_host : Part::channel_wait_host,
                       stage.substr(kChannelWait.size()));
    }
    if (stage.starts_with(kDieWait)) {
        return held_by(miss ? Part::miss_die_wait_host : Part::die_wait_host, stage.substr(kDieWait.size()));
    }
    if (stage == "channel_transfer") {
        return miss ? Part::miss_channel_transfer : Part::channel_transfer;
    }
    if (stage == "array") {
        return miss ? Part::miss_array : Part::array;
    }
    if (stage.starts_with("dram_") || stage == "ecc" || stage == "hash") {
        return miss ? Part::miss_dram_ecc : Part::dram_ecc;
    }
    if (stage.starts_with("link_") || stage == "completion") {
        return Part::link;
    }
    if (stage == "queue") {
        return Part::miss_queue;
    }
    if (miss) {
        return Part::miss_core;
    }
    return stage.starts_with("firmware_") ? Part::core : Part::queue;
}

void add(Shares& shares, Part part, double share) {
    shares[static_cast<std::size_t>(part)] += share;
}

/// Distributes a share of the latency as the time of a miss is.
void add_misses(Shares& shares, const Json& time, double share) {
    const double total = time["total"];
    if (total <= 0.0) {
        add(shares, Part::miss_queue, share);
        return;
    }
    for (const auto& [name, us] : time.items()) {
        if (name != "total") {
            add(shares, part_of(name, true), share * us.get<double>() / total);
        }
    }
}

/// Those who wait for a miss are reads, unless there are none.
const Json& misses_of(const Json& result) {
    const Json& kinds = result["map_cache"]["miss_us"];
    return kinds[kinds["translating"]["misses"] != 0 ? "translating" : "updating"];
}

Shares shares_of(const Json& result) {
    Shares shares{};
    const Json& stages = result["ledger"]["stages_us"];
    double latency = 0.0;
    for (const Json& us : stages) {
        latency += us.get<double>();
    }
    if (latency <= 0.0) {
        return shares;
    }
    for (const auto& [stage, us] : stages.items()) {
        const double share = us.get<double>() / latency;
        if (stage != "map_read" && stage != "map_write_back") {
            add(shares, part_of(stage, false), share);
        } else if (share > 0.0) {
            add_misses(shares, misses_of(result)[stage == "map_read" ? "read" : "write_back"], share);
        }
    }
    return shares;
}

Busy busy_of(const Json& utilization, const std::string& kind) {
    const Json& each = utilization[kind];
    const Json& holders = utilization[kind + "_by_holder"];
    Busy busy;
    busy.mean = mean_of(each);
    for (const Json& value : each) {
        busy.most = std::max(busy.most, value.get<double>());
    }
    busy.host = holders["host"];
    busy.map = holders["map"];
    return busy;
}

}  // namespace

SimulationOutcome run_point(const platform::Configuration& configuration, const Load& load,
                            std::uint32_t depth) {
    LoadSource source(load, configuration);
    SimulationSettings settings;
    settings.scenario = "tb_contention";
    settings.configuration = configuration;
    settings.host.content = configuration.content;
    settings.host.queue_depth = depth;
    settings.quiet = true;
    settings.precondition = load.precondition;
    settings.warm_up_commands = source.commands_before();
    SimulationOutcome outcome = simulate(settings, source, ClosedLoop(depth));
    const Json& unwritten = outcome.result["firmware"]["host.read_unwritten_units"];
    if (unwritten != 0) {
        outcome.faults.push_back(fault_of("host.read_unwritten_units", unwritten, 0));
    }
    check_map(outcome.result, outcome.faults);
    return outcome;
}

double Measured::miss_share() const {
    return std::accumulate(shares.begin() + kFirstMissPart, shares.end(), 0.0);
}

double Measured::channel_wait_share() const {
    return share(Part::channel_wait_host) + share(Part::channel_wait_map) + share(Part::channel_wait_gc) +
           share(Part::miss_channel_wait_host) + share(Part::miss_channel_wait_map) +
           share(Part::miss_channel_wait_gc);
}

double Measured::die_wait_share() const {
    return share(Part::die_wait_host) + share(Part::die_wait_map) + share(Part::die_wait_gc) +
           share(Part::miss_die_wait_host) + share(Part::miss_die_wait_map) + share(Part::miss_die_wait_gc);
}

Measured measured_of(const Json& result) {
    const Json& host = result["host"];
    const Json& utilization = result["utilization"];
    Measured measured;
    measured.mb_per_s = host["mb_per_s"];
    measured.iops = host["iops"];
    measured.mean_us = host["latency_us"]["mean"];
    measured.p99_us = host["latency_us"]["p99"];
    if (result.contains("map_cache") && !result["map_cache"]["hit_ratio"].is_null()) {
        measured.hit_ratio = result["map_cache"]["hit_ratio"];
    }
    measured.shares = shares_of(result);
    measured.link = utilization["link"];
    measured.core = utilization["core"];
    measured.dram = utilization["dram"];
    measured.channels = busy_of(utilization, "channels");
    measured.dies = busy_of(utilization, "dies");
    return measured;
}

}  // namespace solidtlm::testbench::contention
