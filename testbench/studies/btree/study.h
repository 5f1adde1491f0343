// SPDX-License-Identifier: Apache-2.0
//
// Study E from its trees to its result.
#pragma once

#include "testbench/cli/command_line.h"
#include "testbench/studies/btree/options.h"
#include "testbench/studies/parts/study.h"

namespace solidtlm::testbench::btree {

/// Throws ConfigurationError before anything is simulated.
[[nodiscard]] StudyOutcome run_study(const CommandLine& line, const Options& options);

}  // namespace solidtlm::testbench::btree
