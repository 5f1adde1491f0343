// SPDX-License-Identifier: Apache-2.0
#include "testbench/results/latency_histogram.h"

#include <algorithm>
#include <bit>

namespace solidtlm::testbench {
namespace {

constexpr unsigned kBits = LatencyHistogram::kSubBucketBits;
constexpr std::uint64_t kSubBuckets = std::uint64_t{1} << kBits;

// Below kSubBuckets a bucket is one picosecond wide; above, the bucket's exponent doubles its width every
// kSubBuckets buckets.
constexpr std::size_t bucket_of(std::uint64_t value) {
    if (value < kSubBuckets) {
        return static_cast<std::size_t>(value);
    }
    const auto exponent = static_cast<unsigned>(std::bit_width(value)) - 1 - kBits;
    const std::uint64_t mantissa = (value >> exponent) - kSubBuckets;
    return static_cast<std::size_t>((std::uint64_t{exponent} + 1) * kSubBuckets + mantissa);
}

constexpr std::uint64_t middle_of(std::size_t bucket) {
    if (bucket < kSubBuckets) {
        return bucket;
    }
    const std::size_t exponent = bucket / kSubBuckets - 1;
    const std::uint64_t lowest = (kSubBuckets + bucket % kSubBuckets) << exponent;
    return lowest + ((std::uint64_t{1} << exponent) >> 1);
}

constexpr std::size_t kBuckets = bucket_of(static_cast<std::uint64_t>(Ps::max().count())) + 1;

}  // namespace

void LatencyHistogram::add(Ps duration) {
    if (buckets_.empty()) {
        buckets_.resize(kBuckets);
    }
    const std::int64_t ps = duration.count();
    ++buckets_[bucket_of(static_cast<std::uint64_t>(std::max<std::int64_t>(ps, 0)))];
    min_ = count_ == 0 ? duration : std::min(min_, duration);
    max_ = count_ == 0 ? duration : std::max(max_, duration);
    ++count_;
    sum_ += ps;
}

void LatencyHistogram::merge(const LatencyHistogram& other) {
    if (other.count_ == 0) {
        return;
    }
    if (count_ == 0) {
        *this = other;
        return;
    }
    std::transform(buckets_.begin(), buckets_.end(), other.buckets_.begin(), buckets_.begin(),
                   [](std::uint64_t a, std::uint64_t b) { return a + b; });
    min_ = std::min(min_, other.min_);
    max_ = std::max(max_, other.max_);
    count_ += other.count_;
    sum_ += other.sum_;
}

double LatencyHistogram::mean_ps() const {
    return count_ == 0 ? 0.0 : static_cast<double>(sum_) / static_cast<double>(count_);
}

Ps LatencyHistogram::percentile(std::uint32_t per_mille) const {
    if (count_ == 0) {
        return Ps{0};
    }
    // rank = ceil(count * per_mille / 1000) without overflow
    const std::uint64_t rank = count_ / 1000 * per_mille + ((count_ % 1000) * per_mille + 999) / 1000;
    std::uint64_t seen = 0;
    for (std::size_t bucket = 0; bucket < buckets_.size(); ++bucket) {
        seen += buckets_[bucket];
        if (seen >= rank) {
            return std::clamp(Ps{static_cast<std::int64_t>(middle_of(bucket))}, min_, max_);
        }
    }
    return max_;
}

}  // namespace solidtlm::testbench
