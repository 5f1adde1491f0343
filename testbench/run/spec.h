// SPDX-License-Identifier: Apache-2.0
//
// What a run is: the drive, its load, the host, its age, its power cuts, what it begins and ends with, and
// what is written. Everything that the result depends on is here, in the form in which a user can write it:
// as options of a command line, or as a run file (docs/command-line.md). testbench/cli reads and writes both.
#pragma once

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "platform/configuration.h"
#include "platform/start.h"
#include "testbench/precondition/preconditioning.h"
#include "testbench/record/settings.h"
#include "testbench/trace/selection.h"

namespace solidtlm::testbench {

using hal::Ps;
using platform::Errors;

/// What RunSpec::out holds after a run.
constexpr const char* kResultFile = "result.json";
constexpr const char* kReportFile = "report.html";

/// When the drive loses power. What falls into a time without power, or after the end of the run, does not
/// happen. `every` counts from when the drive takes commands, so that a short one does not keep it booting
/// for ever; one that leaves the host no time to send a command ends the run.
struct PowerCuts {
    std::vector<Ps> at;                     ///< since the start of the simulation, ascending
    Ps every{0};                            ///< and this long after each time it is ready; 0: only `at`
    Ps off = std::chrono::milliseconds(1);  ///< from a cut to the next power-on; more than 0

    [[nodiscard]] bool any() const { return !at.empty() || every > Ps{0}; }
};

/// How a drive ends that is to be saved.
enum class Shutdown : std::uint8_t {
    sleep,  ///< STANDBY IMMEDIATE; its firmware is saved, too
    clean,  ///< STANDBY IMMEDIATE, then its power is cut
    cut,    ///< its power is cut
};

struct RunSpec {
    platform::Configuration configuration;        ///< effective, valid
    std::vector<std::string> traces;              ///< files, in the order given
    std::string format;                           ///< of the traces; empty: by content
    TraceSelection selection;                     ///< of the traces
    std::string fit = "error";                    ///< of trace addresses to the device
    std::string regroup_trims;                    ///< per_extent, batched or queued; empty: as they are
    std::string workload;                         ///< description of a generated workload; empty: none
    std::string pacing;                           ///< open, closed or recorded; empty: the load's usual one
    std::optional<std::uint32_t> queue_depth;     ///< of the host; none: as many tags as the drive has
    double speed = 1.0;                           ///< divides the arrival times
    std::uint64_t limit = 0;                      ///< requests at most; 0: all
    std::optional<Ps> until;                      ///< requests arrive before this simulated time; none: all
    std::optional<Preconditioning> precondition;  ///< the device is aged first; none: it is new
    /// Commands before this one, in order of issue, bring the device into a steady state. Then the result
    /// covers the time from its issue to the first completion after the source's end: as long as the queue is
    /// as full as pacing lets it be. 0: everything; kUntilSteady: as many as it takes (steady_window.h).
    std::uint64_t warm_up = 0;
    PowerCuts power_cuts;
    std::filesystem::path load_state;     ///< saved drive to begin with; empty: a new one, or an aged one
    std::optional<platform::Start> boot;  ///< of the loaded drive; none: see load_drive()
    std::filesystem::path save_state;     ///< where the drive is saved at the end; empty: nowhere
    Shutdown shutdown = Shutdown::sleep;  ///< before that
    RecorderSettings record;
    std::filesystem::path out;  ///< folder for results, existing and writable; empty: none
    bool no_report = false;     ///< kResultFile alone
};

}  // namespace solidtlm::testbench
