// SPDX-License-Identifier: Apache-2.0
#include "testbench/show/latency_histogram.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <random>

namespace solidtlm::testbench {
namespace {

/// Nearest rank in a sorted list: the definition itself, not the histogram's method.
Ps nearest_rank(const std::vector<Ps>& sorted, std::uint32_t per_mille) {
    const std::size_t rank = (sorted.size() * per_mille + 999) / 1000;
    return sorted.at(rank - 1);
}

TEST(LatencyHistogram, EmptyHasNoLatencies) {
    const LatencyHistogram empty;
    EXPECT_EQ(empty.count(), 0U);
    EXPECT_EQ(empty.percentile(500), Ps{0});
    EXPECT_EQ(empty.max(), Ps{0});
    EXPECT_EQ(empty.mean_ps(), 0.0);
}

TEST(LatencyHistogram, OneValueIsEveryPercentileExactly) {
    LatencyHistogram histogram;
    histogram.add(Ps{123'456'789});
    for (const std::uint32_t per_mille : {1U, 500U, 950U, 990U, 999U, 1000U}) {
        EXPECT_EQ(histogram.percentile(per_mille), Ps{123'456'789});
    }
}

TEST(LatencyHistogram, PercentilesOfAHundredValuesByHand) {
    LatencyHistogram histogram;
    for (int i = 100; i >= 1; --i) {
        histogram.add(Ps{i});  // below 256 ps every value has its own bucket
    }
    EXPECT_EQ(histogram.percentile(500), Ps{50});
    EXPECT_EQ(histogram.percentile(950), Ps{95});
    EXPECT_EQ(histogram.percentile(990), Ps{99});
    EXPECT_EQ(histogram.percentile(999), Ps{100}) << "ceil(99.9) is the 100th";
    EXPECT_EQ(histogram.percentile(1), Ps{1});
    EXPECT_DOUBLE_EQ(histogram.mean_ps(), 50.5);
    EXPECT_EQ(histogram.min(), Ps{1});
    EXPECT_EQ(histogram.max(), Ps{100});
}

TEST(LatencyHistogram, CoarseBucketsByHand) {
    LatencyHistogram histogram;
    for (const int ps : {1024, 1087, 1088, 2047, 2048, 2048}) {
        histogram.add(Ps{ps});
    }
    // From 1024 on 16 buckets of 64, from 2048 on of 128.
    const std::vector<LatencyHistogram::Bucket> buckets = histogram.coarse(Ps{1024}, Ps{2200});
    ASSERT_EQ(buckets.size(), 18U);
    using Bucket = LatencyHistogram::Bucket;
    EXPECT_EQ(buckets[0], (Bucket{Ps{1024}, Ps{1088}, 2}));
    EXPECT_EQ(buckets[1], (Bucket{Ps{1088}, Ps{1152}, 1}));
    EXPECT_EQ(buckets[15], (Bucket{Ps{1984}, Ps{2048}, 1}));
    EXPECT_EQ(buckets[16], (Bucket{Ps{2048}, Ps{2176}, 2}));
    EXPECT_EQ(buckets[17], (Bucket{Ps{2176}, Ps{2304}, 0}));
    EXPECT_EQ(LatencyHistogram().coarse(Ps{0}, Ps{15}), (std::vector<Bucket>{{Ps{0}, Ps{16}, 0}}));
}

TEST(LatencyHistogram, CoarseBucketsJoinAndHoldEverything) {
    std::mt19937_64 random(5);
    std::uniform_real_distribution<double> magnitude(0.0, 15.0);
    LatencyHistogram histogram;
    for (int i = 0; i < 10'000; ++i) {
        histogram.add(Ps{static_cast<std::int64_t>(std::pow(10.0, magnitude(random)))});
    }
    std::uint64_t sum = 0;
    Ps edge{-1};
    for (const LatencyHistogram::Bucket& bucket : histogram.coarse(histogram.min(), histogram.max())) {
        EXPECT_TRUE(edge == Ps{-1} ? bucket.low <= histogram.min() : bucket.low == edge);
        EXPECT_LT(bucket.low, bucket.high);
        edge = bucket.high;
        sum += bucket.count;
    }
    EXPECT_GT(edge, histogram.max());
    EXPECT_EQ(sum, 10'000U);
}

TEST(LatencyHistogram, RandomLatenciesStayWithinTheStatedError) {
    std::mt19937_64 random(11);
    std::uniform_real_distribution<double> magnitude(0.0, 15.0);  // 1 ps to 1000 s
    for (const std::size_t count : {1U, 2U, 9U, 1000U, 20'001U}) {
        LatencyHistogram histogram;
        std::vector<Ps> all;
        WidePs sum = 0;
        for (std::size_t i = 0; i < count; ++i) {
            all.emplace_back(static_cast<std::int64_t>(std::pow(10.0, magnitude(random))));
            histogram.add(all.back());
            sum += all.back().count();
        }
        std::sort(all.begin(), all.end());
        for (const std::uint32_t per_mille : {1U, 100U, 500U, 950U, 990U, 999U, 1000U}) {
            const auto expected = static_cast<double>(nearest_rank(all, per_mille).count());
            const auto got = static_cast<double>(histogram.percentile(per_mille).count());
            EXPECT_NEAR(got, expected, expected * LatencyHistogram::kRelativeError) << per_mille;
        }
        EXPECT_TRUE(histogram.sum() == sum);
        EXPECT_EQ(histogram.min(), all.front());
        EXPECT_EQ(histogram.max(), all.back());
    }
}

TEST(LatencyHistogram, MergeIsTheSameAsOneStream) {
    std::mt19937_64 random(3);
    LatencyHistogram whole;
    LatencyHistogram left;
    LatencyHistogram right;
    for (int i = 0; i < 5000; ++i) {
        const Ps latency{static_cast<std::int64_t>(random() % 1'000'000'000)};
        whole.add(latency);
        (i % 3 == 0 ? left : right).add(latency);
    }
    LatencyHistogram merged;
    merged.merge(left);
    merged.merge(LatencyHistogram{});
    merged.merge(right);
    EXPECT_EQ(merged.count(), whole.count());
    EXPECT_TRUE(merged.sum() == whole.sum());
    EXPECT_EQ(merged.min(), whole.min());
    EXPECT_EQ(merged.max(), whole.max());
    for (std::uint32_t per_mille = 1; per_mille <= 1000; ++per_mille) {
        ASSERT_EQ(merged.percentile(per_mille), whole.percentile(per_mille));
    }
}

TEST(LatencyHistogram, SumsBeyondSixtyFourBits) {
    LatencyHistogram histogram;
    for (int i = 0; i < 4; ++i) {
        histogram.add(Ps::max());
    }
    EXPECT_DOUBLE_EQ(histogram.mean_ps(), static_cast<double>(Ps::max().count()));
    EXPECT_EQ(histogram.percentile(500), Ps::max());
}

TEST(LatencyHistogram, MemoryDoesNotGrow) {
    LatencyHistogram histogram;
    histogram.add(Ps{1});
    const std::size_t before = histogram.bucket_bytes();
    std::mt19937_64 random(5);
    for (int i = 0; i < 100'000; ++i) {
        histogram.add(Ps{static_cast<std::int64_t>(random() >> 1U)});
    }
    EXPECT_EQ(histogram.bucket_bytes(), before);
    EXPECT_LT(before, 128U * 1024U);
}

// What came after the first counts, as if it were a histogram of its own.
TEST(LatencyHistogram, PercentilesOfAGrowth) {
    LatencyHistogram all;
    LatencyHistogram later;
    LatencyHistogram other;
    for (int us = 1; us <= 500; ++us) {
        all.add(us * std::chrono::microseconds(3));
    }
    const auto before = all.counts();
    for (int us = 1; us <= 1000; ++us) {
        all.add(us * std::chrono::microseconds(1));
        later.add(us * std::chrono::microseconds(1));
        other.add(us * std::chrono::milliseconds(1));
    }
    const auto after = all.counts();
    const std::vector<LatencyHistogram::Growth> growth{{before, after}};
    for (const std::uint32_t per_mille : {1U, 500U, 990U, 999U}) {
        EXPECT_EQ(LatencyHistogram::percentile(growth, per_mille), later.percentile(per_mille)) << per_mille;
    }
    const auto others = other.counts();
    const std::vector<LatencyHistogram::Growth> both{{before, after}, {{}, others}};
    later.merge(other);
    EXPECT_EQ(LatencyHistogram::percentile(both, 750), later.percentile(750));
    EXPECT_EQ(LatencyHistogram::percentile(std::vector<LatencyHistogram::Growth>{{after, after}}, 500),
              Ps{0});
    EXPECT_EQ(LatencyHistogram::percentile(std::vector<LatencyHistogram::Growth>{{{}, {}}}, 500), Ps{0});
}

}  // namespace
}  // namespace solidtlm::testbench
