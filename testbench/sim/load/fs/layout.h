// SPDX-License-Identifier: Apache-2.0
//
// The layout of the disk as mke2fs -t ext4 makes it (Documentation/filesystems/ext4/blockgroup.rst):
// superblock and group descriptors at the start, the bitmaps and inode tables of `flex_groups` groups
// together at the start of the first of these groups, and the journal as one extent in the middle.
//
// Left out: copies of the superblock, and blocks reserved for growth; mke2fs writes both and nothing changes
// them later.
#pragma once

#include <cstdint>
#include <vector>

#include "testbench/sim/load/fs/config.h"

namespace solidtlm::testbench::fs {

constexpr std::uint64_t kInodeBytes = 256;         ///< mke2fs.conf: inode_size
constexpr std::uint64_t kDescriptorBytes = 64;     ///< per block group, feature 64bit
constexpr std::uint64_t kLeastJournalBlocks = 64;  ///< jbd2 requires 1,024; smaller journals are for tests
constexpr Block kSuperblock = 0;

/// Default number of journal blocks in mke2fs (e2fsprogs, ext2fs_default_journal_size()); 0: the device is
/// too small.
[[nodiscard]] std::uint64_t default_journal_blocks(std::uint64_t blocks);

class Layout {
  public:
    /// bytes_per_inode and group_blocks must be above 0. REQUIRES: blocks and flex_groups above 0.
    explicit Layout(const FsConfig& config);

    /// Everything fits and blocks are left for data; otherwise the other functions are meaningless.
    [[nodiscard]] bool valid() const;

    [[nodiscard]] std::uint64_t blocks() const { return blocks_; }
    [[nodiscard]] std::uint64_t groups() const { return groups_; }
    [[nodiscard]] std::uint64_t group_of(Block block) const { return block / group_blocks_; }
    [[nodiscard]] Extent group(std::uint64_t group) const;
    [[nodiscard]] std::uint64_t inodes_per_group() const { return inodes_per_group_; }
    [[nodiscard]] std::uint64_t inodes() const { return inodes_per_group_ * groups_; }

    [[nodiscard]] Block descriptor_block(std::uint64_t group) const;
    [[nodiscard]] Block block_bitmap(std::uint64_t group) const;
    [[nodiscard]] Block inode_bitmap(std::uint64_t group) const;
    [[nodiscard]] Block inode_table_block(std::uint64_t inode) const;
    /// Number of sets of groups with contiguous metadata, and the first group of one.
    [[nodiscard]] std::uint64_t flex_sets() const { return (groups_ + flex_groups_ - 1) / flex_groups_; }
    [[nodiscard]] std::uint64_t first_group(std::uint64_t set) const { return set * flex_groups_; }
    /// Where a file's first block is searched: the second group of the inode's set
    /// (ext4_inode_to_goal_block(), for sets of 4 groups and more).
    [[nodiscard]] Block data_goal(std::uint64_t inode) const;
    [[nodiscard]] const Extent& journal() const { return journal_; }
    /// Blocks in use from the beginning, including the journal, in order.
    [[nodiscard]] const std::vector<Extent>& fixed() const { return fixed_; }
    [[nodiscard]] std::uint64_t fixed_blocks() const;

  private:
    [[nodiscard]] Block flex_start(std::uint64_t group) const;
    [[nodiscard]] std::uint64_t flex_size(std::uint64_t group) const;
    [[nodiscard]] std::uint64_t journal_group() const;

    std::uint64_t blocks_;
    std::uint64_t group_blocks_;
    std::uint64_t groups_;
    std::uint64_t flex_groups_;
    std::uint64_t inodes_per_group_;
    std::uint64_t table_blocks_;
    std::uint64_t descriptor_blocks_;
    Extent journal_;
    std::vector<Extent> fixed_;
};

}  // namespace solidtlm::testbench::fs
