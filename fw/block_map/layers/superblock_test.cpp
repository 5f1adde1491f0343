// SPDX-License-Identifier: Apache-2.0
//
// Superblocks on examples worked by hand from docs/block-map.md: two logical blocks of four pages and one log
// block each.
#include "fw/block_map/block_test_support.h"

namespace solidtlm::fw {
namespace {

/// All logical blocks full.
Bench superblock_bench(std::uint32_t log_blocks, std::uint32_t superblock_logs = 1,
                       std::uint32_t logical_pages = 32) {
    Example example("superblock", log_blocks);
    example.config.block_map.superblock_blocks = 2;
    example.config.block_map.superblock_logs = superblock_logs;
    example.geometry.logical_pages = logical_pages;
    Bench bench(example);
    bench.write_range(0, logical_pages);
    return bench;
}

TEST(SuperblockLayer, InOrderOverwriteOfABlockDropsTheOldOne) {
    Bench bench = superblock_bench(2);
    EXPECT_EQ(bench.layer().log_blocks(), 0U);
    EXPECT_EQ(bench.write({0, 1, 2}), (Steps{.host = 3}));
    EXPECT_EQ(bench.layer().log_blocks(), 1U);
    EXPECT_EQ(bench.write({3}), (Steps{.host = 1, .erases = 1, .drops = 1}));
    EXPECT_EQ(bench.layer().log_blocks(), 0U);
    EXPECT_EQ(bench.counters().update_pure, 0U) << "any place is as good";
}

TEST(SuperblockLayer, PagesOfBothLogicalBlocksShareABlock) {
    Bench bench(Example("superblock", 1));
    EXPECT_EQ(bench.write({7, 0, 5, 2}), (Steps{.host = 4}));
    EXPECT_EQ(bench.layer().data_blocks(), 1U);
    EXPECT_EQ(bench.offset(0), 1U);
}

TEST(SuperblockLayer, AtItsLimitItCollectsTheBlockWithFewestPages) {
    Bench bench = superblock_bench(2);
    bench.write({0, 1, 4, 5});  // first block: 2, 3; second: 6, 7; log block full
    EXPECT_EQ(bench.write({2}), (Steps{.host = 1, .copies = 2, .erases = 1, .full = 1}));
    EXPECT_EQ(bench.offset(3), 1U);
    EXPECT_EQ(bench.offset(2), 2U) << "behind the copies";
    // Two pages of 6 and 7: the block with 3, 2 gets one more, then the one with 6, 7 is collected.
    EXPECT_EQ(bench.write({2}), (Steps{.host = 1}));
    EXPECT_EQ(bench.write({3}), (Steps{.host = 1, .copies = 2, .erases = 1, .full = 1}));
}

TEST(SuperblockLayer, TheOneWrittenLeastRecentlyIsReducedToFreeALogBlock) {
    Bench bench = superblock_bench(1);
    bench.write({0});
    // Log block: page 0, room for 1, 2, 3 of the first block.
    EXPECT_EQ(bench.write({8}), (Steps{.host = 1, .copies = 3, .erases = 1, .partial = 1}));
    EXPECT_EQ(bench.layer().log_blocks(), 1U);
}

TEST(SuperblockLayer, AReductionMayTakeSeveralMerges) {
    Bench bench = superblock_bench(1);
    bench.write({0, 4});
    // Log block: 0, 4, then 1, 2 of the first block (partial, no erase). 3 goes to a new block (full), and 5,
    // 6, 7 follow it there (partial).
    EXPECT_EQ(bench.write({8}), (Steps{.host = 1, .copies = 6, .erases = 2, .partial = 2, .full = 1}));
}

TEST(SuperblockLayer, RecencyDecidesWhichOneIsReduced) {
    Bench bench = superblock_bench(2);
    bench.write(
        {0, 8, 9, 1, 2});  // second superblock: log with two pages and room for the two left of its block
    EXPECT_EQ(bench.write({16}), (Steps{.host = 1, .copies = 2, .erases = 1, .partial = 1}));
}

TEST(SuperblockLayer, ABlockWithoutDataIsDroppedAtOnce) {
    Bench bench = superblock_bench(1);
    EXPECT_EQ(bench.trim({0, 1, 2}), Steps{});
    EXPECT_EQ(bench.trim({3}), (Steps{.erases = 1, .drops = 1}));
    EXPECT_EQ(bench.trim({4, 5, 6, 7}), (Steps{.erases = 1, .drops = 1}));
    EXPECT_EQ(bench.write({0}), (Steps{.host = 1}));
}

TEST(SuperblockLayer, TrimmingTheLastPageDropsAllBlocks) {
    Bench bench = superblock_bench(2);
    bench.write({1, 5});
    bench.trim({0, 2, 3, 4, 6, 7});  // both old blocks dropped on the way, the log block holds 1 and 5
    EXPECT_EQ(bench.trim({1, 5}), (Steps{.erases = 1, .drops = 1}));
    EXPECT_EQ(bench.layer().data_blocks(), 6U);
}

TEST(SuperblockLayer, TheLastOneMayHaveFewerBlocks) {
    Bench bench = superblock_bench(1, 1, 12);
    EXPECT_EQ(bench.write({8, 9, 8}), (Steps{.host = 3}));
    EXPECT_EQ(bench.layer().log_blocks(), 1U);
    // Log block: old 8, 9, 8, then 9; one block and one log block are its limit, both have two pages.
    EXPECT_EQ(bench.write({9, 8}), (Steps{.host = 2, .copies = 2, .erases = 1, .full = 1}));
}

}  // namespace
}  // namespace solidtlm::fw
