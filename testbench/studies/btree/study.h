// SPDX-License-Identifier: Apache-2.0
//
// Study E from its trees to its result.
#pragma once

#include <string>
#include <vector>

#include "testbench/cli/command_line.h"
#include "testbench/results/result.h"
#include "testbench/studies/btree/options.h"

namespace solidtlm::testbench::btree {

// NOLINTNEXTLINE(bugprone-exception-escape): nlohmann::json checks its invariant in its move constructor
struct StudyOutcome {
    Json result;
    std::string text;                 ///< for the terminal
    std::vector<std::string> faults;  ///< with the name of the run
};

/// Throws ConfigurationError before anything is simulated.
[[nodiscard]] StudyOutcome run_study(const CommandLine& line, const Options& options);

}  // namespace solidtlm::testbench::btree
