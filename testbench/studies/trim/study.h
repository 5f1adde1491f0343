// SPDX-License-Identifier: Apache-2.0
//
// Runs the study of TRIM from its jobs to its result.
#pragma once

#include <string>
#include <vector>

#include "testbench/cli/command_line.h"
#include "testbench/studies/parts/study.h"
#include "testbench/studies/trim/options.h"

namespace solidtlm::testbench::trim {

/// All runs that the options ask for. Throws ConfigurationError or InputError before anything is simulated.
[[nodiscard]] std::vector<Job> jobs_of(const CommandLine& line, const Options& options);

[[nodiscard]] StudyOutcome run_study(const CommandLine& line, const Options& options);

}  // namespace solidtlm::testbench::trim
