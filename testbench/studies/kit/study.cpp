// SPDX-License-Identifier: Apache-2.0
#include "testbench/studies/kit/study.h"

#include <fmt/format.h>

#include <chrono>
#include <iostream>

#include "testbench/cli/saved_result.h"
#include "testbench/process/interruption.h"
#include "testbench/results/summary.h"
#include "testbench/simulation/log.h"
#include "testbench/simulation/outputs.h"
#include "testbench/simulation/request_source.h"
#include "testbench/workload/fs/fs_workload_spec.h"
#include "testbench/workload/workload.h"

namespace solidtlm::testbench {
namespace {

/// What has been run so far.
struct Ran {
    std::vector<Measured> points;
    std::vector<std::pair<std::size_t, Json>> results;  ///< of those in the result, with their point
    std::vector<std::string> faults;                    ///< with the name of the job
    std::size_t interrupted = 0;                        ///< points that did not end because a signal came
};

void run_jobs(const std::vector<StudyJob>& jobs, const CommandLine& line, Ran& ran) {
    if (jobs.empty()) {
        return;
    }
    const PointPool pool{line.jobs, line.quiet, line.dry_run ? &line.configuration : nullptr};
    std::vector<PointOutcome> outcomes = run_points(point_jobs(jobs), pool);
    for (std::size_t i = 0; i < jobs.size(); ++i) {
        if (outcomes[i].interrupted) {
            ++ran.interrupted;
            continue;
        }
        for (const std::string& fault : outcomes[i].outcome.faults) {
            ran.faults.push_back(fmt::format("{}: {}", jobs[i].name, fault));
        }
        Json& result = outcomes[i].outcome.result;
        if (result.is_null()) {
            continue;
        }
        Measured& point = ran.points.emplace_back(Measured{jobs[i].parameters});
        jobs[i].measure(result, point);
        if (jobs[i].in_result) {
            ran.results.emplace_back(ran.points.size() - 1, std::move(result));
        }
    }
}

StudyInfo info_of(const std::string& scenario, const CommandLine& line,
                  std::chrono::steady_clock::time_point began) {
    StudyInfo info;
    info.scenario = scenario;
    info.seed = line.configuration.seed;
    info.config = platform::to_json(line.configuration);
    info.wall_time_s = std::chrono::duration<double>(std::chrono::steady_clock::now() - began).count();
    return info;
}

std::vector<Point> points_of(Ran& ran) {
    std::vector<Point> points;
    points.reserve(ran.results.size());
    for (auto& [index, result] : ran.results) {
        points.push_back(Point{ran.points[index].parameters, std::move(result), ran.points[index].derived});
    }
    return points;
}

Errors check_loads(const CommandLine& line) {
    if (fs::is_fs_workload(line.workload)) {
        return {"--workload: found a benchmark on a file system; allowed: other workloads; use tb_replay"};
    }
    return check_requests(line);
}

int run(const std::string& scenario, const CommandLine& line, Study& study) {
    const auto began = std::chrono::steady_clock::now();
    const StudyPlan plan = study.plan(line);
    if (!line.quiet) {
        std::cout << plan.opening << std::flush;
    }
    Ran ran;
    run_jobs(plan.jobs, line, ran);
    run_jobs(plan.later, line, ran);
    const TextStyle style = style_for(1);
    Json document;
    std::string text;
    if (ran.interrupted > 0) {
        document = make_study_result(info_of(scenario, line, began), points_of(ran), {});
        document["points_interrupted"] = ran.interrupted;
        ran.faults.push_back(fmt::format("{}: {} of {} points have not ended, and nothing is concluded",
                                         Interruption::in_words(), ran.interrupted,
                                         plan.jobs.size() + plan.later.size()));
        text = summarize(document, style);
    } else {
        study.complete(ran.points);
        document =
            make_study_result(info_of(scenario, line, began), points_of(ran), study.claims(ran.points));
        if (const auto figures = study.figures(ran.points)) {
            add_figures(document, *figures);
        }
        text = study.tables(ran.points, document, style) + claims_table(document.at("claims"), style);
    }
    write_outputs(line, line.asked, document);
    if (!line.quiet) {
        std::cout << text << std::flush;
    }
    for (const std::string& fault : ran.faults) {
        report_error(std::cerr, fault);
    }
    const bool same = !line.rerun || same_again(*line.rerun, document, line.quiet);
    return ran.faults.empty() && same ? kExitSuccess : kExitFailure;
}

}  // namespace

std::vector<PointJob> point_jobs(std::span<const StudyJob> jobs) {
    std::vector<PointJob> runs;
    runs.reserve(jobs.size());
    for (const StudyJob& job : jobs) {
        runs.push_back(PointJob{job.name, job.run, job.drive});
    }
    return runs;
}

int run_study(int argc, char* argv[], Study& study) {
    Program program = study.program({argv, static_cast<std::size_t>(argc)});
    program.varies_keys = true;
    program.unused.push_back({{"--compare-result"}, "it shows one run beside another; use tb_replay"});
    program.unused.push_back({{"--until"}, "the runs of a study end with their requests; use tb_replay"});
    program.add_options = [&study](OptionSet& options) {
        if (options.has("--workload")) {
            options.explain("--workload", workload_help());
        }
        options.group("Sweep");
        study.add_options(options);
    };
    program.check_options = check_loads;
    program.check = [&study](const CommandLine& line) {
        Errors errors;
        study.check(line, errors);
        return errors;
    };
    return run_program(argc, argv, program, [&study, &program](const CommandLine& line) {
        start_logging("warning");
        return run(program.name, line, study);
    });
}

void check_traces_once(const CommandLine& line, Errors& errors) {
    for (auto trace = line.traces.begin(); trace != line.traces.end(); ++trace) {
        if (std::find(line.traces.begin(), trace, *trace) != trace) {
            errors.push_back("--trace: found " + *trace + " twice; allowed: each value once");
        }
    }
}

Unused no_requests(const std::string& program, const platform::Names& also) {
    Unused unused{kRequestOptions, program + " makes its own requests; use tb_replay"};
    std::erase_if(unused.options,
                  [&also](const std::string& name) { return name == "--until" || has(also, name); });
    return unused;
}

Unused no_arrivals(const std::string& program) {
    return {{"--pacing", "--speed"}, program + " keeps --queue-depth commands outstanding; use tb_replay"};
}

Kind<std::string> permutation_of_cwdp() {
    const auto read = [](std::string_view text) {
        std::string letters(text);
        std::ranges::sort(letters);
        return letters == "CDPW" ? std::optional(std::string(text)) : std::nullopt;
    };
    return {{platform::ValueType::text, "each of the letters C, W, D and P once", ", as in PCWD"},
            read,
            [](const std::string& text) { return text; }};
}

std::string usual_opening(const std::vector<StudyJob>& jobs, const CommandLine& line) {
    return fmt::format("{} points, {} at a time\n", jobs.size(), line.jobs);
}

}  // namespace solidtlm::testbench
