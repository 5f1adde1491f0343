// SPDX-License-Identifier: Apache-2.0
//
// The stages of commands, summed by latency: what made the slow ones slow. Buckets are those of
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

    void add(const hal::Ledger& ledger);
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
        at(LatencyHistogram::coarse_bucket(latency)).add(ledger);
    }
    void merge(const StageSumsByLatency& other);
    /// Commands whose latency lies in the bucket of `latency` or above; Ps{0}: all.
    [[nodiscard]] StageSums from(Ps latency) const;

  private:
    StageSums& at(std::size_t bucket);

    std::vector<std::unique_ptr<StageSums>> buckets_;  // taken on first use
};

}  // namespace solidtlm::testbench
