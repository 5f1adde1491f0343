// SPDX-License-Identifier: Apache-2.0
//
// FMAX on examples worked by hand from docs/block-map.md. Blocks of four pages; a, b, c: logical blocks 0,
// 1, 2.
#include "fw/block_map/block_test_support.h"

namespace solidtlm::fw {
namespace {

Example example_of(std::uint32_t log_blocks, bool rule) {
    Example example("fmax", log_blocks);
    example.geometry.ascending_pages = rule;
    return example;
}

TEST(Fmax, InOrderOverwriteOfAWholeBlockIsASwitch) {
    Bench bench(example_of(1, true));
    bench.write({0, 1, 2, 3});
    EXPECT_EQ(bench.write({0, 1, 2, 3}), (Steps{.host = 4, .erases = 1, .switches = 1}));
}

TEST(Fmax, WithoutTheRuleAnyOrderIsASwitch) {
    Bench bench(example_of(1, false));
    bench.write({0, 1, 2, 3});
    EXPECT_EQ(bench.write({3, 1, 0, 2}), (Steps{.host = 4, .erases = 1, .switches = 1}));
}

TEST(Fmax, APageThatTheRuleForbidsMakesTheMirrorCompound) {
    Bench bench(example_of(1, true));
    bench.write({0, 1, 2, 3});
    EXPECT_EQ(bench.write({1}), (Steps{.host = 1}));  // at offset 1
    // 0 is not writable any more: compound, and the lowest writable offset is 2.
    EXPECT_EQ(bench.write({0}), (Steps{.host = 1}));
    EXPECT_EQ(bench.offset(0), 2U);
    EXPECT_EQ(bench.write({3}), (Steps{.host = 1}));  // at 3
    EXPECT_EQ(bench.write({2}), (Steps{.host = 1, .copies = 4, .erases = 2, .full = 1}));
}

TEST(Fmax, ASimpleMirrorWithoutRoomIsMergedAsACompoundOne) {
    Bench bench(example_of(1, true));
    bench.write({0, 1, 2, 3});
    bench.write({3});
    EXPECT_EQ(bench.write({1}), (Steps{.host = 1, .copies = 4, .erases = 2, .full = 1}));
    EXPECT_EQ(bench.offset(1), 1U) << "in a new mirror";
}

TEST(Fmax, ASecondOverwriteGoesToTheLowestFreePage) {
    Bench bench(example_of(1, false));
    bench.write({0, 1, 2, 3});
    EXPECT_EQ(bench.write({2, 2}), (Steps{.host = 2}));
    EXPECT_EQ(bench.offset(2), 0U);
    EXPECT_EQ(bench.write({3}), (Steps{.host = 1}));
    EXPECT_EQ(bench.offset(3), 1U) << "compound for good";
    EXPECT_EQ(bench.write({0}), (Steps{.host = 1}));
    EXPECT_EQ(bench.offset(0), 3U);
    EXPECT_EQ(bench.write({0}), (Steps{.host = 1, .copies = 4, .erases = 2, .full = 1}));
}

TEST(Fmax, ASimpleMirrorThatLacksLaterPagesIsAPartialMerge) {
    Bench bench(example_of(1, true));
    bench.write_range(0, 8);
    bench.write({0, 1});
    EXPECT_EQ(bench.write({4}), (Steps{.host = 1, .copies = 2, .erases = 1, .partial = 1}));
}

TEST(Fmax, TheRuleDecidesWhetherEarlierPagesCanBeAdded) {
    for (const bool rule : {true, false}) {
        Bench bench(example_of(1, rule));
        bench.write_range(0, 8);
        bench.write({1, 2});
        EXPECT_EQ(bench.write({4}), rule ? (Steps{.host = 1, .copies = 4, .erases = 2, .full = 1})
                                         : (Steps{.host = 1, .copies = 2, .erases = 1, .partial = 1}));
    }
}

TEST(Fmax, AMirrorWithAllDataThereIsIsASwitch) {
    Bench bench(example_of(1, true));
    bench.write({1, 2, 1, 2, 4});
    EXPECT_EQ(bench.write({4}), (Steps{.host = 1, .erases = 1, .switches = 1}));
}

TEST(Fmax, TheMirrorWrittenLeastRecentlyGivesWay) {
    Bench bench(example_of(2, true));
    bench.write_range(0, 16);
    bench.write({0, 4, 5, 1, 2});  // mirror of a lacks one page, that of b two
    EXPECT_EQ(bench.write({8}), (Steps{.host = 1, .copies = 2, .erases = 1, .partial = 1})) << "b";
}

TEST(Fmax, TrimmingTheLastPageDropsDataAndMirror) {
    Bench bench(example_of(1, true));
    bench.write({0, 0});
    EXPECT_EQ(bench.trim({0}), (Steps{.erases = 2, .drops = 1}));
}

TEST(Fmax, TheLowestWritablePageUnderTheRuleIsThatOfAnyColumn) {
    Example example = example_of(1, true);
    example.geometry = {12, 8, 2, 64, true};  // four rows of two
    Bench bench(example);
    bench.write_range(0, 8);
    bench.write({4});  // column 0, row 2; rows 0 and 1 of that column can no longer be written
    EXPECT_EQ(bench.write({4, 4, 4, 4}), (Steps{.host = 4}));
    EXPECT_EQ(bench.offset(4), 6U) << "after 1, 3 and 5 of column 1";
    EXPECT_EQ(bench.write({4}), (Steps{.host = 1}));
    EXPECT_EQ(bench.write({4}), (Steps{.host = 1, .copies = 8, .erases = 2, .full = 1}));
}

}  // namespace
}  // namespace solidtlm::fw
