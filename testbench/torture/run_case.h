// SPDX-License-Identifier: Apache-2.0
//
// Runs one case in a process of its own and verifies everything that can be verified.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "testbench/sim/child_runs.h"
#include "testbench/torture/torture_case.h"
#include "testbench/watch/settings.h"

namespace solidtlm::testbench {

/// Runs the case in this process. The outcome's result contains only what coverage counts. Throws InputError
/// and platform::ConfigurationError if the case is not legal.
[[nodiscard]] SimulationOutcome run_case(const TortureCase& torture, const RecorderSettings& record = {});

/// As above, but with the result that a user would get, without wall times.
[[nodiscard]] SimulationOutcome run_as_user(const TortureCase& torture);

/// run_case(), or a test's replacement.
using CaseRunner = std::function<SimulationOutcome(const TortureCase&, const RecorderSettings&)>;

struct CaseLimits {
    std::chrono::seconds time{30};  ///< processor time after which a run counts as hung
    /// address space; without AddressSanitizer only, which maps all of it
    std::uint64_t memory_bytes = 1U << 30U;
};

/// The outcome of a case in a process of its own.
// NOLINTNEXTLINE(bugprone-exception-escape): nlohmann::json checks its invariant in its move constructor
struct CaseOutcome {
    Json result;                      ///< that of run_case(), or null
    std::vector<std::string> faults;  ///< none: the drive survived
    double wall_time_s = 0;
    std::uint64_t peak_memory_bytes = 0;  ///< resident set
};

struct CaseJob {
    std::string name;
    /// called in a process of its own, where it may also draw the case
    std::function<SimulationOutcome()> run;
};
/// Runs up to `at_once` jobs in parallel. Outcomes are in the order of the jobs.
[[nodiscard]] std::vector<CaseOutcome> run_in_children(const std::vector<CaseJob>& jobs,
                                                       std::uint32_t at_once, const CaseLimits& limits = {});

/// The signature of a case that exceeds its memory limit, which is not a fault of the drive.
inline constexpr std::string_view kOutOfMemory = "out of memory";

/// The kind of a fault: the first fault's text without numbers and coroutine names; empty: no fault.
[[nodiscard]] std::string signature_of(const std::vector<std::string>& faults);

}  // namespace solidtlm::testbench
