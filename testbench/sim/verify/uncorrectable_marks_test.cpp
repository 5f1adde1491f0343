// SPDX-License-Identifier: Apache-2.0
#include "testbench/sim/verify/uncorrectable_marks.h"

#include <gtest/gtest.h>

namespace solidtlm::testbench {
namespace {

using hal::Lba;
using Sectors = std::vector<std::uint64_t>;

TEST(UncorrectableMarks, AReadStopsAtTheFirstCertainOne) {
    UncorrectableMarks marks;
    marks.mark(Lba{10}, 4);
    EXPECT_EQ(marks.stops(Lba{0}, 10).at, Sectors{});
    EXPECT_FALSE(marks.stops(Lba{0}, 10).certain);
    EXPECT_EQ(marks.stops(Lba{0}, 11).at, Sectors{10});
    EXPECT_EQ(marks.stops(Lba{12}, 50).at, Sectors{12});
    EXPECT_TRUE(marks.stops(Lba{12}, 50).certain);
    EXPECT_EQ(marks.stops(Lba{14}, 50).at, Sectors{});
}

TEST(UncorrectableMarks, AWriteThatHasNotEndedMayHaveClearedThem) {
    UncorrectableMarks marks;
    marks.mark(Lba{10}, 4);
    marks.changing(Lba{8}, 4);
    const UncorrectableMarks::Stops stops = marks.stops(Lba{0}, 100);
    EXPECT_EQ(stops.at, (Sectors{10, 11, 12}));
    EXPECT_TRUE(stops.certain);
    EXPECT_TRUE(stops.allows(11));
    EXPECT_FALSE(stops.allows(13));
    EXPECT_FALSE(marks.stops(Lba{0}, 12).certain);
    marks.cleared(Lba{8}, 4);
    EXPECT_EQ(marks.stops(Lba{0}, 100).at, Sectors{12});
    marks.changing(Lba{12}, 1);
    marks.mark(Lba{12}, 1);
    EXPECT_TRUE(marks.stops(Lba{12}, 1).certain) << "marked again";
    marks.power_cut();
    EXPECT_EQ(marks.stops(Lba{0}, 100).at, Sectors{});
}

}  // namespace
}  // namespace solidtlm::testbench
