// SPDX-License-Identifier: Apache-2.0
#include "testbench/sim/load/fs/layout.h"

#include <algorithm>
#include <array>
#include <utility>

#include "fw/hal/check.h"

namespace solidtlm::testbench::fs {
namespace {

constexpr std::uint64_t kInodesPerBlock = kBlockBytes / kInodeBytes;

/// sparse_super: copies are in groups 0, 1 and powers of 3, 5 and 7.
bool has_superblock_copy(std::uint64_t group) {
    if (group <= 1) {
        return true;
    }
    for (const std::uint64_t base : {3U, 5U, 7U}) {
        std::uint64_t power = base;
        while (power < group) {
            power *= base;
        }
        if (power == group) {
            return true;
        }
    }
    return false;
}

}  // namespace

std::uint64_t default_journal_blocks(std::uint64_t blocks) {
    // a device below the first number of blocks gets the second number
    constexpr std::array<std::pair<std::uint64_t, std::uint64_t>, 8> kSizes{{{2048, 0},
                                                                             {32768, 1024},
                                                                             {262144, 4096},
                                                                             {524288, 8192},
                                                                             {4194304, 16384},
                                                                             {8388608, 32768},
                                                                             {16777216, 65536},
                                                                             {33554432, 131072}}};
    constexpr std::uint64_t kLargest = 262144;
    for (const auto& [limit, size] : kSizes) {
        if (blocks < limit) {
            return size;
        }
    }
    return kLargest;
}

Layout::Layout(const FsConfig& config)
    : blocks_(config.blocks),
      group_blocks_(config.group_blocks),
      groups_(divided_up(config.blocks, config.group_blocks)),
      flex_groups_(config.flex_groups),
      inodes_per_group_(std::min(config.blocks, config.group_blocks) * kBlockBytes / config.bytes_per_inode),
      table_blocks_(divided_up(inodes_per_group_, kInodesPerBlock)),
      descriptor_blocks_(divided_up(groups_ * kDescriptorBytes, kBlockBytes)) {
    SOLIDTLM_CHECK(config.blocks > 0 && groups_ > 0 && flex_groups_ > 0,
                   "a file system has blocks and groups");
    const std::uint64_t journal =
        config.journal_blocks != 0 ? config.journal_blocks : default_journal_blocks(config.blocks);
    std::vector<Extent> fixed{{kSuperblock, 1 + descriptor_blocks_}};
    for (std::uint64_t set = 0; set < groups_; set += flex_groups_) {
        fixed.push_back({flex_start(set), flex_size(set) * (2 + table_blocks_)});
    }
    Block at = journal_group() * group_blocks_;
    for (bool moved = true; moved;) {  // moves past an extent that is in the way
        moved = false;
        for (const Extent& extent : fixed) {
            if (at < extent.end() && extent.first < at + journal) {
                at = extent.end();
                moved = true;
            }
        }
    }
    journal_ = {at, journal};
    fixed.push_back(journal_);
    std::sort(fixed.begin(), fixed.end(), [](const Extent& a, const Extent& b) { return a.first < b.first; });
    for (const Extent& extent : fixed) {
        if (!fixed_.empty() && fixed_.back().end() == extent.first) {
            fixed_.back().count += extent.count;
        } else {
            fixed_.push_back(extent);
        }
    }
}

// get_midpoint_journal_block() of e2fsprogs: the group with most free blocks in the middle, or the first
// group of the middle set.
std::uint64_t Layout::journal_group() const {
    const auto free = [this](std::uint64_t number) {
        const std::uint64_t metadata =
            number % flex_groups_ == 0 ? flex_size(number) * (2 + table_blocks_) : 0;
        const std::uint64_t copy = has_superblock_copy(number) ? 1 + descriptor_blocks_ : 0;
        return static_cast<std::int64_t>(group(number).count) - static_cast<std::int64_t>(metadata + copy);
    };
    const std::uint64_t middle = group_of(blocks_ / 2);
    const bool by_set = middle > flex_groups_;
    const std::uint64_t start = by_set ? middle / flex_groups_ * flex_groups_ : middle - (middle > 0 ? 1 : 0);
    const std::uint64_t end = std::min((by_set ? start : middle) + 1, groups_ - 1);
    std::uint64_t best = start;
    for (std::uint64_t number = start + 1; number <= end; ++number) {
        if (free(number) > free(best)) {
            best = number;
        }
    }
    return best;
}

bool Layout::valid() const {
    Block end = 0;
    for (const Extent& extent : fixed_) {
        if (extent.first < end) {
            return false;
        }
        end = extent.end();
    }
    return end <= blocks_ && journal_.count >= kLeastJournalBlocks && inodes_per_group_ > 0 &&
           fixed_blocks() < blocks_;
}

Extent Layout::group(std::uint64_t group) const {
    const Block first = group * group_blocks_;
    return {first, std::min(group_blocks_, blocks_ - first)};
}

Block Layout::flex_start(std::uint64_t group) const {
    const Block start = group / flex_groups_ * flex_groups_ * group_blocks_;
    return start == 0 ? 1 + descriptor_blocks_ : start;
}

std::uint64_t Layout::flex_size(std::uint64_t group) const {
    return std::min(flex_groups_, groups_ - group / flex_groups_ * flex_groups_);
}

Block Layout::descriptor_block(std::uint64_t group) const {
    return 1 + group * kDescriptorBytes / kBlockBytes;
}

Block Layout::block_bitmap(std::uint64_t group) const {
    return flex_start(group) + group % flex_groups_;
}

Block Layout::inode_bitmap(std::uint64_t group) const {
    return flex_start(group) + flex_size(group) + group % flex_groups_;
}

Block Layout::inode_table_block(std::uint64_t inode) const {
    const std::uint64_t group = inode / inodes_per_group_;
    return flex_start(group) + 2 * flex_size(group) + group % flex_groups_ * table_blocks_ +
           inode % inodes_per_group_ / kInodesPerBlock;
}

Block Layout::data_goal(std::uint64_t inode) const {
    constexpr std::uint64_t kLeastSet = 4;
    const std::uint64_t group = inode / inodes_per_group_;
    if (flex_groups_ < kLeastSet) {
        return group * group_blocks_;
    }
    return std::min(group / flex_groups_ * flex_groups_ + 1, groups_ - 1) * group_blocks_;
}

std::uint64_t Layout::fixed_blocks() const {
    std::uint64_t sum = 0;
    for (const Extent& extent : fixed_) {
        sum += extent.count;
    }
    return sum;
}

}  // namespace solidtlm::testbench::fs
