// SPDX-License-Identifier: Apache-2.0
//
// The load of a life and what is made of counters, without a drive.
#include <gtest/gtest.h>

#include "testbench/studies/endurance/endurance.h"

namespace solidtlm::testbench::endurance {
namespace {

/// Ten units; two writes and two reads a day.
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

/// Takes requests until none is there now; each ends at once, without an error.
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
    // A burst that goes on until the day after next: the day between brings none.
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
    EXPECT_FALSE(source.life_is_over()) << "data may be lost while the drive lives";
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
    // Bins of 50 cycles. The first drive: 2 of 40 superblocks in 50 cycles, then none, then 6 in 25 cycles.
    // The second reaches the first bin alone, and loses none in 50 cycles.
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
    EXPECT_EQ(ids, (std::vector<std::string>{"retired_superblocks", "bathtub"}))
        << "what was measured, no more";
}

class BlockCycles : public ::testing::Test {
  protected:
    platform::Configuration configuration = platform::parse_configuration("preset = \"tiny\"\n", "test");
};

TEST_F(BlockCycles, AreTheMeanOfTheLifetime) {
    EXPECT_EQ(mean_block_cycles(configuration), std::nullopt);
    EXPECT_FALSE(wears_out(configuration));
    configuration.nand.faults.lifetime.cycles = 2000;
    configuration.nand.faults.lifetime.shape = 1.0;  // exponential
    EXPECT_DOUBLE_EQ(mean_block_cycles(configuration).value(), 2000.0);
    configuration.nand.faults.lifetime.shape = 2.0;  // Rayleigh
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

TEST_F(BlockCycles, AreNotWhatChanceAloneHas) {
    configuration.nand.faults.program_failure = 1e-6;
    EXPECT_EQ(mean_block_cycles(configuration), std::nullopt);
    EXPECT_TRUE(wears_out(configuration));
}

}  // namespace
}  // namespace solidtlm::testbench::endurance
