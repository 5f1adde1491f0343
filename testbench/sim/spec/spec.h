// SPDX-License-Identifier: Apache-2.0
//
// The specification of a run: the drive, its load, the host, its age, its power cuts, the state it starts
// from and ends in, and what is written. Everything that the result depends on is here, in a form that a user
// can write: as options of a command line, or as a run file (docs/command-line.md). testbench/programs/cli
// reads and writes both.
#pragma once

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "platform/configuration.h"
#include "platform/start.h"
#include "testbench/show/precision.h"
#include "testbench/sim/age/preconditioning.h"
#include "testbench/sim/load/trace/selection.h"
#include "testbench/watch/settings.h"

namespace solidtlm::testbench {

using hal::Ps;
using platform::Errors;

/// The result file in RunSpec::out after a run.
constexpr const char* kResultFile = "result.json";
constexpr const char* kReportFile = "report.html";

/// When the drive loses power. Cuts that fall into a time without power, or after the end of the run, do not
/// happen; the result warns of them. `every` counts from the time at which the drive accepts commands, so a
/// short interval does not keep the drive booting for ever; an interval that leaves the host no time to send
/// a command ends the run.
struct PowerCuts {
    std::vector<Ps> at;  ///< since the start of the simulation, ascending
    Ps every{0};         ///< also this long after each time the drive is ready; 0: only `at`
    Ps off = std::chrono::milliseconds(1);  ///< from a cut to the next power-on; above 0

    [[nodiscard]] bool any() const { return !at.empty() || every > Ps{0}; }
};

/// How a drive is shut down before it is saved.
enum class Shutdown : std::uint8_t {
    sleep,  ///< STANDBY IMMEDIATE; the firmware's state is saved too
    clean,  ///< STANDBY IMMEDIATE, then its power is cut
    cut,    ///< its power is cut
};

struct RunSpec {
    platform::Configuration configuration;  ///< with all keys, validated
    std::vector<std::string> traces;        ///< trace files, in the given order
    std::string format;                     ///< format of the traces; empty: detected from their contents
    TraceSelection selection;               ///< which part of the traces is used; its offset is in `offsets`
    /// added to the addresses of the traces, in sectors: nothing, one number for all, or one for each
    std::vector<std::int64_t> offsets;
    bool merge = false;         ///< traces run at once, merged by time, not one after another
    std::string fit = "error";  ///< how trace addresses are fitted to the device
    std::string regroup_trims;  ///< per_extent, batched or queued; empty: unchanged
    std::string workload;       ///< description of a generated workload; empty: none
    std::string pacing;         ///< open, closed or recorded_depth; empty: the load's usual one
    /// commands outstanding at the host; none: as many as the drive has tags
    std::optional<std::uint32_t> queue_depth;
    double speed = 1.0;            ///< arrival times are divided by it
    std::uint64_t limit = 0;       ///< maximum number of requests; 0: all
    std::optional<Ps> until;       ///< only requests that arrive before this simulated time; none: all
    std::vector<Precision> known;  ///< requests end when all of these are known; empty: not for that reason
    std::optional<Preconditioning> precondition;  ///< how the device is aged first; none: it is new
    /// The first commands, in order of issue, bring the device into a steady state. The result then covers
    /// the time from the issue of the next command to the first completion after the source's end, during
    /// which the queue is as full as the pacing allows. 0: the result covers everything, or with `known`
    /// what comes after kOneRound; kUntilSteady: as many as are needed (steady_window.h).
    std::uint64_t warm_up = 0;
    PowerCuts power_cuts;
    std::filesystem::path load_state;     ///< saved drive to start from; empty: a new or aged drive
    std::optional<platform::Start> boot;  ///< how the loaded drive starts; none: see load_drive()
    std::filesystem::path save_state;     ///< where the drive is saved at the end; empty: nowhere
    Shutdown shutdown = Shutdown::sleep;  ///< how the drive is shut down before it is saved
    RecorderSettings record;
    std::filesystem::path out;  ///< folder for results, existing and writable; empty: none
    bool no_report = false;     ///< write only kResultFile

    /// The offset of a trace, by its place in `traces`; of one that is not among them, the one for all.
    [[nodiscard]] std::int64_t offset_of(std::size_t trace) const {
        return trace < offsets.size() ? offsets[trace] : offsets.size() == 1 ? offsets[0] : 0;
    }
    /// This run with one of its traces alone.
    [[nodiscard]] RunSpec with_trace(const std::string& path) const {
        RunSpec one = *this;
        const auto trace = static_cast<std::size_t>(std::ranges::find(traces, path) - traces.begin());
        one.traces = {path};
        one.offsets = {offset_of(trace)};
        return one;
    }
};

}  // namespace solidtlm::testbench
