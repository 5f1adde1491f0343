// SPDX-License-Identifier: Apache-2.0
//
// The stages of commands, summed by latency, to tell what made the slow ones slow. Buckets are those of
// LatencyHistogram::coarse(), so memory does not grow with the number of commands.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <vector>

#include "fw/hal/ledger.h"
#include "testbench/results/latency_histogram.h"

namespace solidtlm::testbench {

/// Sums over some commands.
struct StageSums {
    std::uint64_t count = 0;
    std::array<WidePs, hal::kStages> stages{};

    void merge(const StageSums& other);
    /// Mean time in `stage` of one command, picoseconds; 0 when there was none.
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
    /// Commands whose latency lies in the bucket of `latency` or above; Ps{0}: all.
    [[nodiscard]] StageSums from(Ps latency) const;

  private:
    /// Sums of 128 bits cost four times as much as those of the latest commands, of 64 bits.
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
        std::array<Ps, hal::kStages> latest_{};  // not in sums_ yet
        Ps latest_latency_{0};                   // of those: no stage has more
    };

    Bucket& at(std::size_t bucket);

    std::vector<std::unique_ptr<Bucket>> buckets_;  // taken on first use
};

}  // namespace solidtlm::testbench
