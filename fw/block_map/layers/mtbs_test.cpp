// SPDX-License-Identifier: Apache-2.0
//
// MTBS on examples worked by hand from docs/block-map.md. Blocks of eight pages, four of them data.
#include "fw/block_map/block_test_support.h"

namespace solidtlm::fw {
namespace {

Example example_of(bool rule, std::uint32_t columns = 1) {
    Example example("mtbs", 0);
    example.geometry = {10, 8, columns, 32, rule};
    return example;
}

TEST(Mtbs, AFullSpareHalfIsAFullMergeWithOneErase) {
    Bench bench(example_of(true));
    EXPECT_EQ(bench.write({0, 1, 2, 3}), (Steps{.host = 4}));
    EXPECT_EQ(bench.write({2, 0, 0, 3}), (Steps{.host = 4}));
    EXPECT_EQ(bench.offset(3), 7U);
    EXPECT_EQ(bench.write({1}), (Steps{.host = 1, .copies = 4, .erases = 1, .full = 1}));
    EXPECT_EQ(bench.offset(1), 4U);
    EXPECT_EQ(bench.offset(3), 3U);
}

TEST(Mtbs, AMergeCopiesOnlyPagesWithData) {
    Bench bench(example_of(true));
    bench.write({0, 1, 0, 0, 0, 0});
    // Page 2 is forbidden (pages of the spare half have been programmed) until the merge; then it is free.
    EXPECT_EQ(bench.write({2}), (Steps{.host = 1, .copies = 2, .erases = 1, .full = 1}));
    EXPECT_EQ(bench.counters().write_data, 3U);
    EXPECT_EQ(bench.offset(2), 2U);
}

TEST(Mtbs, TheSpareHalfClosesTheDataHalfUnderTheRule) {
    for (const bool rule : {true, false}) {
        Bench bench(example_of(rule));
        bench.write({0, 0, 1});
        EXPECT_EQ(bench.counters().write_data, rule ? 1U : 2U);
        EXPECT_EQ(bench.counters().update_wasted, rule ? 1U : 0U);
        EXPECT_EQ(bench.offset(1), rule ? 5U : 1U);
    }
}

TEST(Mtbs, TheRuleHoldsForEachColumn) {
    Bench bench(example_of(true, 2));
    bench.write({0, 0, 1, 2});  // the spare page is in column 0: 1 is in place, 2 is not
    EXPECT_EQ(bench.counters().write_data, 2U);
    EXPECT_EQ(bench.offset(1), 1U);
    EXPECT_EQ(bench.offset(2), 5U);
}

TEST(Mtbs, TheSpareHalfGetsTheOddPage) {
    Example example("mtbs", 0);
    example.geometry = {20, 5, 1, 32, true};
    Bench bench(example);
    bench.write({0, 1});
    EXPECT_EQ(bench.layer().data_pages(), 2U);
    EXPECT_EQ(bench.write({0, 0, 0}), (Steps{.host = 3}));
    EXPECT_EQ(bench.write({0}), (Steps{.host = 1, .copies = 2, .erases = 1, .full = 1}));
}

TEST(Mtbs, TrimmingTheLastPageDropsTheBlock) {
    Bench bench(example_of(true));
    bench.write({0, 0, 0});
    EXPECT_EQ(bench.trim({0}), (Steps{.erases = 1, .drops = 1}));
    EXPECT_EQ(bench.write({0, 0}), (Steps{.host = 2}));
    EXPECT_EQ(bench.offset(0), 4U);
}

}  // namespace
}  // namespace solidtlm::fw
