// SPDX-License-Identifier: Apache-2.0
//
// Runs the study of TRIM from its jobs to its result.
#pragma once

#include <string>
#include <vector>

#include "testbench/cli/command_line.h"
#include "testbench/results/result.h"
#include "testbench/studies/trim/options.h"

namespace solidtlm::testbench::trim {

// NOLINTNEXTLINE(bugprone-exception-escape): nlohmann::json checks its invariant in its move constructor
struct StudyOutcome {
    Json result;
    std::string text;                 ///< for the terminal
    std::vector<std::string> faults;  ///< with the name of the run
};

/// All runs that the options ask for. Throws ConfigurationError or InputError before anything is simulated.
[[nodiscard]] std::vector<Job> jobs_of(const CommandLine& line, const Options& options);

[[nodiscard]] StudyOutcome run_study(const CommandLine& line, const Options& options);

}  // namespace solidtlm::testbench::trim
