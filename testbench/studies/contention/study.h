// SPDX-License-Identifier: Apache-2.0
//
// Runs a contention study from its points to its result.
#pragma once

#include "testbench/cli/command_line.h"
#include "testbench/studies/contention/options.h"
#include "testbench/studies/parts/study.h"

namespace solidtlm::testbench::contention {

/// Throws ConfigurationError or InputError before anything is simulated.
[[nodiscard]] StudyOutcome run_sweep(const CommandLine& line, const Options& options);

}  // namespace solidtlm::testbench::contention
