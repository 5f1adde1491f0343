// SPDX-License-Identifier: Apache-2.0
//
// Runs one case in a process of its own, with everything verified that can be.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "testbench/record/settings.h"
#include "testbench/simulation/child_runs.h"
#include "testbench/torture/torture_case.h"

namespace solidtlm::testbench {

/// Runs the case in this process. The outcome's result has only what coverage counts. Throws InputError and
/// platform::ConfigurationError if the case is not legal.
[[nodiscard]] SimulationOutcome run_case(const TortureCase& torture, const RecorderSettings& record = {});

/// run_case(), or a test's replacement.
using CaseRunner = std::function<SimulationOutcome(const TortureCase&, const RecorderSettings&)>;

struct CaseLimits {
    std::chrono::seconds time{30};           ///< of the processor; a run that takes longer hangs
    std::uint64_t memory_bytes = 1U << 30U;  ///< of addresses; not with AddressSanitizer, which takes all
};

/// What became of a case in a process of its own.
// NOLINTNEXTLINE(bugprone-exception-escape): nlohmann::json checks its invariant in its move constructor
struct CaseOutcome {
    Json result;                      ///< of run_case(), or null
    std::vector<std::string> faults;  ///< none: the drive survived
    double wall_time_s = 0;
    std::uint64_t peak_memory_bytes = 0;  ///< resident
};

struct CaseJob {
    std::string name;
    std::function<SimulationOutcome()> run;  ///< in a process of its own, where the case may be drawn, too
};
/// Runs `at_once` jobs at a time. Outcomes are in the order of the jobs.
[[nodiscard]] std::vector<CaseOutcome> run_in_children(const std::vector<CaseJob>& jobs,
                                                       std::uint32_t at_once, const CaseLimits& limits = {});

/// The signature of a case that needs more memory than its limit, which is no fault of the drive.
inline constexpr std::string_view kOutOfMemory = "out of memory";

/// What kind of fault it is: the first one without its numbers and names of coroutines; empty: none.
[[nodiscard]] std::string signature_of(const std::vector<std::string>& faults);

}  // namespace solidtlm::testbench
