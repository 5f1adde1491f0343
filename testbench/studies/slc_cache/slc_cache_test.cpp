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

// A cycle takes 25 ns. The metadata (24 bytes) is read: DAh, 00h-5A-30h, 24 bytes. Then the page is copied:
// DAh, 00h-5A-35h, 85h-5A, 85h-2A, 24 bytes, 10h, 70h and a byte.
TEST(Bounds, ACopyInsideTheDieSensesTwiceAndMovesOnlyMetadata) {
    const platform::Configuration drive =
        one_die({"nand.bus.interface=byte_time", "nand.bus.byte_time=25ns", "firmware.slc_cache.size=100MiB",
                 "firmware.slc_cache.copy_back=true"});
    ASSERT_EQ(drive.nand.metadata_bytes, 24U);
    const double cycles = (1 + 7 + 24) + (1 + 7 + 6 + 3 + 24 + 1 + 2);
    constexpr double kPage = 16384.0;
    const Bounds bounds = bounds_of(drive);
    EXPECT_NEAR(kPage / bounds.fold_mb_per_s, 2 * 25 + 1125 + 4500.0 / 86 + cycles * 0.025, 1e-9);
    EXPECT_NEAR(kPage / bounds.through_mb_per_s, kPage / bounds.fold_mb_per_s + kPage / bounds.slc_mb_per_s,
                1e-9);
}

TEST(Sweep, CopiesInEachWayThatTheDriveCan) {
    using Ways = std::vector<std::string>;
    EXPECT_EQ(copying_of(one_die({})), (Ways{"controller", "die"}));
    EXPECT_EQ(copying_of(one_die({"firmware.slc_cache.copy_back=true"})), Ways{"die"});
    EXPECT_EQ(copying_of(one_die({"nand.programming=one_shot"})), Ways{"controller"});
    EXPECT_EQ(copying_of(one_die({"firmware.reliability.reclaim_bits=60"})), Ways{"controller"});
}

// A quarter of 511 superblocks.
TEST(Bounds, ADynamicCacheEndsAtItsShare) {
    const platform::Configuration drive =
        one_die({"firmware.slc_cache.size=688MiB", "firmware.slc_cache.share=0.25"});
    EXPECT_EQ(bounds_of(drive).cache_bytes, (511 / 4) * 86 * 16384.0);
}

/// Expects a value within a share of the given one.
void expect_close(const Measured& point, const char* value, const char* bound, double within) {
    EXPECT_NEAR(point.value(value) / point.value(bound), 1.0, within)
        << point.parameters.dump() << ' ' << value;
}

// The cliff, both speeds, what a pause restores, and how fast. Data that went through the cache is programmed
// twice. A copy inside the die has the errors of its source, too.
TEST(SlcCacheStudy, AgreesWithTheClosedForms) {
    Sweep sweep;
    sweep.drives = {std::string(kGiven)};
    sweep.sizes = {64 * hal::kMiB};
    sweep.pauses = {0.0, 0.5, 2.0};
    const std::vector<Measured> points =
        testing::measured_of(jobs_of(sweep, one_die({"faults.bit_errors=true", "nand.slc.bit_errors=0.25"})));
    ASSERT_EQ(points.size(), 2 * (18 - 1) + 2U) << "without a pause, idle folds nothing in either way";
    EXPECT_EQ(select(points, {{"reads", true}}).size(), 2U);
    for (const Measured& point : points) {
        const bool inside = point.text("copying") == "die";
        if (point.text("reads") == "true") {
            expect_close(point, "errors_per_codeword", "bound_errors_per_codeword", 0.01);
            constexpr double kEps = 0.00148;  // faults.rber.eps: there is no wear
            EXPECT_NEAR(point.value("bound_errors_per_codeword"),
                        8 * (1024 + 112) * kEps * (inside ? 1.25 : 1.0), 1e-9);
            continue;
        }
        if (point.value("folded_share") > 0.0) {
            EXPECT_NEAR(point.value("copied_back_share"), inside ? 1.0 : 0.0, 1e-3)
                << "the end cuts some off";
        }
        const bool idle = point.text("folding") == "idle";
        const bool paused = point.value("pause") > 0.0;
        expect_close(point, "cliff_mb", "bound_cliff_mb", 0.03);
        expect_close(point, "before_mb_per_s", "bound_before_mb_per_s", 0.03);
        expect_close(point, "after_mb_per_s", "bound_after_mb_per_s", idle ? 0.01 : 0.05);
        if (point.value("pause") == 0.5 && idle) {  // the write buffer is written in it, too
            expect_close(point, "fold_mb_per_s", "bound_fold_mb_per_s", 0.03);
        }
        EXPECT_EQ(point.value("collected_superblocks"), 0.0);
        EXPECT_NEAR(point.value("write_amplification"), 1.0 + point.value("folded_share"), 0.03);
        if (!idle) {
            EXPECT_EQ(point.value("bypassed_share"), 0.0);
            EXPECT_GT(point.value("folded_share"), 0.6);
        }
        if (paused) {
            const double most = std::min(1.0, point.value("pause"));
            EXPECT_GT(point.value("recovered_share"), most * (idle ? 0.95 : 0.8)) << point.parameters.dump();
        } else if (idle) {
            EXPECT_EQ(point.value("folded_share"), 0.0);
            EXPECT_LT(point.value("recovered_share"), 0.05);
        }
    }
}

// Published of the Crucial MX500 1 TB: 64 GB at just under 500 MB/s, then 400. Its drive in the gallery has a
// cache of that size and times fitted to that speed; the study multiplies what its smaller model shows.
TEST(RealDrives, AreThoseOfTheGallery) {
    Sweep sweep;
    sweep.drives = {"crucial-mx500"};
    const std::vector<Measured> points = testing::measured_of(jobs_of(sweep, one_die({})));
    ASSERT_EQ(points.size(), 1U);
    EXPECT_NEAR(points[0].value("cliff_gb"), 64.0, 0.05 * 64.0);
    EXPECT_NEAR(points[0].value("before_mb_per_s"), 500.0, 0.05 * 500.0);
    EXPECT_NEAR(points[0].value("behind_mb_per_s"), 400.0, 0.01 * 400.0);
    const std::vector<Claim> claims = claims_of(points);
    ASSERT_EQ(claims.size(), 1U) << "two of the three figures are fitted";
    EXPECT_EQ(claims[0].published, 500.0);
    EXPECT_EQ(claims[0].verdict, Verdict::reproduced);
}

TEST(RealDrives, HaveACacheWhoseSizeWasSeen) {
    for (const std::string& name : drive_names()) {
        const RealDrive* real = find_drive(name);
        ASSERT_EQ(real == nullptr, name == kGiven);
        if (real != nullptr) {
            EXPECT_TRUE(real->published("cliff_gb").has_value()) << name;
            EXPECT_TRUE(real->fitted("cliff_gb")) << name << ": the size of its cache is a setting";
        }
    }
}

}  // namespace
}  // namespace solidtlm::testbench::slc_cache
