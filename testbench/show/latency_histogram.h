// SPDX-License-Identifier: Apache-2.0
//
// Distribution of latencies in bounded memory: a log-linear histogram (each power of two cut into 256 equal
// buckets, the layout of Tene's HdrHistogram). Count, sum, minimum and maximum are exact; a percentile is the
// middle of its bucket, so its relative error is at most kRelativeError.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "fw/hal/types.h"

namespace solidtlm::testbench {

using hal::Ps;

/// Holds the sum of any number of picosecond durations (a 64-bit sum overflows in open-loop runs).
__extension__ using WidePs = __int128;

class LatencyHistogram {
  public:
    static constexpr unsigned kSubBucketBits = 8;
    static constexpr double kRelativeError = 1.0 / (2U << kSubBucketBits);  ///< 0.2 %

    /// Negative durations (a bug of the model) count as zero in the percentiles and with their value in the
    /// sum.
    void add(Ps duration);
    /// Adds all durations of `other`.
    void merge(const LatencyHistogram& other);
    void clear() { *this = LatencyHistogram{}; }
    /// How many durations a bucket holds; 8 bytes, because a run keeps many.
    class Count {
      public:
        Count(std::size_t bucket, std::uint64_t count) : both_(std::uint64_t{bucket} << kCountBits | count) {}
        [[nodiscard]] std::size_t bucket() const { return both_ >> kCountBits; }
        [[nodiscard]] std::uint64_t count() const { return both_ & ((std::uint64_t{1} << kCountBits) - 1); }

      private:
        static constexpr unsigned kCountBits = 48;
        std::uint64_t both_;
    };
    /// Of all buckets that hold some, in ascending order.
    [[nodiscard]] std::vector<Count> counts() const;
    /// Two counts() of one histogram.
    struct Growth {
        std::span<const Count> before;
        std::span<const Count> after;
    };
    /// As percentile(), of all durations that came to these histograms meanwhile, but not limited to their
    /// minimum and maximum.
    [[nodiscard]] static Ps percentile(std::span<const Growth> growths, std::uint32_t per_mille);

    [[nodiscard]] std::uint64_t count() const { return count_; }
    [[nodiscard]] WidePs sum() const { return sum_; }
    [[nodiscard]] Ps min() const { return min_; }  ///< 0 when empty
    [[nodiscard]] Ps max() const { return max_; }  ///< 0 when empty
    /// Exact up to the rounding of one division; 0 when empty.
    [[nodiscard]] double mean_ps() const;
    /// Nearest rank: the smallest recorded duration d such that at least `per_mille`/1000 of all durations
    /// are at most d. 0 when empty. REQUIRES: 1 <= per_mille <= 1000.
    [[nodiscard]] Ps percentile(std::uint32_t per_mille) const;

    /// Durations from `low` up to, but not including, `high`.
    struct Bucket {
        Ps low{0};
        Ps high{0};
        std::uint64_t count = 0;
        bool operator==(const Bucket&) const = default;
    };
    static constexpr unsigned kCoarseBuckets = 16;  ///< per power of two
    /// Index of the bucket of coarse() that holds `duration`, and the smallest duration in that bucket.
    [[nodiscard]] static std::size_t coarse_bucket(Ps duration);
    [[nodiscard]] static Ps coarse_edge(std::size_t bucket);
    /// For plots: kCoarseBuckets per power of two, from the bucket that holds `least` to the one that holds
    /// `most`. REQUIRES: 0 <= least <= most.
    [[nodiscard]] std::vector<Bucket> coarse(Ps least, Ps most) const;

    /// Memory of the buckets; independent of the number of durations.
    [[nodiscard]] std::size_t bucket_bytes() const { return buckets_.capacity() * sizeof(std::uint64_t); }

  private:
    std::vector<std::uint64_t> buckets_;  // allocated as a whole on first use
    std::uint64_t count_ = 0;
    WidePs sum_ = 0;
    Ps min_{0};
    Ps max_{0};
};

}  // namespace solidtlm::testbench
