// SPDX-License-Identifier: Apache-2.0
//
// FAST on examples worked by hand from docs/block-map.md. Blocks of four pages; a, b, c: logical blocks 0,
// 1, 2.
#include "fw/block_map/block_test_support.h"

namespace solidtlm::fw {
namespace {

TEST(Fast, InOrderOverwriteOfAWholeBlockIsASwitch) {
    Bench bench(Example("fast", 2));
    EXPECT_EQ(bench.write({0, 1, 2, 3}), (Steps{.host = 4}));
    EXPECT_EQ(bench.write({0, 1, 2, 3}), (Steps{.host = 4, .erases = 1, .switches = 1}));
    EXPECT_EQ(bench.layer().log_blocks(), 0U);
}

TEST(Fast, AnotherStartMakesThePrefixAPartialMerge) {
    Bench bench(Example("fast", 2));
    bench.write_range(0, 8);
    bench.write({0, 1, 2});  // SW of a with three pages
    // Offset 0 of b: SW needs page 3 of a from its data block, which is erased; then SW of b begins.
    EXPECT_EQ(bench.write({4}), (Steps{.host = 1, .copies = 1, .erases = 1, .partial = 1}));
    EXPECT_EQ(bench.offset(3), 3U);
}

TEST(Fast, ASequentialBlockThatLacksNothingIsSwitchedWhenItsOwnerStraysFromIt) {
    Bench bench(Example("fast", 2));
    bench.write({0, 1});
    bench.write({0, 1});  // SW holds all data of a
    // Page 1 is not SW's next: a switch without copies. Then page 1's own place is used: a random log block.
    EXPECT_EQ(bench.write({1}), (Steps{.host = 1, .erases = 1, .switches = 1}));
    EXPECT_EQ(bench.layer().log_blocks(), 1U);
}

TEST(Fast, AfterTheOwnersMergeThePageMayHaveItsPlace) {
    Bench bench(Example("fast", 2));
    bench.write({0, 1, 3});  // the rule forbids page 2 now
    bench.trim({3});
    bench.write({0});  // SW
    EXPECT_EQ(bench.write({3}), (Steps{.host = 1, .copies = 1, .erases = 1, .partial = 1}));
    EXPECT_EQ(bench.counters().update_pure, 1U)
        << "page 0 alone; 3 went to its place in the block that was SW";
    EXPECT_EQ(bench.layer().log_blocks(), 0U);
}

TEST(Fast, ClearingARandomBlockWithPagesOfThreeLogicalBlocks) {
    Bench bench(Example("fast", 2));
    bench.write_range(0, 16);
    EXPECT_EQ(bench.write({1, 5, 9, 2}), (Steps{.host = 4}));  // RW: a, b, c, a
    // Full: three full merges of four pages each, 3 + 1 erases; then page 13 opens a new RW.
    EXPECT_EQ(bench.write({13}), (Steps{.host = 1, .copies = 12, .erases = 4, .full = 3}));
    EXPECT_EQ(bench.layer().log_blocks(), 1U);
}

TEST(Fast, ARandomBlockWithoutNewestDataIsDroppedWhenItsTurnComes) {
    Bench bench(Example("fast", 3));
    bench.write_range(0, 4);
    EXPECT_EQ(bench.write({1, 1, 1, 1}), (Steps{.host = 4}));
    EXPECT_EQ(bench.write({1, 1, 1, 1}), (Steps{.host = 4})) << "a second RW; the first has nothing now";
    EXPECT_EQ(bench.write({1}), (Steps{.host = 1, .erases = 1, .drops = 1}));
    EXPECT_EQ(bench.layer().log_blocks(), 2U);
}

TEST(Fast, AFullMergeTakesTheSequentialBlockOfItsOwnerAlong) {
    Bench bench(Example("fast", 2));
    bench.write_range(0, 8);
    bench.write({2, 5, 5, 5});  // RW: page 2 of a, page 5 of b (and two old versions)
    bench.write({0});           // SW of a
    // a: 0 from SW, 1 and 3 from D(a), 2 from RW; D(a) and SW erased. b: D(b) erased. Finally RW: 4 erases.
    EXPECT_EQ(bench.write({6}), (Steps{.host = 1, .copies = 8, .erases = 4, .full = 2}));
    EXPECT_EQ(bench.layer().log_blocks(), 1U);
}

TEST(Fast, APartialMergeGathersFromRandomBlocks) {
    Bench bench(Example("fast", 2));
    bench.write_range(0, 8);
    bench.write({3});     // RW
    bench.write({0, 1});  // SW
    // Page 2 from D(a), page 3 from RW.
    EXPECT_EQ(bench.write({4}), (Steps{.host = 1, .copies = 2, .erases = 1, .partial = 1}));
    // Page 6 is not the next page of b's SW: 1 to 3 of b are copied from D(b). Then the RW takes three
    // writes.
    EXPECT_EQ(bench.write({6, 6, 6}), (Steps{.host = 3, .copies = 3, .erases = 1, .partial = 1}));
    // RW is full and has newest data of b alone: D(b) and RW are erased.
    EXPECT_EQ(bench.write({6}), (Steps{.host = 1, .copies = 4, .erases = 2, .full = 1}));
}

TEST(Fast, KindsOfWritesWithAndWithoutTheRule) {
    for (const bool rule : {true, false}) {
        Example example("fast", 2);
        example.geometry.ascending_pages = rule;
        Bench bench(example);
        bench.write({2, 1, 1, 2});
        // 2 in place. Rule: 1 lies below (wasted), its second write is an overwrite of an unused place, 2 is
        // a plain overwrite. No rule: 1 in place, then two overwrites.
        EXPECT_EQ(bench.counters().write_data, rule ? 1U : 2U);
        EXPECT_EQ(bench.counters().update_wasted, rule ? 1U : 0U);
        EXPECT_EQ(bench.counters().update_pure, 2U);
        EXPECT_EQ(bench.counters().update_pure_unused_place, rule ? 1U : 0U);
        EXPECT_EQ(bench.layer().data_pages_programmed(), rule ? 1U : 2U);
    }
}

TEST(Fast, TheRuleHoldsForEachColumn) {
    Example example("fast", 2);
    example.geometry = {20, 8, 4, 64, true};  // four columns of two pages
    Bench bench(example);
    // Page 5 is the second of column 1: page 1 is lost, 0, 2 and 3 are not.
    bench.write({5, 0, 2, 3, 6});
    EXPECT_EQ(bench.counters().write_data, 5U);
    bench.write({1});
    EXPECT_EQ(bench.counters().update_wasted, 1U);
}

TEST(Fast, TrimmingTheLastPageDropsDataAndSequentialBlock) {
    Bench bench(Example("fast", 2));
    bench.write({0, 1});
    bench.write({0});
    EXPECT_EQ(bench.trim({0}), Steps{});
    EXPECT_EQ(bench.trim({1}), (Steps{.erases = 2, .drops = 1}));
    EXPECT_EQ(bench.layer().data_blocks(), 0U);
    EXPECT_EQ(bench.layer().log_blocks(), 0U);
}

TEST(Fast, AMergeCopiesNoPageWithoutData) {
    Bench bench(Example("fast", 2));
    bench.write_range(0, 4);
    bench.trim({2});
    EXPECT_EQ(bench.write({1, 1, 1, 1}), (Steps{.host = 4}));
    EXPECT_EQ(bench.write({1}), (Steps{.host = 1, .copies = 3, .erases = 2, .full = 1}))
        << "pages 0, 1 and 3; D(a) and RW";
}

}  // namespace
}  // namespace solidtlm::fw
