// SPDX-License-Identifier: Apache-2.0
//
// Looks at a drive again and again while it lives, and keeps what it saw.
#pragma once

#include <cstdint>
#include <functional>
#include <utility>

#include "testbench/results/latency_histogram.h"
#include "testbench/simulation/simulation.h"
#include "testbench/studies/endurance/life_source.h"

namespace solidtlm::testbench::endurance {

/// What has to be known of a drive to make numbers of its counters.
struct DriveFacts {
    std::uint64_t exported_bytes = 0;
    std::uint64_t page_bytes = 0;
    std::uint64_t blocks = 0;         ///< of all planes
    std::uint64_t codeword_bits = 0;  ///< data and parity
    Ps day{1};                        ///< simulated time that stands for a day
};
[[nodiscard]] DriveFacts facts_of(const platform::Configuration& configuration, Ps day);

/// Counters of a drive since it was new.
struct LifeCounts {
    std::uint64_t host_bytes = 0;    ///< written by write commands that succeeded
    std::uint64_t programs = 0;      ///< pages
    std::uint64_t erases = 0;        ///< blocks
    std::uint64_t page_reads = 0;    ///< of the array, whoever asked
    std::uint64_t retried = 0;       ///< reads that ECC could not correct the first time
    std::uint64_t codewords = 0;     ///< decoded, each retry again
    std::uint64_t raw_errors = 0;    ///< bits of these
    std::uint64_t retired = 0;       ///< superblocks
    std::uint64_t moved_weak = 0;    ///< superblocks, because they were hard to read or a program had failed
    std::uint64_t patrolled = 0;     ///< superpages
    std::uint64_t failed_reads = 0;  ///< read commands
};
/// Without host_bytes and failed_reads, which the host counts.
[[nodiscard]] LifeCounts counts_of(const DeviceTelemetry& telemetry);

/// A stretch of a life.
struct LifeWindow {
    LifeCounts before;
    LifeCounts after;
    Ps end{0};
    LatencyHistogram reads;  ///< of commands that succeeded
    LatencyHistogram writes;
};
/// Numbers by name, null where there is none (docs/endurance.md). What grows is that of the whole life up to
/// the end of the window; write_amplification, rber, retried_per_1000, failed_reads and latencies are of the
/// window.
[[nodiscard]] Json sample_of(const LifeWindow& window, const DriveFacts& facts);
/// The same without latencies, of the life as a whole.
[[nodiscard]] Json life_of(const LifeCounts& counts, Ps end, const DriveFacts& facts);

/// Takes a sample whenever `window_bytes` more were written, and when the life is over.
class LifeRecorder : public RunWatcher {
  public:
    /// `source` must outlive it.
    LifeRecorder(const LifeSource& source, const DriveFacts& facts, std::uint64_t window_bytes)
        : source_(source), facts_(facts), window_bytes_(window_bytes) {}

    void begin(std::function<DeviceTelemetry()> collect) override { collect_ = std::move(collect); }
    void issued(Command& /*command*/) override {}
    void completed(Command& command) override;
    void finished() override {}

    /// {"samples": [...], "whole": {...}, "read_only": bool, "lost_in_read_back": commands}
    [[nodiscard]] Json to_json() const;

  private:
    void close_window(Ps at);

    const LifeSource& source_;
    DriveFacts facts_;
    std::uint64_t window_bytes_;
    std::function<DeviceTelemetry()> collect_;
    LifeWindow window_;
    std::uint64_t host_bytes_ = 0;
    std::uint64_t failed_reads_ = 0;
    std::uint64_t lost_in_read_back_ = 0;
    bool over_ = false;
    Json samples_ = Json::array();
};

}  // namespace solidtlm::testbench::endurance
