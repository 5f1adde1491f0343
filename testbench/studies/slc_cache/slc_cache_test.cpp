// SPDX-License-Identifier: Apache-2.0
#include "testbench/studies/slc_cache/slc_cache.h"

#include <gtest/gtest.h>

#include "testbench/studies/kit/testing.h"

namespace solidtlm::testbench::slc_cache {
namespace {

using namespace std::chrono_literals;

// 300 MB at 100 MB/s, then 100 MB at 20 MB/s.
TEST(Knee, IsWhereTwoStraightLinesMeet) {
    std::vector<Progress> burst;
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
    std::vector<Progress> burst;
    for (int mb = 1; mb <= 50; ++mb) {
        burst.push_back({mb * kMb, mb / 100.0});
    }
    EXPECT_FALSE(knee_of(burst).has_value());
    EXPECT_FALSE(knee_of({}).has_value());
}

// Two requests, a pause, and one more, in the region of two.
TEST(Bursts, ThePauseBeginsWhenTheFirstHasEnded) {
    constexpr std::uint64_t kBytes = kRequestBytes;
    BurstSource source({2 * kBytes, kBytes, 5ms, 2 * kBytes});
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
    EXPECT_EQ(request.lba, Lba{0}) << "from the beginning again";
    EXPECT_TRUE(source.ended());
    source.completed(request.token, true, 9ms);
    ASSERT_EQ(source.first().size(), 2U);
    EXPECT_DOUBLE_EQ(source.first()[1].seconds, 0.002);
    ASSERT_EQ(source.second().size(), 1U);
    EXPECT_DOUBLE_EQ(source.second()[0].bytes, kBytes);
    EXPECT_DOUBLE_EQ(source.second()[0].seconds, 0.002);
}

/// One die with one plane, TLC.
platform::Configuration one_die(const std::vector<std::string>& more) {
    platform::ConfigurationSources sources;
    sources.settings = {"content=none",
                        "ssd.over_provisioning=0.25",
                        "nand.cell=tlc",
                        "nand.geometry.channels=1",
                        "nand.geometry.dies=1",
                        "nand.geometry.planes=1",
                        "nand.geometry.blocks=512",
                        "nand.geometry.pages=258",
                        "nand.timing.read=75us",
                        "nand.timing.program=1125us",
                        "nand.timing.erase=4.5ms",
                        "nand.slc.read=25us",
                        "nand.slc.program=250us",
                        "firmware.write_buffer.size=1MiB",
                        "firmware.slc_cache.mode=dynamic"};
    sources.settings.insert(sources.settings.end(), more.begin(), more.end());
    return platform::load_configuration(sources);
}

// 86 pages of a block of 258 in SLC mode. Transfers take 44.7 us (17,920 bytes and spare at 400 MB/s and the
// cycles around them).
TEST(Bounds, OfOneDieFollowFromItsTimes) {
    const platform::Configuration drive = one_die({"firmware.slc_cache.size=100MiB"});
    const Bounds bounds = bounds_of(drive);
    constexpr double kPage = 16384.0;
    const double transfer = kPage / bounds.slc_mb_per_s - 250.0;
    EXPECT_GT(transfer, 18'000 / 400.0);
    EXPECT_LT(transfer, 18'000 / 400.0 + 5.0);
    EXPECT_NEAR(bounds.normal_mb_per_s, kPage / (transfer + 1125.0), 1e-9);
    EXPECT_NEAR(kPage / bounds.fold_mb_per_s, 2 * transfer + 25 + 1125 + 4500.0 / 86, 3.0)
        << "reads have no spare area to move";
    EXPECT_NEAR(kPage / bounds.through_mb_per_s, kPage / bounds.fold_mb_per_s + kPage / bounds.slc_mb_per_s,
                1e-9);
    EXPECT_EQ(bounds.cache_bytes, 75 * 86 * kPage) << "100 MiB, rounded up to whole superblocks";
    EXPECT_EQ(bounds.fast_bytes, bounds.cache_bytes);
    EXPECT_EQ(bounds.cliff_bytes(), bounds.cache_bytes + (1 << 20));
}

// A quarter of 511 superblocks.
TEST(Bounds, ADynamicCacheEndsAtItsShare) {
    const platform::Configuration drive =
        one_die({"firmware.slc_cache.size=4GiB", "firmware.slc_cache.share=0.25"});
    EXPECT_EQ(bounds_of(drive).cache_bytes, (511 / 4) * 86 * 16384.0);
}

/// The value is within a share of what was expected.
void expect_close(const Measured& point, const char* value, const char* bound, double within) {
    EXPECT_NEAR(point.value(value) / point.value(bound), 1.0, within)
        << point.parameters.dump() << ' ' << value;
}

// Cliff, both speeds, and what a pause brings back. What went through the cache is programmed twice.
TEST(SlcCacheStudy, ComesOutAsTheClosedFormsSay) {
    Sweep sweep;
    sweep.drives = {std::string(kGiven)};
    sweep.sizes = {64 * hal::kMiB};
    sweep.pauses = {0.0, 2.0};
    const std::vector<Measured> points = testing::measured_of(jobs_of(sweep, one_die({})));
    ASSERT_EQ(points.size(), 12U);
    for (const Measured& point : points) {
        const bool idle = point.text("folding") == "idle";
        const bool paused = point.value("pause") > 0.0;
        expect_close(point, "cliff_mb", "bound_cliff_mb", 0.03);
        expect_close(point, "before_mb_per_s", "bound_before_mb_per_s", 0.03);
        expect_close(point, "after_mb_per_s", "bound_after_mb_per_s", idle ? 0.01 : 0.05);
        EXPECT_EQ(point.value("collected_superblocks"), 0.0);
        EXPECT_NEAR(point.value("write_amplification"), 1.0 + point.value("folded_share"), 0.03);
        if (!idle) {
            EXPECT_EQ(point.value("bypassed_share"), 0.0);
            EXPECT_GT(point.value("folded_share"), 0.6);
        }
        if (paused) {
            EXPECT_GT(point.value("recovered_share"), idle ? 0.95 : 0.8) << point.parameters.dump();
        } else if (idle) {
            EXPECT_EQ(point.value("folded_share"), 0.0);
            EXPECT_LT(point.value("recovered_share"), 0.05);
        }
    }
}

}  // namespace
}  // namespace solidtlm::testbench::slc_cache
