// SPDX-License-Identifier: Apache-2.0
#include "testbench/sim/load/fs/allocator.h"

#include <algorithm>
#include <vector>

#include <gtest/gtest.h>

#include "testbench/sim/load/random.h"

namespace solidtlm::testbench::fs {
namespace {

/// Four groups of 256 blocks. Each has 64 inodes in 4 blocks, so there are 1 + 1 + 4 * (2 + 4) = 26 blocks of
/// metadata; then 64 blocks of journal in the third group, because the second and the fourth hold copies of
/// the superblock.
FsConfig config() {
    FsConfig config;
    config.blocks = 1024;
    config.group_blocks = 256;
    config.journal_blocks = 64;
    return config;
}

TEST(Allocator, KnowsFreeBlocks) {
    const Layout layout(config());
    const Allocator allocator(layout);
    EXPECT_EQ(allocator.free_blocks(), 1024U - 26U - 64U);
    EXPECT_EQ(allocator.used_blocks(), 0U);
    EXPECT_EQ(allocator.free_extents(0), (std::map<Block, std::uint64_t>{{26, 230}}));
    EXPECT_EQ(allocator.free_extents(3), (std::map<Block, std::uint64_t>{{768, 256}}))
        << "extents end with their group";
}

TEST(Allocator, TakesFromTheGoalOrTheNextExtentThatIsLongEnough) {
    const Layout layout(config());
    Allocator allocator(layout);
    EXPECT_EQ(allocator.take(800, 10), (Extent{800, 10}));
    EXPECT_EQ(allocator.take(790, 20), (Extent{810, 20})) << "only 10 are left from 790 on";
    EXPECT_FALSE(allocator.take(800, 0).has_value());
}

TEST(Allocator, GivesTheLongestPieceWhenNoneIsLongEnough) {
    const Layout layout(config());
    Allocator allocator(layout);
    const auto longest = allocator.take(0, 10'000);
    ASSERT_TRUE(longest);
    EXPECT_EQ(longest->count, 256U) << "a whole group";
}

TEST(Allocator, FreedBlocksAreNotTakenBeforeTheirRelease) {
    const Layout layout(config());
    Allocator allocator(layout);
    while (allocator.take(0, 64)) {
    }
    EXPECT_EQ(allocator.free_blocks(), 0U);
    allocator.free({100, 8});
    EXPECT_EQ(allocator.freed_blocks(), 8U);
    EXPECT_FALSE(allocator.take(0, 1).has_value());
    allocator.release({100, 4});
    EXPECT_EQ(allocator.take(0, 8), (Extent{100, 4}));
    EXPECT_FALSE(allocator.take(0, 1).has_value());
}

TEST(Allocator, NeighboursJoin) {
    const Layout layout(config());
    Allocator allocator(layout);
    const auto free = allocator.free_extents(3);
    ASSERT_EQ(allocator.take(800, 30), (Extent{800, 30}));
    for (const Extent part : {Extent{800, 10}, Extent{820, 10}, Extent{810, 10}}) {
        allocator.free(part);
        allocator.release(part);
    }
    EXPECT_EQ(allocator.free_extents(3), free);
}

TEST(Allocator, AgreesWithABitmap) {
    const Layout layout(config());
    Allocator allocator(layout);
    std::vector<bool> used(layout.blocks(), false);
    for (const Extent& extent : layout.fixed()) {
        std::fill_n(used.begin() + static_cast<std::ptrdiff_t>(extent.first), extent.count, true);
    }
    std::vector<Extent> taken;
    Random random(7);
    for (int i = 0; i < 20'000; ++i) {
        if (taken.empty() || random.chance(0.52)) {
            const auto extent = allocator.take(random.below(layout.blocks()), 1 + random.below(40));
            if (!extent) {
                continue;
            }
            EXPECT_EQ(layout.group_of(extent->first), layout.group_of(extent->end() - 1));
            for (Block block = extent->first; block < extent->end(); ++block) {
                ASSERT_FALSE(used[block]);
                used[block] = true;
            }
            taken.push_back(*extent);
        } else {
            const std::size_t pick = random.below(taken.size());
            const Extent extent = taken[pick];
            taken.erase(taken.begin() + static_cast<std::ptrdiff_t>(pick));
            if (random.chance(0.5)) {
                allocator.give_back(extent);
            } else {
                allocator.free(extent);
                allocator.release(extent);
            }
            std::fill_n(used.begin() + static_cast<std::ptrdiff_t>(extent.first), extent.count, false);
        }
        ASSERT_EQ(allocator.free_blocks(),
                  static_cast<std::uint64_t>(std::count(used.begin(), used.end(), false)));
    }
}

}  // namespace
}  // namespace solidtlm::testbench::fs
