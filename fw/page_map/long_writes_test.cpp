// SPDX-License-Identifier: Apache-2.0
//
// Long writes that go past an SLC cache, worked by hand. Superpages have 4 units, and superblocks 8 of them;
// the cache has 2 superblocks with 4 superpages in each of the 4 parallel units. Writes of one unit go to it.
#include <gtest/gtest.h>

#include <vector>

#include "fw/needs.h"
#include "fw/testing/destaging.h"

namespace solidtlm::fw::testing {
namespace {

constexpr std::uint32_t kSlcPages = 4;
constexpr std::uint32_t kCacheUnits = 4 * 2 * kSlcPages * 4;

FirmwareConfig by_length(SlcCacheMode mode, SlcCacheFull full, std::uint32_t pages_per_program) {
    FirmwareConfig config = tiny_config();
    config.flash.blocks = 24;
    config.flash.slc_pages = kSlcPages;
    config.flash.pages = 8 * pages_per_program;
    config.flash.pages_per_program = pages_per_program;
    if (pages_per_program > 1) {
        config.flash.pages = kSlcPages * pages_per_program;
    }
    config.slc_cache.mode = mode;
    config.slc_cache.size_bytes = std::uint64_t{kCacheUnits} * config.unit_bytes;
    config.slc_cache.static_bytes = config.slc_cache.size_bytes / 2;
    config.slc_cache.full = full;
    config.slc_cache.fold_when_idle = false;
    config.slc_cache.largest_write_bytes = config.unit_bytes;
    export_everything(config);
    config.exported_sectors = config.exported_sectors / 2 / 64 * 64;
    return config;
}

class LongWrites : public Destaging {
  public:
    explicit LongWrites(const FirmwareConfig& config = by_length(SlcCacheMode::fixed, SlcCacheFull::bypass,
                                                                 1))
        : Destaging(config) {}
    void write_long(std::uint32_t first, std::uint32_t units, bool fua = false) {
        host.write(std::uint64_t{first} * kSectors, units * kSectors, fua);
    }
    [[nodiscard]] bool in_cache(std::uint32_t unit) const {
        const MediaLayout& layout = device.firmware->layout();
        if (place(unit) == kUnmapped) {
            ADD_FAILURE() << "unit " << unit << " is not on flash";
            return false;
        }
        return device.flash.in_slc_mode(layout.address(layout.superpage_of(place(unit)), 0));
    }
    void expect_in_cache(const std::vector<std::uint32_t>& units, bool cached) const {
        for (const std::uint32_t unit : units) {
            EXPECT_EQ(in_cache(unit), cached) << unit;
        }
    }
    /// Units that went to the cache; past it because their writes were long; and past it because it was full.
    void expect_units(std::uint64_t cached, std::uint64_t of_long, std::uint64_t when_full) const {
        EXPECT_EQ(count("slc_cache.written_units"), cached);
        EXPECT_EQ(count("slc_cache.long_units"), of_long);
        EXPECT_EQ(count("slc_cache.bypassed_units"), of_long + when_full);
        EXPECT_EQ(count("ftl.written_units"), cached + of_long + when_full);
    }
};

TEST_F(LongWrites, GoPastTheCacheAndTheOthersIntoIt) {
    write({7, 3, 9, 5});
    write_long(16, 2);
    write_long(18, 2);
    device.run();
    expect_in_cache({7, 3, 9, 5}, true);
    expect_in_cache({16, 17, 18, 19}, false);
    expect_units(4, 4, 0);
    EXPECT_EQ(count("ftl.padded_units"), 0U);
    EXPECT_EQ(device.flash.operations[hal::FlashOpcode::program], 4U) << "a page on each plane, twice";
    expect_all_read_back();
}

TEST_F(LongWrites, ShareNoSuperpageWithOthers) {
    write({7});
    write_long(16, 3);
    write({3, 9});
    write_long(40, 3);
    device.run();
    expect_units(0, 4, 0);
    write({5});
    write_long(50, 2);
    device.run();
    expect_row(place(7), {3, 9, 5});
    expect_row(place(16), {17, 18, 40});
    expect_row(place(41), {42, 50, 51});
    expect_units(4, 8, 0);
    EXPECT_EQ(count("ftl.padded_units"), 0U);
    expect_all_read_back();
}

// 5 units of a long write fill a superpage, and one waits for the flush, as does the short write.
TEST_F(LongWrites, AreFlushedAsTheOthersAre) {
    write({7});
    write_long(16, 5);
    device.run();
    expect_units(0, 4, 0);
    flush();
    expect_in_cache({7}, true);
    expect_in_cache({16, 17, 18, 19, 20}, false);
    expect_units(1, 5, 0);
    EXPECT_EQ(count("ftl.padded_units"), 3U + 3U);
    expect_all_read_back();
}

TEST_F(LongWrites, MayBeDurableAtOnce) {
    write({7});
    write_long(16, 2, true);
    device.run();
    expect_in_cache({16, 17}, false);
    EXPECT_EQ(host.completed, host.submitted);
    expect_all_read_back();
}

TEST_F(LongWrites, TheLastWriteOfAUnitDecides) {
    write_long(16, 2);
    device.run();
    host.write(std::uint64_t{16} * kSectors + 2, 1, false);
    write({3});
    device.run();
    write_long(3, 2);
    host.write(std::uint64_t{31} * kSectors - 3, kSectors + 3, false);  // the end of one unit, and the next
    flush();
    expect_in_cache({16}, true);
    expect_in_cache({17, 3, 4, 30, 31}, false);
    expect_units(1, 5, 0);
    expect_all_read_back();
}

TEST_F(LongWrites, AShortVersionFollowsALongOneThatIsBeingProgrammed) {
    write_long(16, 4);
    run_until_programming();
    write({16});
    flush();
    expect_in_cache({16}, true);
    expect_in_cache({17, 18, 19}, false);
    expect_units(1, 4, 0);
    expect_all_read_back();
}

TEST_F(LongWrites, AFullCacheSendsOthersPastItToo) {
    for (std::uint32_t unit = 0; unit < kCacheUnits + 4; ++unit) {
        write({unit});
        device.run();
    }
    write_long(kCacheUnits + 4, 4);
    device.run();
    expect_in_cache({0, kCacheUnits - 1}, true);
    expect_in_cache({kCacheUnits, kCacheUnits + 4}, false);
    expect_units(kCacheUnits, 4, 4);
    expect_all_read_back();
}

TEST_F(LongWrites, LeaveTheCacheByTrimAsOthers) {
    write({7, 3, 9, 5});
    write_long(16, 4);
    run_until_programming();
    host.trim({hal::TrimRange{hal::Lba{std::uint64_t{17} * kSectors}, kSectors},
               hal::TrimRange{hal::Lba{std::uint64_t{3} * kSectors}, kSectors}});
    device.run();
    EXPECT_EQ(place(17), kUnmapped);
    EXPECT_EQ(place(3), kUnmapped);
    EXPECT_EQ(device.firmware->check(), "");
    expect_all_read_back();
}

/// Many short and long writes to different units, one long one of 4 units after 4 short ones.
struct LongAndShortWrites : public LongWrites {
    using LongWrites::LongWrites;
    static constexpr std::uint32_t kRounds = 3 * kCacheUnits / 4;
    void write_both() {
        for (std::uint32_t round = 0; round < kRounds; ++round) {
            const std::uint32_t first = 8 * round;
            write({first, first + 1, first + 2, first + 3});
            write_long(first + 4, 4);
            if (round % 4 == 3) {
                device.run();
            }
        }
        device.run();
    }
    /// Programmed units, per unit that the host wrote.
    [[nodiscard]] double programs_per_unit() const {
        return static_cast<double>(device.flash.operations.at(hal::FlashOpcode::program) * 2) /
               static_cast<double>(count("ftl.written_units"));
    }
};

struct LongWritesWithFolding : public LongAndShortWrites, public ::testing::WithParamInterface<SlcCacheMode> {
    LongWritesWithFolding() : LongAndShortWrites(by_length(GetParam(), SlcCacheFull::fold, 1)) {}
};
INSTANTIATE_TEST_SUITE_P(Modes, LongWritesWithFolding,
                         ::testing::Values(SlcCacheMode::fixed, SlcCacheMode::dynamic));

// Three caches of short writes wait for folding, and are programmed 1 + 1 times where they are folded; long
// writes do not wait, and are programmed once.
TEST_P(LongWritesWithFolding, NeitherWaitForItNorAreFolded) {
    write_both();
    constexpr std::uint32_t kEach = 4 * kRounds;
    expect_units(kEach, kEach, 0);
    const std::uint64_t folded = count("slc_cache.folded_units");
    EXPECT_GE(folded, kEach - kCacheUnits);
    EXPECT_EQ(count("gc.moved_units"), folded);
    EXPECT_EQ(count("ftl.padded_units") + count("gc.padded_units"), 0U);
    EXPECT_DOUBLE_EQ(programs_per_unit(), 1.0 + static_cast<double>(folded) / (2 * kEach));
    for (std::uint32_t round = 0; round < kRounds; ++round) {
        expect_in_cache({8 * round + 4, 8 * round + 7}, false);
    }
    expect_all_read_back();
}

/// A word line of 2 pages is a superpage of 8 units; in the cache it is one page and 4 units.
struct LongWritesOfWordLines : public LongWrites {
    LongWritesOfWordLines() : LongWrites(by_length(SlcCacheMode::dynamic, SlcCacheFull::bypass, 2)) {}
};

TEST_F(LongWritesOfWordLines, WaitForAWholeWordLine) {
    write({7, 3, 9, 5});
    write_long(16, 7);
    device.run();
    expect_units(4, 0, 0);
    write({1});
    write_long(40, 2);
    device.run();
    expect_units(4, 8, 0);
    expect_row(place(16), {17, 18, 19, 20, 21, 22, 40});
    flush();
    expect_units(5, 9, 0);
    EXPECT_EQ(count("ftl.padded_units"), 3U + 7U);
    expect_all_read_back();
}

struct LongWritesToTheirUnits : public LongWrites {
    LongWritesToTheirUnits() : LongWrites(of_addresses()) {}
    static FirmwareConfig of_addresses() {
        FirmwareConfig config = by_length(SlcCacheMode::hybrid, SlcCacheFull::bypass, 1);
        config.allocation.mode = AllocationMode::static_address;
        return config;
    }
};

TEST_F(LongWritesToTheirUnits, StayInTheParallelUnitOfTheirAddress) {
    const MediaLayout& layout = device.firmware->layout();
    for (std::uint32_t unit = 0; unit < 16 * layout.pus(); unit += 4) {
        write({unit, unit + 1});
        write_long(unit + 2, 2);
    }
    flush();
    for (std::uint32_t unit = 0; unit < 16 * layout.pus(); ++unit) {
        EXPECT_EQ(layout.pu_of(place(unit)), layout.home_of(Lpn{unit})) << unit;
        expect_in_cache({unit}, unit % 4 < 2);
    }
    expect_all_read_back();
}

}  // namespace
}  // namespace solidtlm::fw::testing
