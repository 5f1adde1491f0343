// SPDX-License-Identifier: Apache-2.0
//
// Reading ahead on fake hardware: which units are fetched when, worked by hand; that the host never reads
// overwritten or trimmed data; and random streams.
#include "fw/read_cache/read_cache.h"

#include <gtest/gtest.h>

#include "fw/testing/seeds.h"
#include "fw/testing/shadow_host.h"
#include "fw/testing/survive.h"

namespace solidtlm::fw::testing {
namespace {

constexpr std::uint32_t kUnitSectors = 8;
constexpr std::uint32_t kAhead = 4;  // units

FirmwareConfig reading_ahead(std::uint32_t streams = 1, std::uint32_t trigger = 2) {
    FirmwareConfig config = tiny_config();
    config.read_cache.ahead_bytes = std::uint64_t{kAhead} * config.unit_bytes;
    config.read_cache.size_bytes = ReadCacheConfig::kLeastShare * config.read_cache.ahead_bytes * streams;
    config.read_cache.streams = streams;
    config.read_cache.trigger = trigger;
    return config;
}

/// A full drive whose units are read and changed one by one.
struct Drive {
    explicit Drive(const FirmwareConfig& config) : device(config, 1), host(device, 1) {
        host.write_everything_to_flash();
        device.firmware->reset_counters();
    }
    [[nodiscard]] double counted(const char* name) const { return device.firmware->metrics().at(name); }
    [[nodiscard]] std::uint64_t flash_reads() {
        return device.flash.by_cause[{hal::Cause::host, hal::FlashOpcode::read}];
    }
    void read(std::uint32_t unit, std::uint32_t units = 1) {
        host.read(std::uint64_t{unit} * kUnitSectors, units * kUnitSectors, false);
    }
    void read_alone(std::uint32_t unit, std::uint32_t units = 1) {
        read(unit, units);
        device.run();
    }
    void write(std::uint32_t unit) { host.write(std::uint64_t{unit} * kUnitSectors, kUnitSectors, false); }
    void trim(std::uint32_t unit) {
        host.trim({hal::TrimRange{hal::Lba{std::uint64_t{unit} * kUnitSectors}, kUnitSectors}});
    }

    FakeDevice device;
    ShadowHost host;
};

// Parts of four units. The host reads unit after unit:
//   unit 0: a candidate. Unit 1: a stream; units 2 to 7, up to the last multiple of 4 within 8 of unit 2.
//   unit 2: five are ahead. Unit 3: four are, so units 8 to 11; unit 7: units 12 to 15.
TEST(ReadCache, FetchesTheNextPartWhenOneIsLeft) {
    Drive drive(reading_ahead());
    const std::vector<double> fetched{0, 6, 6, 10, 10, 10, 10, 14, 14, 14, 14, 18};
    for (std::uint32_t unit = 0; unit < fetched.size(); ++unit) {
        drive.read_alone(unit);
        EXPECT_EQ(drive.counted("read_cache.fetched_units"), fetched[unit]) << "unit " << unit;
    }
    EXPECT_EQ(drive.counted("read_cache.hits"), 10.0) << "all but the first two";
    EXPECT_EQ(drive.counted("read_cache.unused_units"), 0.0);
    EXPECT_EQ(drive.counted("read_cache.waits"), 0.0) << "each read began when the device was at rest";
    expect_sound(drive.device, drive.host);
}

TEST(ReadCache, ServesReadsInSequenceFromDramAlone) {
    Drive drive(reading_ahead());
    for (std::uint32_t unit = 0; unit < 4; ++unit) {
        drive.read_alone(unit);
    }
    auto issued = FakeHost::make(hal::HostOpcode::read, std::uint64_t{4} * kUnitSectors, kUnitSectors);
    bool ended = false;
    issued->completed = [&ended](FakeHost::Issued& done) {
        ended = true;
        EXPECT_EQ(done.ledger[Stage::array], Ps{0});
        EXPECT_EQ(done.ledger[Stage::read_ahead], Ps{0});
    };
    drive.device.host.submit(std::move(issued));
    drive.device.run();
    EXPECT_TRUE(ended);
}

TEST(ReadCache, AReadWaitsForAFetchUnderWay) {
    Drive drive(reading_ahead());
    for (std::uint32_t unit = 0; unit < 3; ++unit) {
        drive.read(unit);
    }
    auto issued = FakeHost::make(hal::HostOpcode::read, std::uint64_t{3} * kUnitSectors, kUnitSectors);
    issued->completed = [](FakeHost::Issued& done) {
        EXPECT_GT(done.ledger[Stage::read_ahead], Ps{0});
        EXPECT_EQ(done.ledger[Stage::array], Ps{0});
        EXPECT_EQ(done.ledger.total(), done.latency);
    };
    drive.device.host.submit(std::move(issued));
    drive.device.run();
    EXPECT_EQ(drive.counted("read_cache.waits"), 2.0) << "units 2 and 3";
    EXPECT_EQ(drive.counted("read_cache.hits"), 2.0);
}

TEST(ReadCache, ReadsAtRandomCostNoFlashRead) {
    FirmwareConfig without = reading_ahead();
    without.read_cache.size_bytes = 0;
    std::vector<std::uint64_t> reads;
    for (const FirmwareConfig& config : {without, reading_ahead()}) {
        Drive drive(config);
        const std::uint64_t before = drive.flash_reads();
        const auto units = static_cast<std::uint32_t>(drive.device.config.exported_sectors / kUnitSectors);
        for (std::uint32_t i = 0; i < 200; ++i) {
            drive.read_alone(i * 37 % (units / 2) * 2);  // no two neighbours
        }
        reads.push_back(drive.flash_reads() - before);
    }
    EXPECT_EQ(reads[0], 200U);
    EXPECT_EQ(reads[1], reads[0]);
}

TEST(ReadCache, DropsOverwrittenAndTrimmedUnits) {
    Drive drive(reading_ahead());
    drive.read_alone(0);
    drive.read_alone(1);
    drive.write(2);
    drive.trim(4);
    drive.device.run();
    EXPECT_EQ(drive.counted("read_cache.unused_units"), 2.0);
    for (std::uint32_t unit = 2; unit < 6; ++unit) {
        drive.read_alone(unit);
    }
    EXPECT_EQ(drive.counted("read_cache.hits"), 2.0) << "units 3 and 5";
    expect_sound(drive.device, drive.host);
}

/// Units change at every step of a fetch.
TEST(ReadCache, DropsUnitsThatChangeDuringTheirFetch) {
    for (const bool trim : {false, true}) {
        for (int steps = 0; steps < 60; ++steps) {
            Drive drive(reading_ahead());
            drive.read_alone(0);
            drive.read(1);
            for (int step = 0; step < steps; ++step) {
                drive.device.clock.run_one();
            }
            trim ? drive.trim(3) : drive.write(3);
            drive.device.run();
            drive.read_alone(2);
            drive.read_alone(3);
            EXPECT_EQ(drive.host.mismatches, 0U) << steps << " steps, " << (trim ? "trim" : "write");
            EXPECT_EQ(drive.counted("read_cache.hits"), 1.0);
            expect_sound(drive.device, drive.host);
        }
    }
}

TEST(ReadCache, DoesNotFetchUnitsInTheWriteBuffer) {
    FirmwareConfig config = reading_ahead();
    Drive drive(config);
    drive.write(3);  // less than a superpage: it stays in the buffer
    drive.device.run();
    drive.read_alone(0);
    drive.read_alone(1);
    EXPECT_EQ(drive.counted("read_cache.fetched_units"), 5.0) << "units 2 and 4 to 7";
    drive.read_alone(2);
    drive.read_alone(3);
    expect_sound(drive.device, drive.host);
}

TEST(ReadCache, AReadWithFuaComesFromFlash) {
    Drive drive(reading_ahead());
    drive.read_alone(0);
    drive.read_alone(1);
    const std::uint64_t before = drive.flash_reads();
    drive.host.read(std::uint64_t{2} * kUnitSectors, kUnitSectors, true);
    drive.device.run();
    EXPECT_EQ(drive.flash_reads(), before + 1);
    EXPECT_EQ(drive.counted("read_cache.hits"), 0.0);
}

TEST(ReadCache, StopsAtTheEndOfTheDevice) {
    Drive drive(reading_ahead());
    const auto units = static_cast<std::uint32_t>(drive.device.config.exported_sectors / kUnitSectors);
    for (std::uint32_t unit = units - 5; unit < units; ++unit) {
        drive.read_alone(unit);
    }
    EXPECT_EQ(drive.counted("read_cache.fetched_units"), 3.0);
    EXPECT_EQ(drive.counted("read_cache.hits"), 3.0);
    expect_sound(drive.device, drive.host);
}

TEST(ReadCache, StreamsHaveSharesOfTheirOwn) {
    Drive drive(reading_ahead(2));
    for (std::uint32_t unit = 0; unit < 40; ++unit) {
        drive.read_alone(unit);
        drive.read_alone(100 + unit);
    }
    EXPECT_EQ(drive.counted("read_cache.hits"), 2 * 38.0);
    EXPECT_EQ(drive.counted("read_cache.unused_units"), 0.0);
    expect_sound(drive.device, drive.host);
}

/// An error of a fetch reaches the host only if it reads the page.
TEST(ReadCache, UncorrectablePagesFailWhereTheHostReadsThem) {
    FirmwareConfig config = reading_ahead();
    Drive drive(config);
    for (std::uint32_t unit = 4; unit < 6; ++unit) {
        const Ppa ppa = drive.device.firmware->translation().locate(Lpn{unit});
        const MediaLayout& layout = drive.device.firmware->layout();
        drive.device.flash
            .unreadable[layout.address(layout.superpage_of(ppa), layout.page_of(layout.slot_of(ppa)))] = true;
    }
    std::uint64_t failed = 0;
    for (std::uint32_t unit = 0; unit < 8; ++unit) {
        drive.read_alone(unit);
        EXPECT_TRUE(drive.host.failed == failed || unit >= 4) << unit;
        failed = drive.host.failed;
    }
    EXPECT_GT(failed, 0U);
    EXPECT_EQ(drive.host.mismatches, 0U);
}

/// Microseconds per unit when `units` are read one after the other at depth 1.
double us_per_unit(FirmwareConfig config, bool written, std::uint32_t units) {
    FakeDevice device(std::move(config), 1);
    ShadowHost host(device, 1);
    if (written) {
        host.write_everything_to_flash();
    }
    const Ps begin = device.clock.now();
    Ps end{0};
    std::uint32_t unit = 0;
    host.ended = [&](hal::HostOpcode opcode) {
        end = device.clock.now();  // fetches after the last read do not count
        if (opcode == hal::HostOpcode::read && ++unit < units) {
            host.read(std::uint64_t{unit} * kUnitSectors, kUnitSectors, false);
        }
    };
    host.read(0, kUnitSectors, false);
    device.run();
    expect_sound(device, host);
    return std::chrono::duration<double, std::micro>(end - begin).count() / units;
}

// A die of the fake flash takes 50 to 60 us for an operation, which reads a superpage of four units. Units 0
// and 1 take one operation each, and units 2 and 3 one together. With parts of 16 units, a part has arrived
// before the host has read the one before.
TEST(ReadCache, DiesOrTheHostAreTheLimitAtDepthOne) {
    constexpr std::uint32_t kUnits = 1600;
    constexpr double kOperationUs = 55.0;
    constexpr double kTolerance = 0.015;  // the mean of 400 operations has a standard deviation of 0.003
    FirmwareConfig four_dies = reading_ahead();
    four_dies.flash.blocks = 64;
    four_dies.read_cache.ahead_bytes *= 4;
    four_dies.read_cache.size_bytes *= 4;
    export_everything(four_dies);
    FirmwareConfig one_die = four_dies;
    one_die.flash.channels = 1;
    one_die.flash.dies = 1;
    export_everything(one_die);
    const double die = (kUnits / 4 + 2) * kOperationUs / kUnits;
    EXPECT_NEAR(us_per_unit(one_die, true, kUnits), die, die * kTolerance);
    // No data was written, so flash has no work; only the first two reads wait for it.
    const double host = us_per_unit(four_dies, false, kUnits) + 2 * kOperationUs / kUnits;
    EXPECT_LT(host, die);
    EXPECT_NEAR(us_per_unit(four_dies, true, kUnits), host, host * kTolerance);
    four_dies.read_cache.size_bytes = 0;
    EXPECT_GT(us_per_unit(four_dies, true, kUnits), kOperationUs) << "without, each unit takes an operation";
}

class ReadCacheStreams : public ::testing::TestWithParam<int> {
  protected:
    const std::uint64_t seed = static_cast<std::uint64_t>(GetParam());
    [[nodiscard]] FirmwareConfig config() const {
        FirmwareConfig config = variant(seed);
        config.read_cache.ahead_bytes = std::uint64_t{config.unit_bytes} << seed % 4;
        config.read_cache.streams = 1 + static_cast<std::uint32_t>(seed % 3);
        config.read_cache.trigger = 1;  // each read is followed by a fetch
        config.read_cache.size_bytes =
            (3 + seed % 3) * config.read_cache.ahead_bytes * config.read_cache.streams;
        return config;
    }
};

TEST_P(ReadCacheStreams, ReturnWhatWasWritten) {
    FakeDevice device(config(), seed);
    ShadowHost host(device, seed);
    host.write_everything();
    ShadowHost::Mix mix;
    mix.max_sectors = seed % 2 == 0 ? 96 : 600;
    host.run(mix, 1500);
    host.read_everything();
    expect_sound(device, host);
    EXPECT_EQ(host.failed, 0U);
    EXPECT_GT(device.firmware->metrics().at("read_cache.hits"), 0.0);
}

TEST_P(ReadCacheStreams, LoseNothingInPowerCuts) {
    FirmwareConfig less = config();
    less.exported_sectors = less.exported_sectors * 8 / 10 / 16 * 16;
    survive(less, seed, 8);
}

INSTANTIATE_TEST_SUITE_P(Seeds, ReadCacheStreams, ::testing::Range(1, 21));

}  // namespace
}  // namespace solidtlm::fw::testing
