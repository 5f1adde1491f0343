// SPDX-License-Identifier: Apache-2.0
//
// Several runs in one executable. SystemC elaborates once per process, so a scenario that compares points
// forks a child for each of them, a few at a time, and collects their results through pipes.
//
// Invariants: outcomes are in the order of the jobs, whichever ends first; a child that crashes, is killed or
// exits abnormally is a fault of its own point, and the others continue. Children end with their parent.
// After SIGINT or SIGTERM no point is started, and those that run are killed.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "testbench/sim/simulation.h"

namespace solidtlm::testbench {

struct PointJob {
    std::string name;  ///< for messages
    /// Called in the child, so its changes stay there; an exception becomes a fault.
    std::function<SimulationOutcome()> run;
    /// If not null, the child builds this drive. Jobs with the same drive run one after another on copies of
    /// it, each in a child of its own.
    std::shared_ptr<DriveToRun> drive = nullptr;
};

// NOLINTNEXTLINE(bugprone-exception-escape): nlohmann::json checks its invariant in its move constructor
struct PointOutcome {
    SimulationOutcome outcome;  ///< the result is null if the child sent none; then there is a fault
    bool interrupted = false;   ///< a signal interrupted it; the fault says so
    std::string messages;       ///< the child's output on stderr
    double wall_time_s = 0.0;   ///< from fork to end
    /// Largest resident set of the child (wait4), including memory inherited from the parent.
    std::uint64_t peak_memory_bytes = 0;
};

/// As it goes through a pipe, or into a file.
[[nodiscard]] Json packed(const SimulationOutcome& outcome);
/// Takes it out of the document. Throws Json::exception if that is none.
[[nodiscard]] SimulationOutcome unpacked(Json& document);

struct PointPool {
    std::uint32_t jobs = 1;  ///< children at a time, at least 1
    bool quiet = false;      ///< no progress
    /// If not null, this is a dry run, which run_points() ends with this drive. See dry_run.h.
    const platform::Configuration* dry_run = nullptr;
    bool pass_on_messages = true;  ///< print the children's messages to stderr; outcomes have them either way
};

/// Runs every job in a child of its own. When all have ended, prints the children's messages to stderr in the
/// order of the jobs, each line after the job's name, unless the pool disables that. A dry run throws
/// DryRunEnd instead. REQUIRES: no module was elaborated in this process.
[[nodiscard]] std::vector<PointOutcome> run_points(std::span<const PointJob> points, const PointPool& pool);

}  // namespace solidtlm::testbench
