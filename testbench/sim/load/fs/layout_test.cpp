// SPDX-License-Identifier: Apache-2.0
#include "testbench/sim/load/fs/layout.h"

#include <set>

#include <gtest/gtest.h>

namespace solidtlm::testbench::fs {
namespace {

FsConfig of_size(std::uint64_t mebibytes) {
    FsConfig config;
    config.blocks = mebibytes * 256;
    return config;
}

// Source: e2fsprogs 1.47, lib/ext2fs/mkjournal.c
TEST(Layout, TheJournalIsAsLongAsMke2fsMakesIt) {
    EXPECT_EQ(default_journal_blocks(2047), 0U);
    EXPECT_EQ(default_journal_blocks(2048), 1024U);
    EXPECT_EQ(default_journal_blocks(32768), 4096U);
    EXPECT_EQ(default_journal_blocks(524287), 8192U);
    EXPECT_EQ(default_journal_blocks(524288), 16384U);
    EXPECT_EQ(default_journal_blocks(33554432), 262144U);
}

// The recordings of the study traces begin with mke2fs, which zeroes 64 MiB from sector 2,097,152 on a disk
// of 2 GiB, and from sector 8,650,752 on one of 8 GiB.
TEST(Layout, TheJournalIsWhereMke2fsPutsIt) {
    EXPECT_EQ(Layout(of_size(2048)).journal(), (Extent{2097152 / kSectorsPerBlock, 16384}));
    EXPECT_EQ(Layout(of_size(8192)).journal(), (Extent{8650752 / kSectorsPerBlock, 16384}));
}

// 2 GiB: 16 groups of 8,192 inodes in one set. Superblock and one descriptor block, then 16 + 16 bitmaps and
// tables of 512 blocks each.
TEST(Layout, MetadataOfASetLiesTogether) {
    const Layout layout(of_size(2048));
    ASSERT_TRUE(layout.valid());
    EXPECT_EQ(layout.groups(), 16U);
    EXPECT_EQ(layout.inodes_per_group(), 8192U);
    EXPECT_EQ(layout.descriptor_block(15), 1U);
    EXPECT_EQ(layout.block_bitmap(0), 2U);
    EXPECT_EQ(layout.block_bitmap(15), 17U);
    EXPECT_EQ(layout.inode_bitmap(0), 18U);
    EXPECT_EQ(layout.inode_table_block(0), 34U);
    EXPECT_EQ(layout.inode_table_block(16), 35U);
    EXPECT_EQ(layout.inode_table_block(8192), 34U + 512U);
    EXPECT_EQ(layout.fixed(), (std::vector<Extent>{{0, 34 + 16 * 512}, {262144, 16384}}));
    EXPECT_EQ(layout.data_goal(0), 32768U) << "the second group of the set";
}

TEST(Layout, NoTwoThingsShareABlock) {
    for (const std::uint64_t blocks : {2048U, 3000U, 32768U, 40000U, 100'000U, 2'000'000U}) {
        FsConfig config;
        config.blocks = blocks;
        const Layout layout(config);
        ASSERT_TRUE(layout.valid()) << blocks;
        std::set<Block> all;
        std::uint64_t expected = 0;
        for (std::uint64_t group = 0; group < layout.groups(); ++group) {
            all.insert(layout.block_bitmap(group));
            all.insert(layout.inode_bitmap(group));
            expected += 2;
            for (std::uint64_t inode = 0; inode < layout.inodes_per_group(); inode += 16) {
                all.insert(layout.inode_table_block(group * layout.inodes_per_group() + inode));
                ++expected;
            }
        }
        EXPECT_EQ(all.size(), expected) << blocks;
        for (const Block block : all) {
            EXPECT_TRUE(block < layout.journal().first || block >= layout.journal().end());
            EXPECT_LT(block, blocks);
            EXPECT_GT(block, layout.descriptor_block(layout.groups() - 1));
        }
    }
}

TEST(Layout, SaysWhenADeviceIsTooSmall) {
    FsConfig config;
    config.blocks = 2047;
    EXPECT_FALSE(Layout(config).valid()) << "too small for the journal of mke2fs";
    config.journal_blocks = 64;
    EXPECT_TRUE(Layout(config).valid());
    config.journal_blocks = 2047;
    EXPECT_FALSE(Layout(config).valid());
}

}  // namespace
}  // namespace solidtlm::testbench::fs
