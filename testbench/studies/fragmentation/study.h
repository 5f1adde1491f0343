// SPDX-License-Identifier: Apache-2.0
//
// Runs the study from its points to its result.
#pragma once

#include "testbench/cli/command_line.h"
#include "testbench/studies/fragmentation/options.h"
#include "testbench/studies/parts/study.h"

namespace solidtlm::testbench::fragmentation {

/// Throws InputError before anything is simulated.
[[nodiscard]] StudyOutcome run_study(const CommandLine& line, const Options& options);

}  // namespace solidtlm::testbench::fragmentation
