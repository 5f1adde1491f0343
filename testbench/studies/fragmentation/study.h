// SPDX-License-Identifier: Apache-2.0
//
// Runs the study from its points to its result.
#pragma once

#include <string>
#include <vector>

#include "testbench/cli/command_line.h"
#include "testbench/results/result.h"
#include "testbench/studies/fragmentation/options.h"

namespace solidtlm::testbench::fragmentation {

// NOLINTNEXTLINE(bugprone-exception-escape): nlohmann::json checks its invariant in its move constructor
struct StudyOutcome {
    Json result;
    std::string text;                 ///< for the terminal
    std::vector<std::string> faults;  ///< with the name of the point
};

/// Throws InputError before anything is simulated.
[[nodiscard]] StudyOutcome run_study(const CommandLine& line, const Options& options);

}  // namespace solidtlm::testbench::fragmentation
