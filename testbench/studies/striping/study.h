// SPDX-License-Identifier: Apache-2.0
//
// Runs a striping study from its points to its result.
#pragma once

#include "testbench/cli/command_line.h"
#include "testbench/studies/parts/study.h"
#include "testbench/studies/striping/options.h"

namespace solidtlm::testbench::striping {

/// Throws ConfigurationError or InputError before anything is simulated.
[[nodiscard]] StudyOutcome run_sweep(const CommandLine& line, const Options& options);
[[nodiscard]] StudyOutcome run_jasmine(const CommandLine& line, const Options& options);

}  // namespace solidtlm::testbench::striping
