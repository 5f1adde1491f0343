// SPDX-License-Identifier: Apache-2.0
#include "testbench/studies/fragmentation/study.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <iostream>
#include <iterator>

#include "testbench/results/summary.h"
#include "testbench/simulation/child_runs.h"
#include "testbench/studies/fragmentation/claims.h"
#include "testbench/studies/fragmentation/figures.h"
#include "testbench/studies/fragmentation/point.h"
#include "testbench/studies/fragmentation/sensitivity.h"
#include "testbench/studies/fragmentation/speed_up.h"
#include "testbench/studies/fragmentation/table.h"

namespace solidtlm::testbench::fragmentation {
namespace {

using Clock = std::chrono::steady_clock;

/// One system on one load, and what came of it.
struct Run {
    const SystemPoint* point;
    const Load* load;
    const NamedProfile* profile;
};

std::string name_of(const Run& run) {
    return fmt::format("{}: {}", run.load->name, run.point->system.name());
}

Json parameters_of(const Run& run, std::uint32_t depth) {
    const platform::Configuration& configuration = run.point->configuration;
    Json parameters{
        {"load", run.load->name},
        {"layer", run.point->system.layer},
        {"striping", run.point->system.striping},
        {"sequential_rule", run.point->system.rule},
        {"log_nand_blocks", run.point->system.layer == "page_map"
                                ? 0
                                : configuration.firmware.block_map.log_blocks * columns_of(configuration)}};
    if (depth > 0) {
        parameters["queue_depth"] = depth;
    }
    return parameters;
}

PointJob job_of(const Run& run, const Options& options) {
    const std::uint32_t depth = options.depth;
    if (options.timed()) {
        return PointJob{name_of(run), [run, depth] { return run_timed(*run.point, *run.load, depth); }};
    }
    return PointJob{name_of(run), [run] { return run_counted(*run.point, *run.load, run.profile->profile); }};
}

std::vector<NamedProfile> profiles_of(const Options& options) {
    std::vector<NamedProfile> profiles;
    for (const Load& load : options.loads) {
        // All systems export the same.
        profiles.push_back({load.name, profile_of(load, options.systems.front().configuration)});
        if (profiles.back().profile.pages_written == 0) {
            throw InputError(load.name + ": there is no write in it");
        }
    }
    return profiles;
}

std::vector<Run> runs_of(const Options& options, const std::vector<NamedProfile>& profiles) {
    std::vector<Run> runs;
    for (std::size_t i = 0; i < options.loads.size(); ++i) {
        for (const SystemPoint& point : options.systems) {
            runs.push_back(Run{&point, &options.loads[i], &profiles[i]});
        }
    }
    return runs;
}

std::string speed_up_layer(const Options& options) {
    const std::vector<std::string>& layers = options.sweep.layers;
    return std::ranges::find(layers, "fast") != layers.end() ? "fast" : layers.front();
}

/// What was run, and what came of it.
struct Collected {
    std::vector<Observed> all;
    std::vector<Point> points;
};

Collected collect(const std::vector<Run>& runs, std::span<PointOutcome> outcomes, std::uint32_t depth) {
    Collected collected;
    for (std::size_t i = 0; i < runs.size(); ++i) {
        Json& result = outcomes[i].outcome.result;
        if (!result.is_null()) {
            const Run& run = runs[i];
            collected.all.push_back(
                observed_of(*run.point, run.load->name, run.profile->profile.bytes, result));
            collected.points.push_back(
                Point{parameters_of(run, depth), std::move(result), collected.all.back().derived()});
        }
    }
    return collected;
}

template <class Value>
void append(std::vector<Value>& list, std::vector<Value> more) {
    std::ranges::move(more, std::back_inserter(list));
}

/// Claims as summarize() shows them, without the heading and the points.
std::string claims_text(Json result, const TextStyle& style) {
    result["points"] = Json::array();
    const std::string text = summarize(result, style);
    return text.substr(text.find('\n') + 1);
}

}  // namespace

StudyOutcome run_study(const CommandLine& line, const Options& options) {
    const auto began = Clock::now();
    const std::vector<NamedProfile> profiles = profiles_of(options);
    const std::vector<Run> runs = runs_of(options, profiles);
    const SensitivityStudy sensitivity(options, line.configuration, profiles);
    const std::string layer = speed_up_layer(options);
    std::vector<PointJob> jobs;
    jobs.reserve(runs.size());
    for (const Run& run : runs) {
        jobs.push_back(job_of(run, options));
    }
    append(jobs, speed_up_jobs(line.configuration, layer));
    const std::size_t first_sensitivity = jobs.size();
    sensitivity.add_jobs(jobs);
    if (!line.quiet) {
        std::cout << fmt::format("{} systems on {} loads, {}, and {} for the sensitivity; {} at a time\n",
                                 options.systems.size(), options.loads.size(),
                                 options.timed() ? "full timing" : "counted", jobs.size() - first_sensitivity,
                                 line.jobs)
                  << std::flush;
    }
    std::vector<PointOutcome> outcomes = run_points(jobs, pool_of(line));
    const std::span<PointOutcome> all_outcomes(outcomes);

    StudyOutcome study;
    for (std::size_t i = 0; i < outcomes.size(); ++i) {
        collect_faults(jobs[i].name, outcomes[i], study);
    }
    const Collected collected =
        collect(runs, all_outcomes.first(runs.size()), options.timed() ? options.depth : 0);
    const std::vector<SpeedUp> speed_ups = speed_ups_of(
        line.configuration, layer, all_outcomes.subspan(runs.size(), first_sensitivity - runs.size()));
    const std::vector<Sensitivity> variants = sensitivity.collect(all_outcomes.subspan(first_sensitivity));
    std::vector<Claim> claims = claims_of(collected.all);
    if (!speed_ups.empty()) {
        claims.push_back(speed_up_claim(speed_ups));
    }
    std::vector<Figure> figures = access_patterns(profiles);
    append(figures, study_figures(collected.all));
    append(figures, sensitivity_figures(variants));
    study.result = make_study_result(study_info("tb_fragmentation", line, began), collected.points, claims);
    add_figures(study.result, figures);
    const TextStyle style = style_for(1);
    study.text = load_table(profiles, options.sweep.scale, style) + system_tables(collected.all, style) +
                 sensitivity_table(variants, style) + claims_text(study.result, style);
    return study;
}

}  // namespace solidtlm::testbench::fragmentation
