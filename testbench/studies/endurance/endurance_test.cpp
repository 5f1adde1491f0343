// SPDX-License-Identifier: Apache-2.0
//
// The load of a life and the arithmetic on counters, without a drive; then short whole lives: the closed form
// where it must hold, and counters that agree with those of the result.
#include <gtest/gtest.h>

#include "testbench/show/summary_sections.h"
#include "testbench/studies/endurance/endurance.h"
#include "testbench/studies/kit/testing.h"

namespace solidtlm::testbench::endurance {
namespace {

using testing::measured_of;

/// Ten units; two writes and two reads per day.
LifeLoad small_load() {
    LifeLoad load;
    load.units = 10;
    load.unit_bytes = 4096;
    load.reads = 0.5;
    load.hot = 0.3;
    load.drive_writes_per_day = 0.2;
    load.day = Ps{1000};
    return load;
}

/// Takes requests until none is available; each ends at once without an error.
std::vector<Request> take(LifeSource& source, Ps now) {
    std::vector<Request> taken;
    source.advance(now);
    for (Request request; source.next(request);) {
        source.completed(request.token, true, now);
        taken.push_back(request);
    }
    return taken;
}

TEST(LifeLoad, CountsRequestsOfADay) {
    LifeLoad load = small_load();
    EXPECT_EQ(load.requests_per_day(), 4U) << "0.2 x 10 writes, as many reads";
    EXPECT_EQ(load.hot_units(), 3U);
    load.reads = 0.0;
    EXPECT_EQ(load.requests_per_day(), 2U);
    load.drive_writes_per_day = 0.01;
    load.hot = 0.01;
    EXPECT_EQ(load.requests_per_day(), 1U);
    EXPECT_EQ(load.hot_units(), 1U);
}

TEST(LifeSource, FillsTheDriveAndThenBringsABurstADay) {
    LifeSource source(small_load(), 1);
    const std::vector<Request> fill = take(source, Ps{0});
    ASSERT_EQ(fill.size(), 10U);
    for (std::uint64_t unit = 0; unit < fill.size(); ++unit) {
        EXPECT_EQ(fill[unit].operation, Operation::write);
        EXPECT_EQ(fill[unit].lba.value, 8 * unit);
        EXPECT_EQ(fill[unit].sectors, 8U);
    }
    EXPECT_EQ(source.wakes_at(), Ps{1000});
    EXPECT_TRUE(take(source, Ps{999}).empty());
    EXPECT_EQ(take(source, Ps{1000}).size(), 4U);
    EXPECT_EQ(source.wakes_at(), Ps{2000});
    EXPECT_FALSE(source.ended());
    // A burst that takes until the day after next: the day between has no burst.
    source.advance(Ps{2000});
    Request request;
    ASSERT_TRUE(source.next(request));
    EXPECT_EQ(source.wakes_at(), std::nullopt) << "in the middle of a burst";
    EXPECT_EQ(take(source, Ps{4100}).size(), 3U + 4U) << "its rest, and that of the day that has begun";
    EXPECT_EQ(source.wakes_at(), Ps{5000});
}

TEST(LifeSource, WritesTheHotPartAndReadsEverywhere) {
    LifeSource source(small_load(), 7);
    (void)take(source, Ps{0});
    std::array<std::uint64_t, 10> reads{};
    std::array<std::uint64_t, 10> writes{};
    for (std::int64_t day = 1; day <= 1000; ++day) {
        for (const Request& request : take(source, day * Ps{1000})) {
            ++(request.operation == Operation::read ? reads : writes)[request.lba.value / 8];
        }
    }
    std::uint64_t all_writes = 0;
    for (std::size_t unit = 0; unit < reads.size(); ++unit) {
        EXPECT_NEAR(static_cast<double>(reads[unit]), 200.0, 6 * 14.0) << unit;  // sqrt(200) = 14
        EXPECT_EQ(writes[unit] > 0, unit < 3) << unit;
        all_writes += writes[unit];
    }
    EXPECT_NEAR(static_cast<double>(all_writes), 2000.0, 6 * 32.0);  // sqrt(4000 / 4) = 32
}

void expect_read_back(LifeSource& source) {
    const std::vector<Request> back = take(source, Ps{5000});
    ASSERT_EQ(back.size(), 10U);
    for (std::uint64_t unit = 0; unit < back.size(); ++unit) {
        EXPECT_EQ(back[unit].operation, Operation::read);
        EXPECT_EQ(back[unit].lba.value, 8 * unit);
    }
    EXPECT_TRUE(source.ended());
    EXPECT_EQ(source.wakes_at(), std::nullopt);
}

TEST(LifeSource, EndsWithReadingBackWhenAWriteFails) {
    LifeSource source(small_load(), 1);
    (void)take(source, Ps{0});
    source.completed(static_cast<std::uint64_t>(Operation::read), false, Ps{10});
    EXPECT_FALSE(source.life_is_over()) << "lost data does not end the life";
    source.completed(static_cast<std::uint64_t>(Operation::write), false, Ps{20});
    EXPECT_TRUE(source.life_is_over());
    EXPECT_TRUE(source.read_only());
    expect_read_back(source);
}

TEST(LifeSource, EndsDuringTheFill) {
    LifeSource source(small_load(), 1);
    Request request;
    ASSERT_TRUE(source.next(request));
    source.completed(request.token, false, Ps{20});
    expect_read_back(source);
}

TEST(LifeSource, EndsAtItsLimit) {
    LifeLoad load = small_load();
    load.most_units = 12;
    LifeSource source(load, 1);
    std::size_t writes = 0;
    source.advance(Ps{0});
    for (Request request; !source.life_is_over();) {
        if (source.next(request)) {
            writes += request.operation == Operation::write ? 1 : 0;
            source.completed(request.token, true, Ps{0});
        } else {
            source.advance(source.wakes_at().value());
        }
    }
    EXPECT_EQ(writes, 12U);
    EXPECT_FALSE(source.read_only());
    expect_read_back(source);
}

constexpr DriveFacts kFacts{1'000'000, 8192, 50, 9088, Ps{1'000'000}};

TEST(LifeWindow, ByHand) {
    LifeWindow window;
    window.before = {.host_bytes = 3'000'000,
                     .programs = 1000,
                     .erases = 60,
                     .page_reads = 10'000,
                     .retried = 5,
                     .codewords = 40'000,
                     .raw_errors = 500'000,
                     .retired = 1,
                     .moved_weak = 2,
                     .patrolled = 7,
                     .failed_reads = 3};
    window.after = {.host_bytes = 5'048'000,
                    .programs = 1750,
                    .erases = 125,
                    .page_reads = 30'000,
                    .retried = 11,
                    .codewords = 140'000,
                    .raw_errors = 1'408'800,
                    .retired = 4,
                    .moved_weak = 9,
                    .patrolled = 27,
                    .failed_reads = 8};
    window.end = Ps{2'500'000};
    for (std::int64_t i = 1; i <= 100; ++i) {
        window.reads.add(i * Ps{1'000'000});
    }
    const Json sample = sample_of(window, kFacts);
    EXPECT_DOUBLE_EQ(sample["drive_writes"], 5.048);
    EXPECT_DOUBLE_EQ(sample["days"], 2.5);
    EXPECT_DOUBLE_EQ(sample["mean_cycles"], 2.5) << "125 erases, 50 blocks";
    EXPECT_DOUBLE_EQ(sample["write_amplification"], 3.0) << "750 x 8192 bytes for 2,048,000";
    EXPECT_DOUBLE_EQ(sample["rber"], 1e-3) << "908,800 of 100,000 x 9,088 bits";
    EXPECT_DOUBLE_EQ(sample["retried_per_1000"], 0.3) << "6 of 20,000";
    EXPECT_EQ(sample["failed_reads"], 5);
    EXPECT_EQ(sample["retired_superblocks"], 4);
    EXPECT_EQ(sample["moved_weak_superblocks"], 9);
    EXPECT_EQ(sample["patrolled_superpages"], 27);
    EXPECT_NEAR(sample["read_p50_us"], 50.0, 50.0 * LatencyHistogram::kRelativeError);
    EXPECT_NEAR(sample["read_p99_us"], 99.0, 99.0 * LatencyHistogram::kRelativeError);
    EXPECT_NEAR(sample["read_p999_us"], 100.0, 100.0 * LatencyHistogram::kRelativeError);
    EXPECT_TRUE(sample["write_p99_us"].is_null()) << "no writes";
    const Json life = life_of(window.after, window.end, kFacts);
    EXPECT_DOUBLE_EQ(life["write_amplification"], 1750 * 8192 / 5'048'000.0);
    EXPECT_EQ(life["failed_reads"], 8);
}

TEST(LifeWindow, HasNoRatesOfNothing) {
    const Json sample = sample_of(LifeWindow{}, kFacts);
    EXPECT_TRUE(sample["write_amplification"].is_null());
    EXPECT_TRUE(sample["rber"].is_null());
    EXPECT_TRUE(sample["retried_per_1000"].is_null());
    EXPECT_TRUE(sample["read_p50_us"].is_null());
    EXPECT_EQ(sample["drive_writes"], 0.0);
}

/// A life with 40 superblocks; samples are (mean cycles, superblocks that went bad so far, days).
Measured life_with(const std::vector<std::array<double, 3>>& samples, const char* care = "none") {
    Measured life{{{"hot", 1.0}, {"care", care}, {"drive", 1}}};
    life.more = {{"superblocks", 40}, {"samples", Json::array()}};
    for (const auto& [cycles, bad, days] : samples) {
        life.more["samples"].push_back(
            {{"mean_cycles", cycles}, {"retired_superblocks", bad}, {"days", days}, {"drive_writes", days}});
        life.derived["mean_cycles"] = cycles;
        if (bad > 0 && !life.derived.contains("days_to_first_bad")) {
            life.derived["days_to_first_bad"] = days;
        }
    }
    return life;
}

TEST(Bathtub, ByHand) {
    // Bins of 50 cycles. On the first drive, 2 of 40 superblocks go bad in 50 cycles, then none, then 6 in 25
    // cycles. The second drive only reaches the first bin, and loses none in 50 cycles.
    const std::vector<Measured> lives{life_with({{25, 2, 10}, {50, 2, 20}, {100, 2, 1500}, {125, 8, 2000}}),
                                      life_with({{50, 0, 20}})};
    const auto rates = bathtub(select(lives), 50);
    ASSERT_EQ(rates.size(), 3U);
    EXPECT_EQ(rates[0].first, 25.0);
    EXPECT_DOUBLE_EQ(rates[0].second, 100.0 * 2 / (2 * 40 * 50));
    EXPECT_EQ(rates[1].first, 75.0);
    EXPECT_EQ(rates[1].second, 0.0);
    EXPECT_EQ(rates[2].first, 125.0);
    EXPECT_DOUBLE_EQ(rates[2].second, 100.0 * 6 / (40 * 25));
    EXPECT_DOUBLE_EQ(bin_cycles_of(select(lives)), 125.0 / 20);
}

TEST(Bathtub, KnowsWhichDrivesGrewABadSuperblock) {
    const std::vector<Measured> lives{life_with({{25, 1, 10}}), life_with({{50, 0, 20}}),
                                      life_with({{50, 0, 20}, {60, 1, 1462}}),
                                      life_with({{50, 0, 20}, {60, 1, 1461}})};
    EXPECT_DOUBLE_EQ(share_with_bad_superblocks(select(lives), kFourYears), 0.5);
    EXPECT_EQ(share_with_bad_superblocks({}, kFourYears), 0.0);
}

TEST(Figures, HaveALineForEachFleet) {
    const std::vector<Measured> lives{life_with({{25, 0, 10}, {50, 2, 20}}),
                                      life_with({{25, 0, 10}, {50, 1, 20}, {75, 4, 30}}, "refresh"),
                                      life_with({{25, 0, 10}}, "refresh")};
    EXPECT_EQ(fleets(lives).size(), 2U);
    const std::vector<Measured> samples = samples_of(lives);
    ASSERT_EQ(samples.size(), 5U) << "of the first drive of each";
    const std::vector<Figure> figures = figures_of(lives);
    std::vector<std::string> ids;
    for (const Figure& figure : figures) {
        const Json json = to_json(figure);
        ids.push_back(json["id"]);
        ASSERT_EQ(json["series"].size(), 2U) << json["id"];
        EXPECT_EQ(json["series"][1]["name"], "refresh, hot 1");
    }
    EXPECT_EQ(ids, (std::vector<std::string>{"retired_superblocks", "bathtub"})) << "only what was measured";
}

class BlockCycles : public ::testing::Test {
  protected:
    platform::Configuration configuration = platform::parse_configuration("preset = \"tiny\"\n", "test");
};

TEST_F(BlockCycles, AreTheMeanOfTheLifetime) {
    EXPECT_EQ(mean_block_cycles(configuration), std::nullopt);
    EXPECT_FALSE(wears_out(configuration));
    configuration.nand.faults.lifetime.cycles = 2000;
    configuration.nand.faults.lifetime.shape = 1.0;  // an exponential distribution
    EXPECT_DOUBLE_EQ(mean_block_cycles(configuration).value(), 2000.0);
    configuration.nand.faults.lifetime.shape = 2.0;  // a Rayleigh distribution
    EXPECT_NEAR(mean_block_cycles(configuration).value(), 1000.0 * std::sqrt(M_PI), 1e-9);
    configuration.nand.faults.lifetime.shape = 1.0;
    configuration.nand.faults.lifetime.infant_share = 0.1;
    configuration.nand.faults.lifetime.infant_cycles = 50;
    configuration.nand.faults.cycles = 300;
    EXPECT_DOUBLE_EQ(mean_block_cycles(configuration).value(), 0.9 * 2000 + 0.1 * 50 - 300);
    configuration.nand.rules.endurance_cycles = 700;
    EXPECT_DOUBLE_EQ(mean_block_cycles(configuration).value(), 700.0);
    EXPECT_TRUE(wears_out(configuration));
}

TEST_F(BlockCycles, AreNotRandomOutcomes) {
    configuration.nand.faults.program_failure = 1e-6;
    EXPECT_EQ(mean_block_cycles(configuration), std::nullopt);
    EXPECT_TRUE(wears_out(configuration));
}

constexpr const char* kTiny = "preset = \"tiny\"\n";

std::vector<StudyJob> jobs_of(const LifeOptions& options, const std::vector<std::string>& settings) {
    std::vector<StudyJob> jobs;
    for (const LifePoint& point :
         points_of(options, platform::variant_of(platform::parse_configuration(kTiny, "test"), settings))) {
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

// All blocks last exactly kCycles, and garbage collection wears them evenly. The life is shortened by blocks
// that still have cycles left when too few superblocks remain, and lengthened because the first program of a
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
    EXPECT_EQ(life.derived["lost_in_read_back"], 0) << "a worn-out drive stays readable";
    EXPECT_NEAR(life.value("measured_of_closed_form"), 1.0, 0.03);
    EXPECT_LE(life.value("measured_of_closed_form"), 1.0 + 1.0 / kCycles);
    EXPECT_LE(life.value("mean_cycles"), kCycles + 1) << "a failing erase counts as a cycle";
    EXPECT_GT(life.value("retired_superblocks"), 0);
    EXPECT_GT(results.front()["host"]["failed"], 0) << "the writes that ended it";
    EXPECT_EQ(count_of_faults(results.front()), 0.0) << "and should";
}

// The life of a drive that does not wear out ends at the given limit, and its samples agree with the result.
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
        << "data in the write buffer is programmed after the life, which needs collection";
    EXPECT_NEAR(results.front()["write_amplification"], life.value("write_amplification"), 0.1);
    EXPECT_FALSE(results.front().contains("filesystem")) << "there is none";
    EXPECT_FALSE(results.front().contains("life"));
}

// Data that the host never touches, which patrol and read reclaim protect. Time passes quickly, so cold data
// is hard to read after a few days.
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

// One die of four fails: a quarter of the drive's data is lost, or nothing.
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
    const platform::Configuration base =
        platform::variant_of(platform::parse_configuration(kTiny, "test"),
                             {"faults.rber.age_unit_days=0.5", "seed=5", "ssd.over_provisioning=0.7"});
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
