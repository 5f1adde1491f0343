// SPDX-License-Identifier: Apache-2.0
//
// The part of a run that is measured when it begins with a warm-up: from the issue of the first command after
// the warm-up to the first completion after the source's end, or to the end of the run where that comes first
// (a queue of one). In between a closed loop keeps its queue full.
#pragma once

#include <cstdint>
#include <functional>
#include <utility>

#include "hw/tlm/time.h"
#include "testbench/results/counted_source.h"
#include "testbench/results/device_telemetry.h"
#include "testbench/results/host_metrics.h"

namespace solidtlm::testbench {

/// Stands after `metrics` in the chain of observers. All references must outlive it.
class SteadyWindow : public CommandObserver {
  public:
    /// `warm_up_commands` 0: no window, everything counts. `collect` gives the device's counters of the run
    /// up to now.
    SteadyWindow(std::uint64_t warm_up_commands, std::function<DeviceTelemetry()> collect,
                 HostMetrics& metrics, const CountedSource& source)
        : warm_up_commands_(warm_up_commands),
          collect_(std::move(collect)),
          metrics_(metrics),
          source_(source) {}

    void issued(Command& command) override;
    void completed(Command& command) override;
    void finished() override { close(); }

    /// False when the commands ended before the warm-up did: nothing was measured.
    [[nodiscard]] bool opened() const { return warm_up_commands_ == 0 || state_ != State::before; }
    /// From when to when it lasted. REQUIRES: a warm-up, and it was opened.
    [[nodiscard]] Ps begin() const { return begin_.at; }
    [[nodiscard]] Ps end() const { return state_ == State::closed ? end_.at : hw::now(); }
    /// Of the window; of the whole run when there was none.
    [[nodiscard]] DeviceTelemetry telemetry() const;

  private:
    struct Snapshot {
        Ps at{0};
        DeviceTelemetry telemetry;
    };
    enum class State : std::uint8_t { before, open, closed };

    void close();

    std::uint64_t warm_up_commands_;
    std::function<DeviceTelemetry()> collect_;
    HostMetrics& metrics_;
    const CountedSource& source_;
    State state_ = State::before;
    Snapshot begin_;
    Snapshot end_;
};

}  // namespace solidtlm::testbench
