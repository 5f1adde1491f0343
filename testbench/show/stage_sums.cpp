// SPDX-License-Identifier: Apache-2.0
#include "testbench/show/stage_sums.h"

namespace solidtlm::testbench {

void StageSums::merge(const StageSums& other) {
    count += other.count;
    for (std::size_t i = 0; i < hal::kStages; ++i) {
        stages[i] += other.stages[i];
    }
}

double StageSums::mean_ps(hal::Stage stage) const {
    const WidePs sum = stages[static_cast<std::size_t>(stage)];
    return count == 0 ? 0.0 : static_cast<double>(sum) / static_cast<double>(count);
}

void StageSumsByLatency::Bucket::fold() {
    for (std::size_t i = 0; i < hal::kStages; ++i) {
        sums_.stages[i] += latest_[i].count();
        latest_[i] = Ps{0};
    }
    latest_latency_ = Ps{0};
}

StageSumsByLatency::Bucket& StageSumsByLatency::at(std::size_t bucket) {
    if (bucket >= buckets_.size()) {
        buckets_.resize(bucket + 1);
    }
    if (!buckets_[bucket]) {
        buckets_[bucket] = std::make_unique<Bucket>();
    }
    return *buckets_[bucket];
}

void StageSumsByLatency::merge(const StageSumsByLatency& other) {
    for (std::size_t i = 0; i < other.buckets_.size(); ++i) {
        if (other.buckets_[i]) {
            at(i).merge(other.buckets_[i]->sums());
        }
    }
}

StageSums StageSumsByLatency::from(Ps latency) const {
    StageSums sum;
    for (std::size_t i = LatencyHistogram::coarse_bucket(latency); i < buckets_.size(); ++i) {
        if (buckets_[i]) {
            sum.merge(buckets_[i]->sums());
        }
    }
    return sum;
}

}  // namespace solidtlm::testbench
