// SPDX-License-Identifier: Apache-2.0
//
// Runs the study of deduplication from its loads to its result.
#pragma once

#include "testbench/cli/command_line.h"
#include "testbench/studies/dedup/options.h"
#include "testbench/studies/parts/study.h"

namespace solidtlm::testbench::dedup {

/// Throws ConfigurationError or InputError before anything is simulated.
[[nodiscard]] StudyOutcome run_study(const CommandLine& line, const Options& options);

}  // namespace solidtlm::testbench::dedup
