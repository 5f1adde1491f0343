// SPDX-License-Identifier: Apache-2.0
#include "fw/flash/block_table.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <random>
#include <vector>

namespace solidtlm::fw {
namespace {

void fill(BlockTable& table, BlockIndex block) {
    while (table.room(block) > 0) {
        table.begin_program(block);
        table.end_program(block, true);
    }
}

/// Counts block by block.
BlockIndex count(const BlockTable& table, BlockState state) {
    BlockIndex blocks = 0;
    for (BlockIndex block = 0; block < table.size(); ++block) {
        blocks += table.info(block).state == state ? 1 : 0;
    }
    return blocks;
}

TEST(BlockTable, CountsItsBlocksByState) {
    BlockTable table(20, 8);
    std::mt19937 random(1);
    std::vector<BlockIndex> closed;  // in this order
    std::uint64_t erases = 0;
    for (int i = 0; i < 2000; ++i) {
        const BlockIndex block = static_cast<BlockIndex>(random()) % table.size();
        BlockInfo& info = table.info(block);
        switch (info.state) {
            case BlockState::free:
                table.open(block);
                break;
            case BlockState::open:
                info.collecting = true;
                fill(table, block);
                closed.push_back(block);
                break;
            case BlockState::closed:
                table.begin_erase(block);
                std::erase(closed, block);
                break;
            case BlockState::erasing:
                ++info.erases;
                ++erases;
                random() % 50 == 0 ? table.retire(block) : table.recycle(block);
                EXPECT_EQ(info.next_page, 0);
                break;
            case BlockState::bad:
                break;
        }
        EXPECT_EQ(table.free_blocks(), count(table, BlockState::free));
        EXPECT_EQ(table.retired(), count(table, BlockState::bad));
        EXPECT_EQ(table.total_erases(), erases);
        const auto order = [&table](BlockIndex at) { return table.info(at).closed_order; };
        EXPECT_TRUE(std::ranges::is_sorted(closed, {}, order));
        EXPECT_TRUE(closed.empty() || order(closed.back()) < table.closed_count());
    }
    EXPECT_GT(table.retired(), 0);
    EXPECT_GT(table.free_blocks(), 0);
}

TEST(BlockTable, HandsOutThePagesOfAnOpenBlock) {
    BlockTable table(2, 3);
    EXPECT_EQ(table.room(0), 3);
    table.open(0);
    for (std::uint32_t page = 0; page < 3; ++page) {
        EXPECT_EQ(table.room(0), 3 - page);
        EXPECT_EQ(table.info(0).state, BlockState::open);
        EXPECT_EQ(table.begin_program(0), page);
    }
    EXPECT_EQ(table.info(0).state, BlockState::closed);
    EXPECT_EQ(table.room(0), 0);
    EXPECT_EQ(table.info(0).in_flight, 3);
    table.end_program(0, true);
    EXPECT_FALSE(table.info(0).failed);
    EXPECT_EQ(table.info(0).in_flight, 2);
    table.open(1);
    EXPECT_EQ(table.begin_program(1), 0);
    table.end_program(1, false);
    EXPECT_EQ(table.room(1), 0) << "a program failed";
    table.begin_erase(1);
    EXPECT_EQ(table.room(1), 0);
    table.recycle(1);
    EXPECT_EQ(table.room(1), 3);
    EXPECT_FALSE(table.info(1).failed);
}

TEST(BlockTable, ClosesABlockWhoseProgramIsRefusedWithoutFailingIt) {
    BlockTable table(1, 3);
    table.open(0);
    table.begin_program(0);
    table.begin_program(0);
    table.refuse_program(0);
    EXPECT_EQ(table.info(0).state, BlockState::closed);
    EXPECT_EQ(table.room(0), 0);
    table.refuse_program(0);  // so is the next one
    EXPECT_EQ(table.info(0).in_flight, 0);
    EXPECT_FALSE(table.info(0).failed);
}

TEST(BlockTable, FindsTheLeastOfItsBlocks) {
    BlockTable table(5, 8);
    const std::array erases{7U, 5U, 3U, 5U, 4U};
    for (BlockIndex block = 0; block < table.size(); ++block) {
        table.info(block).erases = erases[block];
    }
    const auto rank = [&table](BlockIndex block) {
        const BlockInfo& info = table.info(block);
        return info.state == BlockState::free ? std::optional(info.erases) : std::nullopt;
    };
    for (const BlockIndex expected : {2U, 4U, 1U, 3U, 0U}) {
        ASSERT_EQ(table.least(rank), expected) << "the first of equal ones";
        table.open(expected);
    }
    EXPECT_EQ(table.least(rank), std::nullopt);
}

// Open, closed, or being erased: it can be emptied and erased again.
TEST(BlockTable, WritesNothingMoreToABlockThatFailed) {
    BlockTable table(4, 8);
    for (BlockIndex block = 0; block < 3; ++block) {
        table.open(block);
    }
    fill(table, 1);
    table.begin_erase(2);
    for (const BlockIndex block : {1U, 2U, 0U}) {
        table.fail(block);
        EXPECT_TRUE(table.info(block).failed);
        EXPECT_EQ(table.info(block).state, BlockState::closed);
    }
    EXPECT_FALSE(table.info(3).failed);
    EXPECT_LT(table.info(1).closed_order, table.info(2).closed_order);
    EXPECT_LT(table.info(2).closed_order, table.info(0).closed_order);
    EXPECT_EQ(table.closed_count(), 3);
    table.begin_erase(2);
    table.recycle(2);
    EXPECT_EQ(table.free_blocks(), 2);
}

TEST(BlockTable, AdoptsTheStatesThatABootFound) {
    BlockTable table(5, 8);
    const std::array found{BlockState::closed, BlockState::free, BlockState::bad, BlockState::open,
                           BlockState::closed};
    for (BlockIndex block = 0; block < table.size(); ++block) {
        table.adopt(block, found[block], 10 + block);
        EXPECT_EQ(table.info(block).state, found[block]);
    }
    EXPECT_EQ(table.free_blocks(), 1);
    EXPECT_EQ(table.retired(), 1);
    EXPECT_EQ(table.total_erases(), 60);
    EXPECT_EQ(table.closed_count(), 2);
    EXPECT_LT(table.info(0).closed_order, table.info(4).closed_order);
}

TEST(BlockTable, IsNewWhenItHasForgotten) {
    BlockTable table(3, 8, 4);
    table.open(1, true);
    fill(table, 1);
    table.fail(1);
    table.forget();
    EXPECT_EQ(table.free_blocks(), 3U);
    EXPECT_EQ(table.closed_count(), 0U);
    for (BlockIndex block = 0; block < table.size(); ++block) {
        const bool slc = block == 1;
        table.open(block, slc);
        EXPECT_EQ(table.room(block), slc ? 4U : 8U);
    }
}

/// Applies `wrong` to a new table whose block 1 is open and whose block 2 is closed.
template <class Wrong>
void expect_refused(const Wrong& wrong) {
    EXPECT_DEATH(
        {
            BlockTable table(3, 8);
            table.open(1);
            table.open(2);
            fill(table, 2);
            wrong(table);
        },
        "a block is opened, then closed, then erased");
}

TEST(BlockTableDeathTest, RefusesStepsOutOfOrder) {
    expect_refused([](BlockTable& table) { table.open(1); });
    expect_refused([](BlockTable& table) { table.fail(0); });
    expect_refused([](BlockTable& table) { table.begin_program(0); });
    expect_refused([](BlockTable& table) { table.begin_program(2); });
    expect_refused([](BlockTable& table) { table.begin_erase(0); });
    expect_refused([](BlockTable& table) { table.recycle(2); });
    expect_refused([](BlockTable& table) { table.retire(0); });
    expect_refused([](BlockTable& table) { table.adopt(1, BlockState::closed, 0); });
}

}  // namespace
}  // namespace solidtlm::fw
