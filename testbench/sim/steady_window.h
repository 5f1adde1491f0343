// SPDX-License-Identifier: Apache-2.0
//
// The measured part of a run that begins with a warm-up: from the instant at which the first command after
// the warm-up is issued to the instant of the first completion after the source's end, or to the end of the
// run if that comes first (a queue of one). In between, a closed loop keeps its queue full. Instants are not
// divided: commands that complete when the window begins do not count, and all that complete when it ends do.
//
// A warm-up of kUntilSteady commands is judged after each round (show/steady_state.h) by the last five
// rounds. A round is a fifth of the drive: in five rounds the flash programs as much as it holds, so its
// earlier contents have been moved or overwritten; for reads, the amount that the host has moved is compared
// with the exported capacity. The warm-up ends without a steady state after kMostWarmUpRounds, as in the PTS,
// or when it has taken half of the requests, so that something is left to measure; the result says so.
//
// A warm-up of kOneRound commands is what a run has whose end depends on what it knows: one collection round,
// or some commands of a load that writes nothing; at most half of the requests, too.
//
// What the measured time is worth says show/run_state.h.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "hw/tlm/time.h"
#include "testbench/show/counted_source.h"
#include "testbench/show/device_telemetry.h"
#include "testbench/show/host_metrics.h"
#include "testbench/show/round_log.h"
#include "testbench/show/run_state.h"
#include "testbench/sim/host/warm_up.h"

namespace solidtlm::testbench {

constexpr std::size_t kMostWarmUpRounds = 25;

/// The sizes that determine the rounds.
struct DriveSize {
    std::uint64_t flash_bytes = 0;
    std::uint64_t exported_bytes = 0;

    [[nodiscard]] RoundLength warm_up_round() const {
        return {flash_bytes / kSteadyRounds, exported_bytes / kSteadyRounds};
    }
};

/// The device's counters so far.
struct DeviceProbes {
    std::function<DeviceTelemetry()> collect;
    RoundLog::Probe flash;
};

/// Comes after `metrics` in the chain of observers. All references must outlive this object.
class SteadyWindow : public CommandObserver {
  public:
    /// `warm_up_commands` 0: there is no window, and everything counts.
    SteadyWindow(std::uint64_t warm_up_commands, const DriveSize& size, const StateFacts& facts,
                 DeviceProbes probes, HostMetrics& metrics, CountedSource& source)
        : warm_up_commands_(warm_up_commands),
          collect_(std::move(probes.collect)),
          metrics_(metrics),
          source_(source),
          round_bytes_(facts.round_bytes),
          warm_up_(size.warm_up_round(), probes.flash),
          measured_(facts, metrics, probes.flash) {}

    void issued(Command& command) override;
    void completed(Command& command) override;
    void finished() override { close(); }

    /// False if the commands ended before the warm-up did: nothing was measured.
    [[nodiscard]] bool opened() const { return warm_up_commands_ == 0 || state_ != State::before; }
    /// Begin and end of the window. REQUIRES: there is a warm-up, and opened().
    [[nodiscard]] Ps begin() const { return begin_.at; }
    [[nodiscard]] Ps end() const { return state_ == State::closed ? end_.at : hw::now(); }
    /// Telemetry of the window, or of the whole run if there was none.
    [[nodiscard]] DeviceTelemetry telemetry() const;
    /// The section `steady_state` of the result; docs/result.md explains it.
    [[nodiscard]] Json steady_state() const;
    /// The section `state` of the result.
    [[nodiscard]] Json state() const { return measured_.to_json(); }
    /// Warnings for the reader about the window.
    [[nodiscard]] std::vector<std::string> warnings() const;

  private:
    struct Snapshot {
        Ps at{0};
        DeviceTelemetry telemetry;
    };
    enum class State : std::uint8_t { before, open, closed };

    /// True if the warm-up ends before the command with this number.
    [[nodiscard]] bool warm_up_ends(std::uint64_t sequence) const;
    [[nodiscard]] SteadyState warm_up_state() const;
    [[nodiscard]] std::string warm_up_text() const;
    [[nodiscard]] bool measures(const Command& command) const;
    void close();

    std::uint64_t warm_up_commands_;
    std::function<DeviceTelemetry()> collect_;
    HostMetrics& metrics_;
    CountedSource& source_;
    std::uint64_t round_bytes_;
    RoundLog warm_up_;
    RunState measured_;
    bool steady_ = false;             // whether the warm-up has reached a steady state
    std::uint64_t warmed_up_by_ = 0;  // number of warm-up commands so far
    State state_ = State::before;
    Snapshot begin_;
    Snapshot end_;
};

}  // namespace solidtlm::testbench
