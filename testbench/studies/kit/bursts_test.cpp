// SPDX-License-Identifier: Apache-2.0
#include "testbench/studies/kit/bursts.h"

#include <gtest/gtest.h>

#include "testbench/sim/load/workload.h"

namespace solidtlm::testbench {
namespace {

using namespace std::chrono_literals;

// 300 MB at 100 MB/s, then 100 MB at 20 MB/s.
TEST(Knee, IsWhereTwoStraightLinesMeet) {
    std::vector<BurstProgress> burst;
    for (int mb = 10; mb <= 400; mb += 10) {
        const double seconds = mb <= 300 ? mb / 100.0 : 3.0 + (mb - 300) / 20.0;
        burst.push_back({mb * kMb, seconds});
    }
    const auto knee = knee_of(burst);
    ASSERT_TRUE(knee.has_value());
    EXPECT_DOUBLE_EQ(knee->bytes, 300 * kMb);
    EXPECT_DOUBLE_EQ(knee->before_mb_per_s, 100.0);
    EXPECT_DOUBLE_EQ(knee->after_mb_per_s, 20.0);
}

TEST(Knee, OneSpeedHasNone) {
    std::vector<BurstProgress> burst;
    for (int mb = 1; mb <= 50; ++mb) {
        burst.push_back({mb * kMb, mb / 100.0});
    }
    EXPECT_FALSE(knee_of(burst).has_value());
    EXPECT_FALSE(knee_of({}).has_value());
}

// 500 MB/s before and 400 behind: while the buffer of 16 MB fills at 100 MB/s, the host writes 80 MB.
TEST(Knee, ComesLaterByWhatTheWriteBufferTakes) {
    const Knee knee{455 * kMb, 500.0, 400.0};
    EXPECT_DOUBLE_EQ(buffered_bytes(16 * kMb, 1000.0, knee), 80 * kMb);
    EXPECT_DOUBLE_EQ(buffered_bytes(16 * kMb, 450.0, knee), 16 * kMb) << "full since long before";
    EXPECT_DOUBLE_EQ(scaled_knee(knee, 80 * kMb, 8.0), (375 * 8 + 80) * kMb);
    EXPECT_DOUBLE_EQ(scaled_knee(knee, 80 * kMb, 8.0, 8.0), 455 * 8 * kMb) << "the buffer is scaled, too";
}

// Two requests, a pause, and one more, in a region of two requests.
TEST(Bursts, ThePauseBeginsWhenTheFirstHasEnded) {
    constexpr std::uint64_t kBytes = 4096;
    BurstSource source({kBytes, 2 * kBytes, kBytes, 5ms, 2 * kBytes});
    Request request;
    EXPECT_TRUE(source.next(request));
    EXPECT_TRUE(source.next(request));
    EXPECT_EQ(request.lba, Lba{kBytes / hal::kSectorBytes});
    EXPECT_FALSE(source.next(request)) << "both are under way";
    EXPECT_EQ(source.wakes_at(), std::nullopt);
    source.completed(0, true, 1ms);
    EXPECT_FALSE(source.next(request));
    source.completed(0, true, 2ms);
    EXPECT_EQ(source.wakes_at(), std::optional<Ps>(7ms));
    source.advance(6ms);
    EXPECT_FALSE(source.next(request));
    source.advance(7ms);
    EXPECT_TRUE(source.next(request));
    EXPECT_EQ(request.lba, Lba{0}) << "addresses start at the beginning again";
    EXPECT_TRUE(source.ended());
    source.completed(request.token, true, 9ms);
    ASSERT_EQ(source.first().size(), 2U);
    EXPECT_DOUBLE_EQ(source.first()[1].seconds, 0.002);
    ASSERT_EQ(source.second().size(), 1U);
    EXPECT_DOUBLE_EQ(source.second()[0].bytes, kBytes);
    EXPECT_DOUBLE_EQ(source.second()[0].seconds, 0.002);
}

/// The lead ends after its time, and belongs to neither burst.
TEST(Bursts, TheFirstBeginsWhenTheLeadIsOver) {
    constexpr std::uint64_t kBytes = 4096;
    WorkloadConfig lead;
    lead.read_share = 0;
    lead.first_sector = 800;
    lead.end_sector = 1600;
    BurstSource source({kBytes, kBytes, 0, 0ms, kBytes}, make_workload(lead), 3ms);
    Request request;
    EXPECT_TRUE(source.next(request));
    EXPECT_GE(request.lba, Lba{800});
    const std::uint64_t token = request.token;
    source.advance(2ms);
    EXPECT_TRUE(source.next(request));
    EXPECT_GE(request.lba, Lba{800});
    source.completed(token, true, 3ms);
    source.advance(3ms);
    EXPECT_TRUE(source.next(request));
    EXPECT_EQ(request.lba, Lba{0});
    EXPECT_TRUE(source.ended());
    source.completed(token, true, 4ms);
    EXPECT_TRUE(source.first().empty());
    source.completed(request.token, true, 5ms);
    ASSERT_EQ(source.first().size(), 1U);
    EXPECT_NEAR(mb_per_s(source.first()), 4096 / 0.002 / kMb, 1e-12);
    EXPECT_EQ(mb_per_s(source.second()), 0.0);
}

}  // namespace
}  // namespace solidtlm::testbench
