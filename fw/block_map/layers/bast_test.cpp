// SPDX-License-Identifier: Apache-2.0
//
// BAST on examples worked by hand from docs/block-map.md. Blocks of four pages; a, b, c: logical blocks 0,
// 1, 2.
#include "fw/block_map/block_test_support.h"

namespace solidtlm::fw {
namespace {

/// All logical blocks full.
Bench filled(const Example& example) {
    Bench bench(example);
    bench.write_range(0, example.geometry.logical_pages);
    return bench;
}

TEST(Bast, InOrderOverwriteOfAWholeBlockIsASwitch) {
    Bench bench = filled(Example("bast", 1));
    EXPECT_EQ(bench.write({0, 1, 2, 3}), (Steps{.host = 4, .erases = 1, .switches = 1}));
    EXPECT_EQ(bench.layer().log_blocks(), 0U);
}

TEST(Bast, APrefixInOrderIsAPartialMerge) {
    for (std::uint32_t prefix = 1; prefix < 4; ++prefix) {
        Bench bench = filled(Example("bast", 1));
        bench.write_range(0, prefix);
        // b takes the only log block: the other pages of a are copied after the prefix.
        EXPECT_EQ(bench.write({4}), (Steps{.host = 1, .copies = 4 - prefix, .erases = 1, .partial = 1}));
    }
}

TEST(Bast, ScatteredPagesAreAFullMerge) {
    Bench bench = filled(Example("bast", 1));
    bench.write({2, 1});
    EXPECT_EQ(bench.write({4}), (Steps{.host = 1, .copies = 4, .erases = 2, .full = 1}));
}

TEST(Bast, AFullLogBlockOutOfOrderIsMergedWhenItsOwnerWritesAgain) {
    Bench bench = filled(Example("bast", 2));
    EXPECT_EQ(bench.write({0, 0, 0, 0}), (Steps{.host = 4}));
    EXPECT_EQ(bench.write({4}), (Steps{.host = 1})) << "b has a log block of its own";
    EXPECT_EQ(bench.write({0}), (Steps{.host = 1, .copies = 4, .erases = 2, .full = 1}));
    EXPECT_EQ(bench.layer().log_blocks(), 2U);
}

TEST(Bast, APrefixThatIsAllDataThereIsIsASwitch) {
    Bench bench(Example("bast", 1));
    bench.write({0, 1, 0, 1, 4});
    EXPECT_EQ(bench.write({4}), (Steps{.host = 1, .erases = 1, .switches = 1}));
}

TEST(Bast, ATrimmedPageOfThePrefixLeavesItInOrder) {
    Bench bench = filled(Example("bast", 1));
    bench.write({0, 1});
    bench.trim({0, 3});
    EXPECT_EQ(bench.write({4}), (Steps{.host = 1, .copies = 1, .erases = 1, .partial = 1})) << "page 2";
}

TEST(Bast, TheLogBlockWrittenLeastRecentlyGivesWay) {
    Bench bench = filled(Example("bast", 2));
    bench.write({0, 4, 1});  // a: prefix of two, written last; b: prefix of one
    EXPECT_EQ(bench.write({8}), (Steps{.host = 1, .copies = 3, .erases = 1, .partial = 1})) << "b";
    EXPECT_EQ(bench.write({12}), (Steps{.host = 1, .copies = 2, .erases = 1, .partial = 1})) << "a";
}

TEST(Bast, TrimmingTheLastPageDropsDataAndLogBlock) {
    Bench bench(Example("bast", 1));
    bench.write({2, 2});
    EXPECT_EQ(bench.trim({2}), (Steps{.erases = 2, .drops = 1}));
    bench.write({2});
    EXPECT_EQ(bench.trim({2}), (Steps{.erases = 1, .drops = 1}));
}

TEST(Bast, FirstWritesBelowAreWastedUnderTheRuleAlone) {
    for (const bool rule : {true, false}) {
        Example example("bast", 1);
        example.geometry.ascending_pages = rule;
        Bench bench(example);
        bench.write({3, 0, 1, 2});
        EXPECT_EQ(bench.counters().write_data, rule ? 1U : 4U);
        EXPECT_EQ(bench.counters().update_wasted, rule ? 3U : 0U);
        // Under the rule pages 0 to 2 lie in the log block in order: page 3 is copied after them.
        EXPECT_EQ(bench.write({4, 4}),
                  rule ? (Steps{.host = 2, .copies = 1, .erases = 1, .partial = 1}) : (Steps{.host = 2}));
    }
}

TEST(Bast, ATrimmedPageThatIsWrittenAgainIsAnUpdate) {
    Bench bench(Example("bast", 1));
    bench.write({0, 1});
    bench.trim({1});
    bench.write({1});
    EXPECT_EQ(bench.counters().update_pure, 1U);
    EXPECT_EQ(bench.counters().update_pure_unused_place, 0U);
}

TEST(Bast, LogBlocksAreFilledAcrossColumns) {
    Example example("bast", 1);
    example.geometry = {12, 8, 4, 64, true};
    Bench bench = filled(example);
    EXPECT_EQ(bench.write_range(0, 8), (Steps{.host = 8, .erases = 1, .switches = 1}));
}

}  // namespace
}  // namespace solidtlm::fw
