// SPDX-License-Identifier: Apache-2.0
//
// Runs a sweep over map caches from its loads to its result.
#pragma once

#include <string>
#include <vector>

#include "testbench/cli/command_line.h"
#include "testbench/results/result.h"
#include "testbench/studies/map_cache/options.h"

namespace solidtlm::testbench::map_cache {

// NOLINTNEXTLINE(bugprone-exception-escape): nlohmann::json checks its invariant in its move constructor
struct StudyOutcome {
    Json result;
    std::string text;                 ///< for the terminal
    std::vector<std::string> faults;  ///< with the name of the point
};

/// REQUIRES: options.check() found nothing. Throws InputError before anything is simulated.
[[nodiscard]] StudyOutcome run_study(const CommandLine& line, const Options& options);

}  // namespace solidtlm::testbench::map_cache
