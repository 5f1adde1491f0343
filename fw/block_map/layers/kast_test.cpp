// SPDX-License-Identifier: Apache-2.0
//
// KAST on examples worked by hand from docs/block-map.md. Blocks of four pages; a ... e: logical blocks 0
// ... 4.
#include "fw/block_map/block_test_support.h"

namespace solidtlm::fw {
namespace {

/// All logical blocks full.
Bench kast_bench(std::uint32_t log_blocks, std::uint32_t associativity, std::uint32_t sequential = 1) {
    Example example("kast", log_blocks);
    example.config.block_map.associativity = associativity;
    example.config.block_map.sequential_logs = sequential;
    Bench bench(example);
    bench.write_range(0, example.geometry.logical_pages);
    return bench;
}

TEST(Kast, InOrderOverwriteOfAWholeBlockIsASwitch) {
    Bench bench = kast_bench(2, 2);
    EXPECT_EQ(bench.write({0, 1, 2, 3}), (Steps{.host = 4, .erases = 1, .switches = 1}));
    EXPECT_EQ(bench.layer().log_blocks(), 0U);
}

TEST(Kast, AnotherStartMakesThePrefixAPartialMerge) {
    Bench bench = kast_bench(2, 2);
    bench.write({0, 1});
    EXPECT_EQ(bench.write({4}), (Steps{.host = 1, .copies = 2, .erases = 1, .partial = 1}));
    EXPECT_EQ(bench.write({4}), (Steps{.host = 1, .copies = 3, .erases = 1, .partial = 1})) << "its own, too";
}

TEST(Kast, OfSeveralSequentialBlocksTheOneWrittenLeastRecentlyGivesWay) {
    Bench bench = kast_bench(4, 2, 2);
    EXPECT_EQ(bench.write({0, 4, 5, 1, 2}), (Steps{.host = 5}));
    EXPECT_EQ(bench.write({8}), (Steps{.host = 1, .copies = 2, .erases = 1, .partial = 1})) << "b";
}

TEST(Kast, ASequentialBlockThatItsOwnerStraysFromBecomesARandomOne) {
    Bench bench = kast_bench(2, 2);
    bench.write({0, 1});
    EXPECT_EQ(bench.write({1}), (Steps{.host = 1}));
    EXPECT_EQ(bench.offset(1), 2U) << "the next page of the same block";
    EXPECT_EQ(bench.layer().log_blocks(), 1U);
    EXPECT_EQ(bench.write({0}), (Steps{.host = 1}));
    EXPECT_EQ(bench.layer().log_blocks(), 2U) << "a new sequential one";
}

TEST(Kast, ARandomBlockHoldsFewLogicalBlocks) {
    Bench bench = kast_bench(2, 1);
    EXPECT_EQ(bench.write({1, 5}), (Steps{.host = 2}));  // a block each
    EXPECT_EQ(bench.write({9}), (Steps{.host = 1, .copies = 4, .erases = 2, .full = 1})) << "a is cleared";
    EXPECT_EQ(bench.write({6, 10}), (Steps{.host = 2})) << "b and c have theirs";
}

TEST(Kast, TheBlockWithFewestLogicalBlocksIsSharedFirst) {
    Bench bench = kast_bench(2, 2);
    EXPECT_EQ(bench.write({1, 5, 9, 13}), (Steps{.host = 4}));  // first block: a, c; second: b, d
    EXPECT_EQ(bench.offset(9), 1U);
    // No room for e: the first block is cleared, a and c.
    EXPECT_EQ(bench.write({17}), (Steps{.host = 1, .copies = 8, .erases = 3, .full = 2}));
    // The second block is cleared for the next write but one: b and d.
    EXPECT_EQ(bench.write({21}), (Steps{.host = 1}));
    EXPECT_EQ(bench.write({25}), (Steps{.host = 1, .copies = 8, .erases = 3, .full = 2}));
}

TEST(Kast, ALogicalBlockIsAssociatedOnlyWhileItHasNewestDataThere) {
    Bench bench = kast_bench(2, 1);
    bench.write({1, 5});
    bench.trim({1});
    EXPECT_EQ(bench.write({9}), (Steps{.host = 1})) << "c takes the place of a";
    EXPECT_EQ(bench.offset(9), 1U);
}

TEST(Kast, TheOldestMayBeASequentialBlock) {
    Bench bench = kast_bench(2, 1);
    bench.write({0, 5});
    EXPECT_EQ(bench.write({9}), (Steps{.host = 1, .copies = 3, .erases = 1, .partial = 1}));
}

TEST(Kast, AFullMergeGathersFromSeveralLogBlocks) {
    Bench bench = kast_bench(3, 1);
    bench.write({1, 1, 1, 1, 2, 5});  // a fills a block and begins a second one; b has the third
    // The oldest is a's first log block: page 1 comes from it, 2 from the second, 0 and 3 from the data
    // block.
    EXPECT_EQ(bench.write({9}), (Steps{.host = 1, .copies = 4, .erases = 2, .full = 1}));
}

TEST(Kast, AFullMergeTakesTheSequentialBlockOfItsOwnerAlong) {
    Bench bench = kast_bench(2, 1);
    bench.write({1, 0});  // a random and a sequential block of a
    EXPECT_EQ(bench.write({5}), (Steps{.host = 1, .copies = 4, .erases = 3, .full = 1}));
    EXPECT_EQ(bench.layer().log_blocks(), 1U);
}

TEST(Kast, ABlockWithoutNewestDataIsDroppedWhenItsTurnComes) {
    Bench bench = kast_bench(2, 1);
    EXPECT_EQ(bench.write({1, 1, 1, 1, 1}), (Steps{.host = 5}));
    EXPECT_EQ(bench.write({5}), (Steps{.host = 1, .erases = 1, .drops = 1}));
}

TEST(Kast, TrimmingTheLastPageDropsDataAndSequentialBlock) {
    Bench bench = kast_bench(2, 1);
    bench.write({0});
    EXPECT_EQ(bench.trim({0, 1, 2, 3}), (Steps{.erases = 2, .drops = 1}));
}

}  // namespace
}  // namespace solidtlm::fw
