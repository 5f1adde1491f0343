// SPDX-License-Identifier: Apache-2.0
//
// Whole lives, short ones: the closed form where it must hold, and books that agree with the result's.
#include <gtest/gtest.h>

#include "testbench/results/summary_sections.h"
#include "testbench/studies/endurance/endurance.h"
#include "testbench/studies/kit/testing.h"

namespace solidtlm::testbench::endurance {
namespace {

using testing::measured_of;

constexpr const char* kTiny = "preset = \"tiny\"\n";

std::vector<StudyJob> jobs_of(const LifeOptions& options, const std::vector<std::string>& settings) {
    std::vector<StudyJob> jobs;
    for (const LifePoint& point :
         points_of(options, platform::parse_configuration(kTiny, "test", settings))) {
        jobs.push_back(point.job());
    }
    return jobs;
}

LifeOptions plain_life() {
    LifeOptions options;
    options.care = {"none"};
    options.hot = {1.0};
    return options;
}

// All blocks take exactly so many cycles, and garbage collection wears them alike. What is missing: blocks
// that have cycles left when too few superblocks are left to go on. What is too much: the first program of a
// block needs no erase.
TEST(ClosedForm, HoldsWhereAllBlocksLastAsLong) {
    constexpr double kCycles = 60;
    LifeOptions options = plain_life();
    options.reads = 0.0;
    std::vector<Json> results;
    const std::vector<Measured> lives = measured_of(
        jobs_of(options, {"nand.rules.endurance_cycles=60", "firmware.wear.static_threshold=4"}), &results);
    ASSERT_EQ(lives.size(), 1U);
    const Measured& life = lives.front();
    EXPECT_EQ(life.derived["read_only"], true);
    EXPECT_EQ(life.derived["lost_in_read_back"], 0) << "a drive that wrote all it could is readable";
    EXPECT_NEAR(life.value("measured_of_closed_form"), 1.0, 0.03);
    EXPECT_LE(life.value("measured_of_closed_form"), 1.0 + 1.0 / kCycles);
    EXPECT_LE(life.value("mean_cycles"), kCycles + 1) << "an erase that fails is one of them";
    EXPECT_GT(life.value("retired_superblocks"), 0);
    EXPECT_GT(results.front()["host"]["failed"], 0) << "the writes that ended it";
    EXPECT_EQ(count_of_faults(results.front()), 0.0) << "and should";
}

// A drive that does not wear out lives as long as it is let, and its samples are what the result says.
TEST(Life, EndsAtTheLimitWithBooksThatAgree) {
    LifeOptions options = plain_life();
    options.most_writes = 5;
    options.window = 2;
    std::vector<Json> results;
    const std::vector<Measured> lives = measured_of(jobs_of(options, {}), &results);
    ASSERT_EQ(lives.size(), 1U);
    const Measured& life = lives.front();
    EXPECT_EQ(life.derived["read_only"], false);
    EXPECT_FALSE(life.find("closed_form_bytes"));
    EXPECT_NEAR(life.value("drive_writes"), 5.0, 0.01);
    const Json& samples = life.more["samples"];
    ASSERT_EQ(samples.size(), 3U);
    EXPECT_NEAR(samples[0]["drive_writes"], 2.0, 0.01);
    EXPECT_NEAR(samples[1]["drive_writes"], 4.0, 0.01);
    EXPECT_EQ(samples[2]["drive_writes"], life.derived["drive_writes"]);
    EXPECT_NEAR(life.value("days"), 4.0 / options.drive_writes_per_day + 0.5, 0.5)
        << "filled before the first day, over with the burst of the last";
    const Json& nand = results.front()["nand"];
    EXPECT_NEAR(nand["host_written_bytes"].get<double>(), life.value("host_bytes"), 4 * 4096.0)
        << "and what was outstanding when the life was over";
    EXPECT_GT(results.front()["write_amplification"], life.value("write_amplification"))
        << "what the write buffer held is programmed after the life, and collected for";
    EXPECT_NEAR(results.front()["write_amplification"], life.value("write_amplification"), 0.1);
    EXPECT_FALSE(results.front().contains("filesystem")) << "there is none";
    EXPECT_FALSE(results.front().contains("life"));
}

// Data that nobody touches: what patrol and read reclaim are for. Time passes quickly, so that cold data is
// hard to read after few days.
TEST(Care, KeepsColdDataReadable) {
    LifeOptions options;
    options.hot = {0.2};
    options.most_writes = 12;
    options.drive_writes_per_day = 0.05;
    const std::vector<Measured> lives = measured_of(
        jobs_of(options, {"faults.bit_errors=true", "nand.ecc.retries=1", "nand.ecc.retry_factor=0.95",
                          "faults.rber.gamma=0", "faults.rber.beta=2e-4", "faults.cycles=1000"}));
    ASSERT_EQ(lives.size(), 3U);
    const Measured& none = lives[0];
    const Measured& reclaim = lives[1];
    const Measured& refresh = lives[2];
    EXPECT_GT(none.value("lost_in_read_back"), 0);
    EXPECT_EQ(none.value("moved_weak_superblocks"), 0);
    EXPECT_GT(none.value("retried_per_1000"), 2 * refresh.value("retried_per_1000"));
    EXPECT_GT(reclaim.value("moved_weak_superblocks"), 0);
    EXPECT_LT(reclaim.value("lost_in_read_back"), none.value("lost_in_read_back"));
    EXPECT_EQ(reclaim.value("patrolled_superpages"), 0);
    EXPECT_GT(refresh.value("patrolled_superpages"), 0);
    EXPECT_EQ(refresh.value("lost_in_read_back"), 0);
    EXPECT_LT(none.value("write_amplification"), refresh.value("write_amplification"));
}

// One die of four falls silent: a quarter of what the drive holds, or nothing.
TEST(Care, ParityRebuildsADie) {
    LifeOptions options = plain_life();
    options.care = {"none", "parity", "refresh_parity"};
    options.most_writes = 3;
    const std::vector<Measured> lives =
        measured_of(jobs_of(options, {"nand.geometry.channels=4", "nand.geometry.dies=1",
                                      "ssd.over_provisioning=0.6", "faults.script=die 2/0 dies at 2s"}));
    ASSERT_EQ(lives.size(), 3U);
    EXPECT_GT(lives[0].value("lost_in_read_back"), 0);
    EXPECT_EQ(lives[1].value("lost_in_read_back"), 0);
    EXPECT_EQ(lives[1].value("patrolled_superpages"), 0);
    EXPECT_EQ(lives[2].value("lost_in_read_back"), 0);
    EXPECT_GT(lives[2].value("patrolled_superpages"), 0);
}

TEST(Points, AgeInDaysOfTheDrive) {
    LifeOptions options = plain_life();
    options.care = {"refresh", "none", "parity"};
    options.drives = 2;
    options.day = std::chrono::milliseconds(432);
    const platform::Configuration base = platform::parse_configuration(
        kTiny, "test", {"faults.rber.age_unit_days=0.5", "seed=5", "ssd.over_provisioning=0.7"});
    const std::vector<LifePoint> points = points_of(options, base);
    ASSERT_EQ(points.size(), 6U);
    EXPECT_DOUBLE_EQ(points[0].configuration.nand.faults.rber.age_unit_days, 0.5 * 0.432 / 86400);
    EXPECT_EQ(points[0].configuration.firmware.reliability.reclaim_bits, 48U) << "3/4 of 64";
    EXPECT_EQ(points[0].configuration.firmware.reliability.patrol, options.patrol);
    EXPECT_EQ(points[0].configuration.seed, 5U);
    EXPECT_EQ(points[1].configuration.seed, 6U);
    EXPECT_EQ(points[1].configuration.nand.faults.seed, base.nand.faults.seed + 1);
    EXPECT_EQ(points[2].configuration.firmware.reliability.reclaim_bits, 0U);
    EXPECT_EQ(points[2].configuration.firmware.reliability.patrol, Ps{0});
    EXPECT_EQ(points[2].configuration.firmware.reliability.parity_dies, 0U);
    EXPECT_EQ(points[4].configuration.firmware.reliability.parity_dies, 2U) << "one of each channel";
}

}  // namespace
}  // namespace solidtlm::testbench::endurance
