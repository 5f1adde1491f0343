// SPDX-License-Identifier: Apache-2.0
#include "testbench/studies/kit/study.h"

#include <fmt/format.h>

#include <chrono>
#include <iostream>

#include "testbench/programs/cli/saved_result.h"
#include "testbench/show/summary.h"
#include "testbench/sim/files/output_file.h"
#include "testbench/sim/load/fs/fs_workload_spec.h"
#include "testbench/sim/load/workload.h"
#include "testbench/sim/log.h"
#include "testbench/sim/outputs.h"
#include "testbench/sim/process/interruption.h"
#include "testbench/sim/request_source.h"
#include "testbench/studies/kit/point_files.h"

namespace solidtlm::testbench {
namespace {

/// A study and the values of its options.
struct StudyRun {
    const std::string& scenario;
    const CommandLine& line;
    const PointFiles& files;
    Study& study;
};

/// The outcomes so far.
struct Ran {
    std::size_t jobs = 0;
    std::vector<Measured> points;
    /// results for the result file, with the index of their point
    std::vector<std::pair<std::size_t, Json>> results;
    std::vector<std::string> faults;  ///< with the name of the job
    std::size_t interrupted = 0;      ///< points that a signal interrupted
};

PointPool pool_of(const CommandLine& line) {
    return {line.jobs, line.quiet, line.dry_run ? &line.configuration : nullptr};
}

void run_jobs(const std::vector<StudyJob>& jobs, const StudyRun& all, Ran& ran) {
    if (jobs.empty()) {
        return;
    }
    std::vector<PointOutcome> outcomes =
        all.files.collect.empty() ? run_points(point_jobs(jobs), pool_of(all.line))
                                  : read_outcomes(all.files.collect, all.scenario, ran.jobs + 1, jobs.size());
    ran.jobs += jobs.size();
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
        ran.points.push_back(measured_by(jobs[i], outcomes[i].outcome));
        if (jobs[i].in_result) {
            ran.results.emplace_back(ran.points.size() - 1, std::move(result));
        }
        if (jobs[i].parts) {
            for (Measured& part : jobs[i].parts(ran.points.back())) {
                ran.points.push_back(std::move(part));
                ran.results.emplace_back(ran.points.size() - 1, Json::object());
            }
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

/// For --collect. Faults are part of the written result.
int run_one(const StudyPlan& plan, const StudyRun& all) {
    const std::size_t count = plan.jobs.size() + plan.later.size();
    const std::size_t index = all.files.point - 1;
    if (index >= count) {
        throw InputError(
            fmt::format("--point: found {}; allowed: a point of the study, which has {}", index + 1, count));
    }
    const StudyJob& job = index < plan.jobs.size() ? plan.jobs[index] : plan.later[index - plan.jobs.size()];
    const std::vector<PointOutcome> outcomes = run_points(point_jobs({&job, 1}), pool_of(all.line));
    if (outcomes.front().interrupted) {
        return kExitFailure;
    }
    write_file_atomically(all.line.out / kResultFile,
                          to_text(point_result(all.scenario, index + 1, job.name, outcomes.front().outcome)));
    return kExitSuccess;
}

int run(const StudyRun& all) {
    const auto& [scenario, line, files, study] = all;
    const auto began = std::chrono::steady_clock::now();
    const StudyPlan plan = study.plan(line);
    if (files.point > 0) {
        return run_one(plan, all);
    }
    if (!files.list.empty() && !line.dry_run) {
        write_run_files(files.list, line, plan.jobs.size() + plan.later.size());
        return kExitSuccess;
    }
    if (!line.quiet) {
        std::cout << plan.opening << std::flush;
    }
    Ran ran;
    run_jobs(plan.jobs, all, ran);
    run_jobs(plan.later, all, ran);
    const TextStyle style = style_for(1);
    Json document;
    std::optional<std::string> tables;
    if (ran.interrupted > 0) {
        document = make_study_result(info_of(scenario, line, began), points_of(ran), {});
        document["points_interrupted"] = ran.interrupted;
        ran.faults.push_back(fmt::format("{}: {} of {} points have not ended, and nothing is concluded",
                                         Interruption::in_words(), ran.interrupted,
                                         plan.jobs.size() + plan.later.size()));
    } else {
        study.complete(ran.points);
        const Conclusions found = study.conclude(ran.points, style);
        document = make_study_result(info_of(scenario, line, began), points_of(ran), found.claims);
        if (found.figures) {
            add_figures(document, *found.figures);
        }
        tables = found.tables;
    }
    write_outputs(line, line.asked, document);  // before anything is printed, which may fail
    if (!line.quiet) {
        std::cout << (tables ? *tables + claims_table(document.at("claims"), style)
                             : summarize(document, style))
                  << std::flush;
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

Measured measured_by(const StudyJob& job, SimulationOutcome& outcome) {
    Measured point{job.parameters};
    point.more = std::move(outcome.noted);
    if (job.measure) {
        job.measure(outcome.result, point);
    }
    return point;
}

int run_study(int argc, char* argv[], Study& study) {
    Program program = study.program({argv, static_cast<std::size_t>(argc)});
    program.varies_keys = true;
    program.unused.push_back({{"--compare-result"}, "it shows one run beside another; use tb_replay"});
    program.unused.push_back({{"--until"}, "the runs of a study end with their requests; use tb_replay"});
    program.unused.push_back({{"--merge"}, "a study reads each trace alone; use tb_replay"});
    PointFiles files;
    program.add_options = [&study, &files](OptionSet& options) {
        if (options.has("--workload")) {
            options.explain("--workload", workload_help());
        }
        files.add_to(options);
        options.begin_own();
        options.group("Sweep");
        study.add_options(options);
    };
    program.check_options = [&files](const CommandLine& line) {
        Errors errors = check_loads(line);
        files.check(line, errors);
        return errors;
    };
    program.check = [&study](const CommandLine& line) {
        Errors errors;
        study.check(line, errors);
        return errors;
    };
    return run_program(argc, argv, program, [&](const CommandLine& line) {
        start_logging("warning");
        Interruption::report_sudden_ends();
        return run({program.name, line, files, study});
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
    std::erase_if(unused.options, [&also](const std::string& name) {
        return name == "--until" || name == "--merge" || has(also, name);
    });
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
