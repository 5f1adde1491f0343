// SPDX-License-Identifier: Apache-2.0
//
// The course of a run over time: samples of cumulative counters. The result holds the differences between
// samples.
//
// The series costs no event: it looks at the clock when a command is issued or completes, and takes a sample
// if one is due. An interval is therefore at least as long as planned, and longer if nothing happened; rates
// refer to its real length. A sample lies behind its instant: everything that completes at the end of an
// interval belongs to it. Memory stays bounded: at kMaxIntervals the planned length grows, and short
// intervals are merged. The same inputs give the same samples.
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <optional>
#include <vector>

#include "fw/block_map/block_map_state.h"
#include "fw/dedup/counters.h"
#include "fw/hal/ledger.h"
#include "testbench/show/host_metrics.h"
#include "testbench/show/result.h"
#include "testbench/sim/host/command.h"

namespace solidtlm::testbench {

/// The device at an instant. Times are cumulative; levels are those at the instant.
struct DeviceSample {
    Ps link{0};                              ///< a frame is on the wire
    Ps core{0};                              ///< firmware core busy
    Ps dram{0};                              ///< DRAM data bus or bank busy
    std::vector<hal::HolderTimes> channels;  ///< each channel bus
    std::vector<hal::HolderTimes> dies;      ///< each die, at channel * dies per channel + die
    std::uint32_t unwritten_units = 0;       ///< units in the write buffer that are not on flash
    std::uint64_t free_superblocks = 0;
    std::optional<fw::BlockMapState> block_map;  ///< none: page mapping
    std::optional<fw::DedupState> dedup;         ///< none: no deduplication
};

class TimeSeries : public CommandObserver {
  public:
    static constexpr std::size_t kMaxIntervals = 256;
    static constexpr Ps kShortestInterval{10'000'000};
    /// Most values per holder over dies or channels in the result; with more, several intervals are merged
    /// into one.
    static constexpr std::size_t kMaxMapValues = 16'384;

    /// Fills in a sample whose vectors may have any size.
    using Probe = std::function<void(DeviceSample&)>;

    explicit TimeSeries(Probe probe);

    void issued(Command& command) override;
    void completed(Command& command) override;
    /// Takes the last sample.
    void finished() override;

    /// When the first command was issued; the times of the result count from there. REQUIRES: a command was
    /// issued.
    [[nodiscard]] Ps begin() const { return samples_.front().at; }
    /// The section `series` of the result; docs/result.md explains it.
    [[nodiscard]] Json to_json() const;

  private:
    /// Sums over commands that completed without error, since the start of the run.
    struct Totals {
        std::array<std::uint64_t, kOperations> commands{};
        std::array<std::uint64_t, kOperations> bytes{};
        std::array<WidePs, kOperations> latency{};
    };
    struct Sample {
        Ps at{0};
        Totals host;
        WidePs outstanding = 0;  // integral over time, commands * ps
        Ps worst_latency{0};     // since the previous sample
        DeviceSample device;
    };

    void begin_event(Ps now);
    void end_event(int change);
    void take(Ps now);
    void complete_sample();
    void thin();
    [[nodiscard]] std::size_t intervals() const { return used_ == 0 ? 0 : used_ - 1; }
    [[nodiscard]] Json host_series(std::size_t operation) const;
    [[nodiscard]] Json block_map_series() const;
    [[nodiscard]] Json dedup_series() const;
    [[nodiscard]] Json map_series(std::vector<hal::HolderTimes> DeviceSample::*rows, std::size_t step) const;

    Totals totals_;
    Probe probe_;
    std::vector<Sample> samples_;  // the first used_ are valid; the others keep their memory for reuse
    std::size_t used_ = 0;
    Ps interval_ = kShortestInterval;
    Ps due_{0};
    bool open_ = false;  // further commands of its instant belong to the last sample
    Ps counted_at_{0};
    std::uint32_t outstanding_ = 0;
    WidePs outstanding_integral_ = 0;
    Ps worst_latency_{0};
};

}  // namespace solidtlm::testbench
