// SPDX-License-Identifier: Apache-2.0
#include "testbench/studies/trim/study.h"

#include <fmt/format.h>

#include <chrono>

#include "testbench/results/summary.h"
#include "testbench/studies/trim/claims.h"
#include "testbench/studies/trim/figures.h"
#include "testbench/studies/trim/tables.h"

namespace solidtlm::testbench::trim {
namespace {

void check_region(const Device& device, std::uint64_t region_bytes) {
    if (device.configuration.exported_bytes() < region_bytes) {
        throw InputError(
            fmt::format("--region: found {} bytes; allowed: at most {}, what the drive {} exports",
                        region_bytes, device.configuration.exported_bytes(), device.name()));
    }
}

void add_ranges(const std::vector<Device>& devices, const Options& options, std::vector<Job>& jobs) {
    for (const Device& device : devices) {
        check_region(device, options.region_bytes());
        for (const Shape& shape : options.shapes()) {
            if (const auto plan = plan_shape(shape, options.region_bytes(), options.trimmed)) {
                jobs.push_back(ranges_job(device, *plan));
            }
        }
    }
}

void add_filesystem(const std::vector<Device>& devices, const Options& options, std::vector<Job>& jobs) {
    for (const std::string& benchmark : options.benchmarks) {
        for (const Device& device : devices) {
            for (const std::string& discard : options.discards) {
                jobs.push_back(filesystem_job(device, benchmark, discard));
            }
        }
    }
}

void add_latency(const std::vector<Device>& devices, const Options& options, std::vector<Job>& jobs) {
    for (const Device& device : devices) {
        check_region(device, options.region_bytes());
        for (std::size_t i = 0; i < kSendingNames.size(); ++i) {
            jobs.push_back(latency_job(device, static_cast<Sending>(i), options.load()));
        }
    }
}

void add_ageing(const std::vector<Device>& devices, const Options& options, std::vector<Job>& jobs) {
    for (const Device& device : devices) {
        for (const std::uint32_t percent : options.trim_percent) {
            jobs.push_back(ageing_job(device, Churn{percent / 100.0, options.rounds}));
        }
    }
}

}  // namespace

std::vector<Job> jobs_of(const CommandLine& line, const Options& options) {
    std::vector<Job> jobs;
    const auto devices = [&line, &options](const std::vector<std::string>& mappings,
                                           const std::vector<std::string>& partials) {
        return devices_of(line.configuration, DeviceLists{options.drives, mappings, partials});
    };
    if (options.has("ranges")) {
        add_ranges(devices(options.mappings, options.partials), options, jobs);
    }
    // The other parts are about the host; the map is that of the study's board.
    if (options.has("filesystem")) {
        add_filesystem(devices({"page"}, options.partials), options, jobs);
    }
    const std::vector<Device> plain = devices({"page"}, {options.partials.front()});
    if (options.has("latency")) {
        add_latency(plain, options, jobs);
    }
    if (options.has("ageing")) {
        add_ageing(plain, options, jobs);
    }
    if (jobs.empty()) {
        throw InputError("nothing to run; allowed: at least one part with a point that fits into the region");
    }
    return jobs;
}

StudyOutcome run_study(const CommandLine& line, const Options& options) {
    const auto began = std::chrono::steady_clock::now();
    const std::vector<Job> jobs = jobs_of(line, options);
    std::vector<PointOutcome> outcomes = run_jobs(jobs, line);
    StudyOutcome study;
    std::vector<Measured> measured;
    std::vector<Point> points;
    for (std::size_t i = 0; i < jobs.size(); ++i) {
        collect_faults(jobs[i].name, outcomes[i], study);
        Json& result = outcomes[i].outcome.result;
        if (result.is_null()) {
            continue;
        }
        const Json& ledger = result["ledger"]["by_operation"];
        const auto trims = ledger.find("trim");
        measured.push_back(Measured{jobs[i].parameters, derived_of(jobs[i].parameters, result),
                                    trims != ledger.end() ? *trims : Json(nullptr)});
        points.push_back(Point{jobs[i].parameters, std::move(result), measured.back().derived});
    }
    study.result = make_study_result(study_info("tb_trim", line, began), points, claims_of(measured));
    const std::vector<Figure> figures = figures_of(measured);
    add_figures(study.result, figures);
    const TextStyle style = style_for(1);
    study.text = tables_of(measured, style) + claims_table(study.result.at("claims"), style);
    return study;
}

}  // namespace solidtlm::testbench::trim
