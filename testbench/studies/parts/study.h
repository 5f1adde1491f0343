// SPDX-License-Identifier: Apache-2.0
//
// A study from its points to its files.
#pragma once

#include <chrono>
#include <functional>
#include <span>
#include <string>
#include <vector>

#include "testbench/cli/command_line.h"
#include "testbench/results/result.h"
#include "testbench/simulation/child_runs.h"

namespace solidtlm::testbench {

// NOLINTNEXTLINE(bugprone-exception-escape): nlohmann::json checks its invariant in its move constructor
struct StudyOutcome {
    Json result;
    std::string text;                 ///< for the terminal
    std::vector<std::string> faults;  ///< with the name of the point
};

/// One run: one point of the result.
// NOLINTNEXTLINE(bugprone-exception-escape): nlohmann::json checks its invariant in its move constructor
struct StudyJob {
    std::string name;  ///< for messages
    Json parameters;   ///< Point::parameters
    std::function<SimulationOutcome()> run;
};

/// Says how many there are and runs them, `line.jobs` at a time.
[[nodiscard]] std::vector<PointOutcome> run_jobs(std::span<const StudyJob> jobs, const CommandLine& line);

/// Appends the faults of a point.
void collect_faults(const std::string& name, const PointOutcome& outcome, StudyOutcome& study);

[[nodiscard]] StudyInfo study_info(const std::string& scenario, const CommandLine& line,
                                   std::chrono::steady_clock::time_point began);

/// Writes the files, prints text and faults; returns the exit code.
[[nodiscard]] int finish_study(const CommandLine& line, StudyOutcome& outcome);

}  // namespace solidtlm::testbench
