// SPDX-License-Identifier: Apache-2.0
//
// What the destager writes to which place, and when the map is updated: drives of 4 parallel units with
// superpages of 2 planes x 2 units.
#include <gtest/gtest.h>

#include <vector>

#include "fw/testing/destaging.h"

namespace solidtlm::fw::testing {
namespace {

TEST_F(Destaging, ASuperpageHoldsUnitsInTheOrderOfTheirWrites) {
    write({7, 3, 9, 5});
    device.run();
    const Ppa first = place(7);
    EXPECT_EQ(first,
              device.firmware->layout().ppa({device.firmware->layout().stripe(0), Superblock{0}, 0}, 0));
    expect_row(first, {3, 9, 5});
    EXPECT_EQ(device.flash.operations[hal::FlashOpcode::program], 2U) << "a page on each plane";
    EXPECT_EQ(count("ftl.written_units"), 4U);
    EXPECT_EQ(count("ftl.padded_units"), 0U);
    expect_all_read_back();
}

TEST_F(Destaging, LessThanASuperpageWaitsForAFlush) {
    write({7, 3, 9});
    device.run();
    EXPECT_EQ(device.flash.operations[hal::FlashOpcode::program], 0U);
    EXPECT_EQ(place(7), kUnmapped);
    flush();
    EXPECT_EQ(device.flash.operations[hal::FlashOpcode::program], 2U);
    EXPECT_NE(place(7), kUnmapped);
    EXPECT_EQ(count("ftl.written_units"), 3U);
    EXPECT_EQ(count("ftl.padded_units"), 1U);
    expect_all_read_back();
}

TEST_F(Destaging, TheMapFollowsTheEndOfTheProgram) {
    const std::vector<std::uint32_t> units{7, 3, 9, 5};
    write(units);
    device.run();
    const std::vector<Ppa> old = places(units);
    write(units);
    run_until_programming();
    EXPECT_EQ(places(units), old);
    device.run();
    EXPECT_EQ(place(7).value,
              device.firmware->layout().ppa({device.firmware->layout().stripe(1), Superblock{0}, 0}, 0).value)
        << "the next parallel unit of the stripe";
    EXPECT_EQ(device.firmware->check(), "") << "what was there before is invalid";
    expect_all_read_back();
}

TEST_F(Destaging, AUnitTrimmedDuringItsProgramIsNotMapped) {
    write({7, 3, 9, 5});
    run_until_programming();
    host.trim({hal::TrimRange{hal::Lba{std::uint64_t{3} * kSectors}, kSectors}});
    device.run();
    EXPECT_EQ(place(3), kUnmapped);
    EXPECT_EQ(place(9).value, place(7).value + 2);
    EXPECT_EQ(count("ftl.written_units"), 3U);
    EXPECT_EQ(device.firmware->check(), "");
    expect_all_read_back();
}

TEST_F(Destaging, AFailedProgramIsWrittenElsewhereAndItsSuperblockRetired) {
    device.flash.program_failure = 1.0;
    write({7, 3, 9, 5});
    while (count("ftl.program_failures") == 0) {
        ASSERT_TRUE(device.clock.run_one());
    }
    device.flash.program_failure = 0.0;
    EXPECT_EQ(place(7), kUnmapped);
    device.run();
    const MediaLayout& layout = device.firmware->layout();
    for (const std::uint32_t unit : {7U, 3U, 9U, 5U}) {
        ASSERT_NE(place(unit), kUnmapped);
        EXPECT_EQ(layout.superpage_of(place(unit)), layout.superpage_of(place(7)))
            << "of one program, as before";
    }
    EXPECT_NE(layout.superpage_of(place(7)), (SuperpageAddress{layout.stripe(0), Superblock{0}, 0}));
    EXPECT_GE(count("ftl.retired_superblocks"), 1U);
    expect_all_read_back();
}

TEST_F(Destaging, APartlyWrittenUnitIsCompletedFromFlash) {
    write({7, 3, 9, 5});
    device.run();
    host.write(std::uint64_t{7} * kSectors + 2, 1, false);
    flush();
    EXPECT_EQ(count("ftl.filled_units"), 1U);
    EXPECT_EQ(count("ftl.padded_units"), 3U);
    expect_all_read_back();
}

// As many superpages as there are parallel units: each unit takes one, in the order of the stripe.
TEST_F(Destaging, DynamicAllocationGoesAlongTheStripe) {
    const MediaLayout& layout = device.firmware->layout();
    for (std::uint32_t superpage = 0; superpage < 2 * layout.pus(); ++superpage) {
        write({4 * superpage, 4 * superpage + 1, 4 * superpage + 2, 4 * superpage + 3});
        device.run();
        EXPECT_EQ(place(4 * superpage),
                  layout.ppa({layout.stripe(superpage), Superblock{0}, superpage / layout.pus()}, 0));
    }
}

struct StaticDestaging : Destaging {
    StaticDestaging() : Destaging(half_full(AllocationMode::static_address)) {}
};

TEST_F(StaticDestaging, AUnitGoesToTheParallelUnitOfItsAddress) {
    const MediaLayout& layout = device.firmware->layout();
    for (std::uint32_t unit = 0; unit < 16 * layout.pus(); ++unit) {
        write({unit});
    }
    flush();
    for (std::uint32_t unit = 0; unit < 16 * layout.pus(); ++unit) {
        EXPECT_EQ(layout.pu_of(place(unit)), layout.home_of(Lpn{unit})) << unit;
    }
    expect_all_read_back();
}

}  // namespace
}  // namespace solidtlm::fw::testing
