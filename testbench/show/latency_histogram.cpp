// SPDX-License-Identifier: Apache-2.0
#include "testbench/show/latency_histogram.h"

#include <algorithm>
#include <bit>

#include "fw/hal/check.h"

namespace solidtlm::testbench {
namespace {

constexpr unsigned kBits = LatencyHistogram::kSubBucketBits;
constexpr std::uint64_t kSubBuckets = std::uint64_t{1} << kBits;

// Below kSubBuckets, a bucket is one picosecond wide; above, the width doubles every kSubBuckets buckets.
constexpr std::size_t bucket_of(std::uint64_t value) {
    if (value < kSubBuckets) {
        return static_cast<std::size_t>(value);
    }
    const auto exponent = static_cast<unsigned>(std::bit_width(value)) - 1 - kBits;
    const std::uint64_t mantissa = (value >> exponent) - kSubBuckets;
    return static_cast<std::size_t>((std::uint64_t{exponent} + 1) * kSubBuckets + mantissa);
}

/// Negative durations (a bug of the model) count as zero.
std::size_t bucket_at(Ps duration) {
    return bucket_of(static_cast<std::uint64_t>(std::max<std::int64_t>(duration.count(), 0)));
}

constexpr unsigned exponent_of(std::size_t bucket) {
    return bucket < kSubBuckets ? 0 : static_cast<unsigned>(bucket / kSubBuckets - 1);
}

constexpr std::uint64_t lowest_of(std::size_t bucket) {
    return bucket < kSubBuckets ? bucket : (kSubBuckets + bucket % kSubBuckets) << exponent_of(bucket);
}

constexpr std::uint64_t middle_of(std::size_t bucket) {
    return lowest_of(bucket) + ((std::uint64_t{1} << exponent_of(bucket)) >> 1);
}

// fine buckets per coarse bucket
constexpr std::size_t kMerged = kSubBuckets / LatencyHistogram::kCoarseBuckets;

/// ceil(count * per_mille / 1000), without overflow.
constexpr std::uint64_t rank_of(std::uint64_t count, std::uint32_t per_mille) {
    return count / 1000 * per_mille + ((count % 1000) * per_mille + 999) / 1000;
}

/// REQUIRES: the buckets hold at least `rank`.
std::size_t bucket_of_rank(std::span<const std::uint64_t> buckets, std::uint64_t rank) {
    std::size_t bucket = 0;
    for (std::uint64_t seen = buckets[0]; seen < rank; seen += buckets[bucket]) {
        ++bucket;
    }
    return bucket;
}

constexpr std::size_t kBuckets = bucket_of(static_cast<std::uint64_t>(Ps::max().count())) + 1;

}  // namespace

void LatencyHistogram::add(Ps duration) {
    if (buckets_.empty()) {
        buckets_.resize(kBuckets);
    }
    ++buckets_[bucket_at(duration)];
    min_ = count_ == 0 ? duration : std::min(min_, duration);
    max_ = count_ == 0 ? duration : std::max(max_, duration);
    ++count_;
    sum_ += duration.count();
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

std::vector<LatencyHistogram::Count> LatencyHistogram::counts() const {
    std::vector<Count> result;
    if (count_ == 0) {
        return result;
    }
    for (std::size_t i = bucket_at(min_); i <= bucket_at(max_); ++i) {
        if (buckets_[i] > 0) {
            result.emplace_back(i, buckets_[i]);
        }
    }
    return result;
}

Ps LatencyHistogram::percentile(std::span<const Growth> growths, std::uint32_t per_mille) {
    std::size_t first = kBuckets;
    std::size_t last = 0;
    for (const Growth& growth : growths) {
        if (!growth.after.empty()) {
            first = std::min<std::size_t>(first, growth.after.front().bucket());
            last = std::max<std::size_t>(last, growth.after.back().bucket());
        }
    }
    if (first > last) {
        return Ps{0};
    }
    std::vector<std::uint64_t> buckets(last - first + 1);
    std::uint64_t count = 0;
    for (const Growth& growth : growths) {
        for (const Count& each : growth.after) {
            buckets[each.bucket() - first] += each.count();
            count += each.count();
        }
        for (const Count& each : growth.before) {
            buckets[each.bucket() - first] -= each.count();
            count -= each.count();
        }
    }
    if (count == 0) {
        return Ps{0};
    }
    return Ps{
        static_cast<std::int64_t>(middle_of(first + bucket_of_rank(buckets, rank_of(count, per_mille))))};
}

std::size_t LatencyHistogram::coarse_bucket(Ps duration) {
    return bucket_at(duration) / kMerged;
}

Ps LatencyHistogram::coarse_edge(std::size_t bucket) {
    return Ps{static_cast<std::int64_t>(lowest_of(bucket * kMerged))};
}

std::vector<LatencyHistogram::Bucket> LatencyHistogram::coarse(Ps least, Ps most) const {
    SOLIDTLM_CHECK(Ps{0} <= least && least <= most, "a range of durations");
    const std::size_t last = coarse_bucket(most);
    std::vector<Bucket> result;
    for (std::size_t i = coarse_bucket(least); i <= last; ++i) {
        Bucket bucket{coarse_edge(i), coarse_edge(i + 1), 0};
        for (std::size_t fine = i * kMerged; !buckets_.empty() && fine < (i + 1) * kMerged; ++fine) {
            bucket.count += buckets_[fine];
        }
        result.push_back(bucket);
    }
    return result;
}

double LatencyHistogram::mean_ps() const {
    return count_ == 0 ? 0.0 : static_cast<double>(sum_) / static_cast<double>(count_);
}

Ps LatencyHistogram::percentile(std::uint32_t per_mille) const {
    SOLIDTLM_CHECK(per_mille >= 1 && per_mille <= 1000, "a percentile from 0.1 to 100 %");
    if (count_ == 0) {
        return Ps{0};
    }
    const std::size_t bucket = bucket_of_rank(buckets_, rank_of(count_, per_mille));
    return std::clamp(Ps{static_cast<std::int64_t>(middle_of(bucket))}, min_, max_);
}

}  // namespace solidtlm::testbench
