// SPDX-License-Identifier: Apache-2.0
#include "testbench/studies/trim/jobs.h"

#include <fmt/format.h>

#include "testbench/host/pacing/closed_loop.h"
#include "testbench/host/pacing/open_loop.h"
#include "testbench/workload/fs/fs_source.h"
#include "testbench/workload/fs/fs_workload_spec.h"

namespace solidtlm::testbench::trim {
namespace {

using platform::Configuration;

SimulationSettings settings_for(const Configuration& configuration) {
    SimulationSettings settings;
    settings.scenario = "tb_trim";
    settings.configuration = configuration;
    settings.host.content = configuration.content;
    settings.host.queue_depth = configuration.sata.queue_depth;
    settings.quiet = true;
    return settings;
}

/// The first `bytes` are written before time starts.
Preconditioning written(const Configuration& configuration, std::uint64_t bytes) {
    Preconditioning preconditioning;
    const std::uint64_t unit = configuration.firmware.unit_bytes;  // what rounding may cost
    preconditioning.fill =
        static_cast<double>(bytes + unit) / static_cast<double>(configuration.exported_bytes());
    preconditioning.fill = std::min(preconditioning.fill, 1.0);
    preconditioning.random = 0;
    return preconditioning;
}

Json base_parameters(const char* part, const Device& device) {
    return {{"part", part},
            {"device", device.name()},
            {"drive", device.drive},
            {"mapping", device.mapping},
            {"partial", device.partial}};
}

double mean_us(const Json& result, const char* operation) {
    const Json& mean = result["host"][operation]["latency_us"]["mean"];
    return mean.is_null() ? 0.0 : mean.get<double>();
}

}  // namespace

Job ranges_job(const Device& device, const ShapePlan& plan) {
    Job job;
    job.name = device.name() + ", " + plan.shape.name();
    job.parameters = base_parameters("ranges", device);
    job.parameters["range_bytes"] = plan.shape.bytes;
    job.parameters["contiguous"] = plan.shape.contiguous;
    job.parameters["aligned"] = plan.shape.aligned;
    job.parameters["ranges"] = plan.shape.ranges;
    job.parameters["commands"] = plan.commands;
    job.run = [configuration = device.configuration, plan] {
        SimulationSettings settings = settings_for(configuration);
        settings.precondition = written(configuration, plan.region_bytes);
        ShapeSource source(plan, configuration.seed);
        return simulate(settings, source, ClosedLoop(1));
    };
    return job;
}

Job filesystem_job(const Device& device, const std::string& spec, const std::string& discard) {
    if (!fs::is_fs_workload(spec)) {
        throw InputError("--benchmark: found " + spec +
                         "; allowed: postmark or filebench_delete, with their keys");
    }
    Job job;
    job.name = fmt::format("{}, {}, discard={}", device.name(), spec, discard);
    job.parameters = base_parameters("filesystem", device);
    job.parameters["benchmark"] =
        spec.substr(0, spec.find(',')) + (spec.find("fsync=") == std::string::npos ? "" : " with fsync");
    job.parameters["workload"] = spec;
    job.parameters["discard"] = discard;
    fs::FsWorkloadConfig workload =
        fs::parse_fs_workload(spec + ",discard=" + discard, device.configuration.firmware.exported_sectors);
    workload.seed = device.configuration.seed;
    job.run = [configuration = device.configuration, workload] {
        fs::FsSource source(workload);
        return simulate(settings_for(configuration), source, OpenLoop());
    };
    return job;
}

Job latency_job(const Device& device, Sending sending, const MixedSource::Load& load) {
    Job job;
    const std::string how(kSendingNames[static_cast<std::size_t>(sending)]);
    job.name = fmt::format("{}, reads with trims {}", device.name(), how);
    job.parameters = base_parameters("latency", device);
    job.parameters["discard"] = how;
    job.parameters["reads"] = load.reads;
    job.run = [configuration = device.configuration, sending, load] {
        SimulationSettings settings = settings_for(configuration);
        settings.precondition = written(configuration, load.region_bytes);
        MixedSource source(sending, load, configuration.seed);
        return simulate(settings, source, OpenLoop());
    };
    return job;
}

Job ageing_job(const Device& device, const Churn& churn) {
    Job job;
    job.name = fmt::format("{}, small, {:.0f} % trims", device.name(), churn.trim_share * 100.0);
    job.parameters = base_parameters("ageing", device);
    job.parameters["trim_share"] = churn.trim_share;
    job.parameters["rounds"] = churn.rounds;
    job.run = [configuration = small_drive(device.configuration), churn] {
        SimulationSettings settings = settings_for(configuration);
        settings.precondition = written(configuration, configuration.exported_bytes());
        const std::uint64_t unit = configuration.firmware.unit_bytes;
        const double units = static_cast<double>(configuration.exported_bytes()) / static_cast<double>(unit);
        const auto count = static_cast<std::uint64_t>(churn.rounds * units / (1.0 - churn.trim_share));
        constexpr std::uint64_t kTenths = 10;
        settings.warm_up_commands = count - count / kTenths;
        const auto source = make_workload(
            parse_workload(fmt::format("random,read=0,trim={},size={},trim_size={},align={},count={}",
                                       churn.trim_share, unit, unit, unit, count),
                           configuration.firmware.exported_sectors));
        return simulate(settings, *source, ClosedLoop(settings.host.queue_depth));
    };
    return job;
}

Json derived_of(const Json& parameters, const Json& result) {
    const std::string part = parameters["part"];
    Json derived = Json::object();
    if (part == "ranges") {
        const double us = mean_us(result, "trim");
        const double ranges = parameters["ranges"];
        derived["command_us"] = us;
        derived["range_us"] = us / ranges;
        derived["us_per_mb"] = us / (ranges * parameters["range_bytes"].get<double>() / 1e6);
    } else if (part == "filesystem") {
        const Json& filesystem = result["filesystem"];
        for (const char* name : {"operations_per_s", "synced_operations_per_s", "trims", "trim_ranges",
                                 "commit_s", "commit_trim_s", "measured_s", "synced_s"}) {
            derived[name] = filesystem[name];
        }
        derived["trim_us"] = mean_us(result, "trim");
    } else if (part == "latency") {
        const Json& read = result["host"]["read"];
        derived["read_mean_us"] = read["latency_us"]["mean"];
        derived["read_p99_us"] = read["latency_us"]["p99"];
        derived["read_iops"] = read["iops"];
        derived["trims"] = result["host"]["trim"]["count"];
        derived["trim_us"] = mean_us(result, "trim");
        derived["read_host_queue_us"] = result["ledger"]["by_operation"]["read"]["host_queue"];
    } else {
        derived["write_amplification"] = result["write_amplification"];
        derived["write_iops"] = result["host"]["write"]["iops"];
        derived["write_mean_us"] = mean_us(result, "write");
    }
    return derived;
}

}  // namespace solidtlm::testbench::trim
