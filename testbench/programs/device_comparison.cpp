// SPDX-License-Identifier: Apache-2.0
#include "testbench/programs/device_comparison.h"

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <iostream>
#include <memory>

#include "testbench/programs/cli/saved_result.h"
#include "testbench/show/comparison.h"
#include "testbench/show/summary.h"
#include "testbench/show/trace_section.h"
#include "testbench/sim/child_runs.h"
#include "testbench/sim/host_settings.h"
#include "testbench/sim/outputs.h"
#include "testbench/sim/request_source.h"

namespace solidtlm::testbench {
namespace {

std::string trimmed(const std::string& text) {
    const std::size_t begin = text.find_first_not_of(" \t");
    const std::size_t end = text.find_last_not_of(" \t");
    return begin == std::string::npos ? std::string() : text.substr(begin, end - begin + 1);
}

/// Splits "a=1; b=2" into its parts.
std::vector<std::string> split_settings(const std::string& text) {
    std::vector<std::string> settings;
    for (std::size_t begin = 0; begin <= text.size();) {
        const std::size_t end = std::min(text.find(';', begin), text.size());
        if (std::string setting = trimmed(text.substr(begin, end - begin)); !setting.empty()) {
            settings.push_back(std::move(setting));
        }
        begin = end + 1;
    }
    return settings;
}

/// Loads devices and reports the mistakes of all of them together.
class Loader {
  public:
    void add(const std::string& name, const platform::ConfigurationSources& sources) {
        try {
            devices_.push_back({unique(name), platform::load_configuration(sources)});
        } catch (const platform::ConfigurationError& error) {
            for (const platform::ConfigurationIssue& issue : error.issues()) {
                const bool known = std::ranges::any_of(
                    issues_, [&issue](const auto& each) { return each.text() == issue.text(); });
                if (!known) {
                    issues_.push_back(issue);
                }
            }
        }
    }
    [[nodiscard]] std::vector<ComparedDevice> devices() {
        if (!issues_.empty()) {
            throw platform::ConfigurationError(std::move(issues_));
        }
        return std::move(devices_);
    }

  private:
    /// The name, with a number appended if another device has it already.
    [[nodiscard]] std::string unique(const std::string& name) const {
        std::string candidate = name;
        for (int number = 2; std::ranges::any_of(
                 devices_, [&candidate](const ComparedDevice& device) { return device.name == candidate; });
             ++number) {
            candidate = name + " #" + std::to_string(number);
        }
        return candidate;
    }

    std::vector<ComparedDevice> devices_;
    std::vector<platform::ConfigurationIssue> issues_;
};

/// One device's run, ready to start. The requests are read once here, so mistakes are found early.
struct Run {
    RunSpec spec;
    std::unique_ptr<RequestSource> source;
    std::unique_ptr<Pacing> pacing;
    std::vector<TraceAccount> traces;
};

Run prepare(const RunSpec& spec, const ComparedDevice& device) {
    Run run;
    run.spec = spec;
    run.spec.configuration = device.configuration;
    try {
        run.source = make_request_source(run.spec, &run.traces);
        run.pacing = make_pacing(run.spec);
        run.spec = with_start_for(run.spec, *run.source);
    } catch (const InputError& error) {
        throw InputError("device " + device.name + ": " + error.what());
    }
    return run;
}

PointJob job_of(const std::string& name, const Run& run) {
    return {name, [&run] { return simulate(run.spec, *run.source, *run.pacing, {.scenario = kReplay}); }};
}

}  // namespace

std::vector<ComparedDevice> compared_devices(const CommandLine& line, const ComparisonRequest& request) {
    Loader loader;
    if (request.files.size() < 2) {
        loader.add("base", line.sources);
    }
    platform::ConfigurationSources base = line.sources;
    base.variant_of = &line.configuration;
    for (const std::string& file : request.files) {
        platform::ConfigurationSources sources = base;
        sources.files.emplace_back(file);
        loader.add(std::filesystem::path(file).stem().string(), sources);
    }
    for (const std::string& text : request.settings) {
        platform::ConfigurationSources sources = base;
        const std::vector<std::string> settings = split_settings(text);
        sources.settings.insert(sources.settings.end(), settings.begin(), settings.end());
        loader.add(trimmed(text), sources);
    }
    return loader.devices();
}

int compare_devices(const CommandLine& line, const std::vector<ComparedDevice>& devices) {
    const auto begin = std::chrono::steady_clock::now();
    std::vector<Run> runs;
    runs.reserve(devices.size());
    std::vector<PointJob> jobs;
    for (const ComparedDevice& device : devices) {
        runs.push_back(prepare(line, device));
        jobs.push_back(job_of(device.name, runs.back()));
    }
    const PointPool pool{line.jobs, line.quiet, line.dry_run ? &line.configuration : nullptr};
    std::vector<PointOutcome> outcomes = run_points(jobs, pool);
    std::vector<Point> points;
    bool sound = true;
    for (std::size_t i = 0; i < devices.size(); ++i) {
        for (const std::string& fault : outcomes[i].outcome.faults) {
            report_error(std::cerr, "device " + devices[i].name + ": " + fault);
            sound = false;
        }
        if (!outcomes[i].outcome.result.is_null()) {
            points.push_back({Json{{"device", devices[i].name}}, std::move(outcomes[i].outcome.result)});
        }
    }
    if (points.size() < devices.size()) {
        return kExitFailure;  // nothing to compare
    }
    const std::chrono::duration<double> wall = std::chrono::steady_clock::now() - begin;
    const StudyInfo study{kReplay, line.configuration.seed, platform::to_json(line.configuration),
                          wall.count()};
    Json document = make_study_result(study, points, {});
    add_figures(document, comparison_figures(document));
    if (!runs.front().traces.empty()) {
        document["traces"] = trace_section(runs.front().traces);
    }
    write_outputs(line, line.asked, document);
    if (!line.quiet) {
        const TextStyle style = style_for(1);
        std::cout << summarize(document, style) << comparison_text(document, style) << std::flush;
    }
    sound &= !line.rerun || same_again(*line.rerun, document, line.quiet);
    return sound ? kExitSuccess : kExitFailure;
}

}  // namespace solidtlm::testbench
