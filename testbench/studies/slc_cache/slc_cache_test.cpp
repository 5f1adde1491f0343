// SPDX-License-Identifier: Apache-2.0
#include "testbench/studies/slc_cache/slc_cache.h"

#include <gtest/gtest.h>

#include "testbench/studies/kit/testing.h"

namespace solidtlm::testbench::slc_cache {
namespace {

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

// A block has 86 pages in SLC mode, of 258. Transfers take 44.7 us (17,920 bytes and spare at 400 MB/s, and
// the cycles around them).
TEST(Bounds, FollowFromTheTimesOfOneDie) {
    const platform::Configuration drive = one_die({"firmware.slc_cache.size=100MiB"});
    const Bounds bounds = bounds_of(drive);
    constexpr double kPage = 16384.0;
    const double transfer = kPage / bounds.slc_mb_per_s - 250.0;
    EXPECT_GT(transfer, 18'000 / 400.0);
    EXPECT_LT(transfer, 18'000 / 400.0 + 5.0);
    constexpr double kPrefix = 0.025;  // a command cycle, in SLC mode only
    EXPECT_NEAR(bounds.normal_mb_per_s, kPage / (transfer - kPrefix + 1125.0), 1e-9);
    EXPECT_NEAR(kPage / bounds.fold_mb_per_s, 2 * transfer + 25 + 1125 + 4500.0 / 86, 3.0)
        << "reads do not transfer the spare area";
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

/// Expects a value within a share of the given one.
void expect_close(const Measured& point, const char* value, const char* bound, double within) {
    EXPECT_NEAR(point.value(value) / point.value(bound), 1.0, within)
        << point.parameters.dump() << ' ' << value;
}

// The cliff, both speeds, and what a pause restores. Data that went through the cache is programmed twice.
TEST(SlcCacheStudy, AgreesWithTheClosedForms) {
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
