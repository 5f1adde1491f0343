// SPDX-License-Identifier: Apache-2.0
#include "testbench/studies/parts/study.h"

#include <fmt/format.h>

#include <iostream>

#include "testbench/simulation/outputs.h"

namespace solidtlm::testbench {

std::vector<PointOutcome> run_jobs(std::span<const StudyJob> jobs, const CommandLine& line) {
    std::vector<PointJob> runs;
    runs.reserve(jobs.size());
    for (const StudyJob& job : jobs) {
        runs.push_back(PointJob{job.name, job.run});
    }
    if (!line.quiet) {
        std::cout << fmt::format("{} points, {} at a time\n", jobs.size(), line.jobs) << std::flush;
    }
    return run_points(runs, pool_of(line));
}

void collect_faults(const std::string& name, const PointOutcome& outcome, StudyOutcome& study) {
    for (const std::string& fault : outcome.outcome.faults) {
        study.faults.push_back(fmt::format("{}: {}", name, fault));
    }
}

StudyInfo study_info(const std::string& scenario, const CommandLine& line,
                     std::chrono::steady_clock::time_point began) {
    StudyInfo info;
    info.scenario = scenario;
    info.seed = line.configuration.seed;
    info.config = platform::to_json(line.configuration);
    info.wall_time_s = std::chrono::duration<double>(std::chrono::steady_clock::now() - began).count();
    return info;
}

int finish_study(const CommandLine& line, StudyOutcome& outcome) {
    write_outputs(line, outcome.result);
    if (!line.quiet) {
        std::cout << outcome.text << std::flush;
    }
    for (const std::string& fault : outcome.faults) {
        report_error(std::cerr, fault);
    }
    return outcome.faults.empty() ? kExitSuccess : kExitFailure;
}

}  // namespace solidtlm::testbench
