// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>

#include "platform/interface_facts.h"
#include "testbench/sim/host/pacing/closed_loop.h"
#include "testbench/sim/host/pacing/open_loop.h"
#include "testbench/sim/load/fs/fs_source.h"
#include "testbench/sim/load/fs/fs_workload_spec.h"
#include "testbench/studies/kit/grid.h"
#include "testbench/studies/trim/trim.h"

namespace solidtlm::testbench::trim {
namespace {

using platform::Configuration;

/// Settings that give any drive a map of this kind.
std::vector<std::string> settings_of(const std::string& mapping) {
    if (mapping == "cached") {
        return {"firmware.map_cache.policy=dftl"};
    }
    if (mapping == "hybrid") {
        return {"firmware.translation=fast", "firmware.gc.copy_back=false"};
    }
    return {"firmware.translation=page_map", "firmware.map_cache.policy=full_table"};
}

Configuration drive_of(const std::string& name, const Configuration& given) {
    if (name == "given") {
        return given;
    }
    platform::ConfigurationSources sources;
    sources.preset = name;
    sources.settings = {"content=none", "seed=" + std::to_string(given.seed)};
    return platform::load_configuration(sources);
}

/// A drive so small that its wear soon reaches a steady state.
Configuration small_drive(const Configuration& drive) {
    constexpr double kMostSpare = 0.9;  // used if the given drive exports almost nothing
    return variant_of(
        drive, {"nand.geometry.channels=2", "nand.geometry.dies=1", "nand.geometry.dies_per_way=1",
                "nand.geometry.blocks=64", "firmware.write_buffer.size=4MiB",
                "ssd.over_provisioning=" + fmt::format("{}", std::min(drive.over_provisioning, kMostSpare))});
}

const RunHooks kHooks{.scenario = "tb_trim"};

RunSpec settings_of(const Configuration& configuration) {
    return run_of(configuration, platform::interface_facts(configuration).queue_depth);
}

/// The first `bytes` are written before the simulation starts.
Preconditioning written(const Configuration& configuration, std::uint64_t bytes) {
    Preconditioning preconditioning;
    const std::uint64_t unit = configuration.firmware.unit_bytes;  // most that rounding may cost
    preconditioning.fill =
        static_cast<double>(bytes + unit) / static_cast<double>(configuration.exported_bytes());
    preconditioning.fill = std::min(preconditioning.fill, 1.0);
    preconditioning.random = 0;
    return preconditioning;
}

double mean_us(const Json& result, const char* operation) {
    const Json& mean = result["host"][operation]["latency_us"]["mean"];
    return mean.is_null() ? 0.0 : mean.get<double>();
}

void measure_ranges(const Json& result, Measured& point) {
    const double us = mean_us(result, "trim");
    const double ranges = point.value("ranges");
    point.derived["command_us"] = us;
    point.derived["range_us"] = us / ranges;
    point.derived["us_per_mb"] = us / (ranges * point.value("range_bytes") / 1e6);
    point.more["stages"] = result["ledger"]["by_operation"].value("trim", Json::object());
}

void measure_filesystem(const Json& result, Measured& point) {
    for (const char* name : {"operations_per_s", "synced_operations_per_s", "trims", "trim_ranges",
                             "commit_s", "commit_trim_s", "measured_s", "synced_s"}) {
        point.derived[name] = result["filesystem"][name];
    }
    point.derived["trim_us"] = mean_us(result, "trim");
}

void measure_latency(const Json& result, Measured& point) {
    const Json& read = result["host"]["read"];
    point.derived = {{"read_mean_us", read["latency_us"]["mean"]},
                     {"read_p99_us", read["latency_us"]["p99"]},
                     {"read_iops", read["iops"]},
                     {"trims", result["host"]["trim"]["count"]},
                     {"trim_us", mean_us(result, "trim")},
                     {"read_host_queue_us", result["ledger"]["by_operation"]["read"]["host_queue"]}};
}

void measure_ageing(const Json& result, Measured& point) {
    point.derived = {{"write_amplification", result["write_amplification"]},
                     {"write_iops", result["host"]["write"]["iops"]},
                     {"write_mean_us", mean_us(result, "write")}};
}

/// A job without its run. `more`: parameters after those of the device.
StudyJob job_of(const char* part, const Device& device, const std::string& name, const Json& more,
                void (*measure)(const Json&, Measured&)) {
    StudyJob job{device.name() + ", " + name,
                 {{"part", part},
                  {"device", device.name()},
                  {"drive", device.drive},
                  {"mapping", device.mapping},
                  {"partial", device.partial}},
                 {},
                 measure};
    job.parameters.update(more);
    return job;
}

}  // namespace

std::vector<Device> devices_of(const Configuration& given, const DeviceLists& lists) {
    std::vector<Device> devices;
    for (const std::string& name : lists.drives) {
        if (name == given.preset) {
            continue;
        }
        const Configuration drive = drive_of(name, given);
        for (const std::string& mapping : lists.mappings) {
            for (const std::string& partial : lists.partials) {
                if (partial == "kept" && mapping != "page") {
                    continue;
                }
                std::vector<std::string> settings = settings_of(mapping);
                settings.push_back(partial == "kept" ? "sata.zeros_after_trim=false"
                                                     : "sata.zeros_after_trim=true");
                settings.emplace_back("sata.deterministic_after_trim=true");
                devices.push_back(Device{drive.preset, mapping, partial, variant_of(drive, settings)});
            }
        }
    }
    return devices;
}

StudyJob ranges_job(const Device& device, const ShapePlan& plan) {
    StudyJob job = job_of("ranges", device, plan.shape.name(),
                          {{"range_bytes", plan.shape.bytes},
                           {"contiguous", plan.shape.contiguous},
                           {"aligned", plan.shape.aligned},
                           {"ranges", plan.shape.ranges},
                           {"commands", plan.commands}},
                          measure_ranges);
    job.run = [configuration = device.configuration, plan] {
        RunSpec settings = settings_of(configuration);
        settings.precondition = written(configuration, plan.region_bytes);
        ShapeSource source(plan, configuration.seed);
        return simulate(settings, source, ClosedLoop(1), kHooks);
    };
    return job;
}

StudyJob filesystem_job(const Device& device, const std::string& spec, const std::string& discard) {
    if (!fs::is_fs_workload(spec)) {
        throw InputError("--benchmark: found " + spec +
                         "; allowed: postmark or filebench_delete, with their keys");
    }
    const std::string benchmark =
        spec.substr(0, spec.find(',')) + (spec.find("fsync=") == std::string::npos ? "" : " with fsync");
    StudyJob job =
        job_of("filesystem", device, spec + ", discard=" + discard,
               {{"benchmark", benchmark}, {"workload", spec}, {"discard", discard}}, measure_filesystem);
    fs::FsWorkloadConfig workload = fs::parse_fs_workload(
        spec + ",discard=" + discard, device.configuration.firmware.exported_sectors, "--benchmark");
    workload.seed = device.configuration.seed;
    job.run = [configuration = device.configuration, workload] {
        fs::FsSource source(workload);
        return simulate(settings_of(configuration), source, OpenLoop(), kHooks);
    };
    return job;
}

StudyJob latency_job(const Device& device, Sending sending, const MixedSource::Load& load) {
    const std::string how(kSendingNames[static_cast<std::size_t>(sending)]);
    StudyJob job = job_of("latency", device, "reads with trims " + how,
                          {{"discard", how}, {"reads", load.reads}}, measure_latency);
    job.run = [configuration = device.configuration, sending, load] {
        RunSpec settings = settings_of(configuration);
        settings.precondition = written(configuration, load.region_bytes);
        MixedSource source(sending, load, configuration.seed);
        return simulate(settings, source, OpenLoop(), kHooks);
    };
    return job;
}

StudyJob ageing_job(const Device& device, const Churn& churn) {
    StudyJob job = job_of("ageing", device, fmt::format("small, {:.0f} % trims", churn.trim_share * 100.0),
                          {{"trim_share", churn.trim_share}, {"rounds", churn.rounds}}, measure_ageing);
    job.run = [configuration = small_drive(device.configuration), churn] {
        RunSpec settings = settings_of(configuration);
        settings.precondition = written(configuration, configuration.exported_bytes());
        const std::uint64_t unit = configuration.firmware.unit_bytes;
        const double units = static_cast<double>(configuration.exported_bytes()) / static_cast<double>(unit);
        const auto count = static_cast<std::uint64_t>(churn.rounds * units / (1.0 - churn.trim_share));
        constexpr std::uint64_t kTenths = 10;
        settings.warm_up = count - count / kTenths;
        const auto source = make_workload(
            parse_workload(fmt::format("random,read=0,trim={},size={},trim_size={},align={},count={}",
                                       churn.trim_share, unit, unit, unit, count),
                           configuration.firmware.exported_sectors));
        return simulate(settings, *source, ClosedLoop(settings.queue_depth.value()), kHooks);
    };
    return job;
}

}  // namespace solidtlm::testbench::trim
