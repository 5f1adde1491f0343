// SPDX-License-Identifier: Apache-2.0
//
// Stage times of commands, summed by latency, to show what made slow commands slow. The buckets are those of
// LatencyHistogram::coarse(), so memory does not grow with the number of commands.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <vector>

#include "fw/hal/ledger.h"
#include "testbench/show/latency_histogram.h"

namespace solidtlm::testbench {

/// Sums over a set of commands.
struct StageSums {
    std::uint64_t count = 0;
    std::array<WidePs, hal::kStages> stages{};

    void merge(const StageSums& other);
    /// Mean time per command in `stage`, picoseconds; 0 without commands.
    [[nodiscard]] double mean_ps(hal::Stage stage) const;
};

class StageSumsByLatency {
  public:
    StageSumsByLatency() = default;
    StageSumsByLatency(const StageSumsByLatency& other) { merge(other); }
    StageSumsByLatency(StageSumsByLatency&&) = default;
    StageSumsByLatency& operator=(StageSumsByLatency other) {
        buckets_ = std::move(other.buckets_);
        return *this;
    }
    ~StageSumsByLatency() = default;

    void add(Ps latency, const hal::Ledger& ledger) {
        at(LatencyHistogram::coarse_bucket(latency)).add(latency, ledger);
    }
    void merge(const StageSumsByLatency& other);
    /// Sums over the commands in the latency bucket of `latency` and above; Ps{0}: all commands.
    [[nodiscard]] StageSums from(Ps latency) const;

  private:
    /// Adding to 128-bit sums costs four times as much as to 64-bit ones, so the latest commands are summed
    /// in 64 bits first.
    class Bucket {
      public:
        void add(Ps latency, const hal::Ledger& ledger) {
            if (latency > Ps::max() - latest_latency_) {
                fold();
            }
            latest_latency_ += latency;
            ++sums_.count;
            for (std::size_t i = 0; i < hal::kStages; ++i) {
                latest_[i] += ledger[static_cast<hal::Stage>(i)];
            }
        }
        void merge(const StageSums& other) { sums_.merge(other); }
        [[nodiscard]] const StageSums& sums() {
            fold();
            return sums_;
        }

      private:
        void fold();

        StageSums sums_;
        std::array<Ps, hal::kStages> latest_{};  // sums of the latest commands, not yet in sums_
        Ps latest_latency_{0};                   // sum of their latencies; no stage's sum is larger
    };

    Bucket& at(std::size_t bucket);

    std::vector<std::unique_ptr<Bucket>> buckets_;  // allocated on first use
};

}  // namespace solidtlm::testbench
