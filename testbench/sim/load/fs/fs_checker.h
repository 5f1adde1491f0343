// SPDX-License-Identifier: Apache-2.0
//
// For tests: rules of a file system, checked from the stream of its requests, their ends, and the owners of
// its blocks. The checker does not know how the journal or the allocator work.
#pragma once

#include <map>
#include <set>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "testbench/sim/load/fs/fs_source.h"

namespace solidtlm::testbench::fs {

class FsChecker {
  public:
    FsChecker(const FsSource& source, bool trims)
        : source_(source),
          layout_(source.filesystem().layout()),
          trims_(trims),
          owner_(layout_.blocks(), kNoOwner),
          written_(layout_.blocks(), false),
          waits_(layout_.blocks(), 0),
          trimmed_(layout_.blocks(), false) {
        for (const Extent& extent : layout_.fixed()) {
            std::fill_n(owner_.begin() + static_cast<std::ptrdiff_t>(extent.first), extent.count, kFixed);
        }
    }

    /// Call it at every event, before any other function.
    void look() {
        const Filesystem& filesystem = source_.filesystem();
        std::vector<std::uint32_t> now(layout_.blocks(), kNoOwner);
        for (const Extent& extent : layout_.fixed()) {
            fill(now, extent, kFixed);
        }
        std::uint64_t owned = 0;
        for (const Filesystem::Owned& each : filesystem.owned()) {
            fill(now, each.extent, each.file == kNoFile ? kSystem : each.file);
            owned += each.extent.count;
        }
        const Allocator& allocator = filesystem.allocator();
        std::uint64_t free = 0;
        for (std::uint64_t group = 0; group < allocator.groups(); ++group) {
            for (const auto& [first, count] : allocator.free_extents(group)) {
                fill(now, {first, count}, kFree);
                free += count;
            }
        }
        EXPECT_EQ(free, allocator.free_blocks());
        EXPECT_LE(owned, allocator.used_blocks());  // FITRIM holds free blocks for a while
        EXPECT_EQ(allocator.free_blocks() + allocator.used_blocks() + allocator.freed_blocks() +
                      layout_.fixed_blocks(),
                  layout_.blocks());
        for (Block block = 0; block < now.size(); ++block) {
            const bool had_owner = owner_[block] < kSystem;
            if (had_owner && now[block] != owner_[block] && written_[block]) {
                waits_[block] = commit_blocks_ + 1;  // waits for a later commit, and for a trim
                trimmed_[block] = false;
                written_[block] = false;
            }
        }
        owner_ = std::move(now);
        follow_transactions();
    }

    void issued(const Request& request, Purpose purpose) {
        const Extent extent{request.lba.value / kSectorsPerBlock, request.sectors / kSectorsPerBlock};
        switch (purpose) {
            case Purpose::data_read:
                each(extent, [this](Block block) {
                    EXPECT_LT(owner_[block], kSystem) << "reads a block of no file: " << block;
                    EXPECT_TRUE(written_[block]) << "reads a block never written: " << block;
                });
                break;
            case Purpose::data_write:
                each(extent, [this](Block block) {
                    EXPECT_LT(owner_[block], kSystem) << "writes a block of no file: " << block;
                    check_reuse(block);
                });
                break;
            case Purpose::metadata_write:
                EXPECT_GT(commit_blocks_, 0U) << "metadata is written to its place before any commit";
                each(extent, [this](Block block) {
                    EXPECT_FALSE(in_journal(block));
                    EXPECT_NE(owner_[block], kFree) << "metadata to a free block: " << block;
                    if (owner_[block] != kFixed) {
                        check_reuse(block);
                    }
                });
                break;
            case Purpose::journal_log:
                follow_log(extent);
                ++logs_under_way_;
                log_flushed_ = flush_covers_log_ = false;
                break;
            case Purpose::journal_commit:
                follow_log(extent);
                EXPECT_EQ(extent.count, 1U);
                check_commit();
                break;
            case Purpose::journal_superblock:
                EXPECT_EQ(extent, (Extent{layout_.journal().first, 1}));
                EXPECT_TRUE(home_flushed_) << "the tail moves before metadata at its place is durable";
                break;
            case Purpose::flush:
                flush_covers_log_ = logs_under_way_ == 0;
                flush_covers_home_ = true;
                break;
            case Purpose::trim:
                for (const TrimRange& range : request.ranges) {
                    EXPECT_EQ(range.lba.value % kSectorsPerBlock, 0U);
                    each({range.lba.value / kSectorsPerBlock, range.sectors / kSectorsPerBlock},
                         [this](Block block) {
                             EXPECT_EQ(owner_[block], kNoOwner) << "trims a block in use or free: " << block;
                             EXPECT_LE(waits_[block], commit_blocks_) << "trims before the commit: " << block;
                         });
                }
                break;
        }
    }

    void completed(const Request& request, Purpose purpose) {
        const Extent extent{request.lba.value / kSectorsPerBlock, request.sectors / kSectorsPerBlock};
        switch (purpose) {
            case Purpose::data_write:
                each(extent, [this](Block block) { written_[block] = true; });
                break;
            case Purpose::journal_log:
                --logs_under_way_;
                break;
            case Purpose::journal_commit:
                ++commit_blocks_;
                break;
            case Purpose::flush:
                log_flushed_ |= flush_covers_log_;
                home_flushed_ |= flush_covers_home_;
                break;
            case Purpose::metadata_write:
                home_flushed_ = flush_covers_home_ = false;
                break;
            case Purpose::trim:
                for (const TrimRange& range : request.ranges) {
                    each({range.lba.value / kSectorsPerBlock, range.sectors / kSectorsPerBlock},
                         [this](Block block) { trimmed_[block] = true; });
                }
                break;
            default:
                break;
        }
    }

    [[nodiscard]] std::uint64_t commits() const { return commit_blocks_; }

  private:
    static constexpr std::uint32_t kNoOwner = ~0U;  ///< freed, or held by FITRIM
    static constexpr std::uint32_t kFree = ~0U - 1;
    static constexpr std::uint32_t kFixed = ~0U - 2;
    static constexpr std::uint32_t kSystem = ~0U - 3;  ///< directories and preallocated blocks

    template <class Action>
    static void each(const Extent& extent, Action action) {
        for (Block block = extent.first; block < extent.end(); ++block) {
            action(block);
        }
    }
    static void fill(std::vector<std::uint32_t>& owner, const Extent& extent, std::uint32_t who) {
        each(extent, [&](Block block) {
            EXPECT_EQ(owner[block], kNoOwner) << "block " << block << " belongs to two";
            owner[block] = who;
        });
    }
    [[nodiscard]] bool in_journal(Block block) const {
        return block >= layout_.journal().first && block < layout_.journal().end();
    }
    void check_reuse(Block block) {
        EXPECT_LE(waits_[block], commit_blocks_)
            << "block " << block << " is used before the commit that freed it";
        if (trims_ && waits_[block] > 0) {
            EXPECT_TRUE(trimmed_[block]) << "block " << block << " is used before its trim";
        }
        waits_[block] = 0;
    }
    /// Checks that the log is written block after block, in a ring.
    void follow_log(const Extent& extent) {
        EXPECT_EQ(extent.first, log_at_);
        EXPECT_LE(extent.end(), layout_.journal().end());
        log_at_ = extent.end() == layout_.journal().end() ? layout_.journal().first + 1 : extent.end();
    }
    /// Stores which blocks of files were mapped when a transaction was last seen open.
    void follow_transactions() {
        const TransactionId open = source_.filesystem().journal().open();
        if (open != open_ && open_ != 0) {
            closed_.push_back(std::move(mapped_));
        }
        open_ = open;
        if (open != 0) {
            mapped_.clear();
            for (Block block = 0; block < owner_.size(); ++block) {
                if (owner_[block] < kSystem) {
                    mapped_.emplace(block, owner_[block]);
                }
            }
        }
    }
    void check_commit() {
        EXPECT_EQ(logs_under_way_, 0U) << "commit block before descriptors and metadata";
        EXPECT_TRUE(log_flushed_) << "commit block before the flush";
        if (closed_.empty()) {
            return;
        }
        for (const auto& [block, file] : closed_.front()) {
            if (owner_[block] == file) {
                EXPECT_TRUE(written_[block] || leaf(block)) << "committed before its data: block " << block;
            }
        }
        closed_.erase(closed_.begin());
    }
    /// Leaves of extent trees belong to files but are never written as data.
    [[nodiscard]] bool leaf(Block block) const {
        for (const Filesystem::Owned& each : source_.filesystem().owned()) {
            if (each.extent == Extent{block, 1} && each.leaf) {
                return true;
            }
        }
        return false;
    }

    const FsSource& source_;
    const Layout& layout_;
    bool trims_;
    std::vector<std::uint32_t> owner_;
    std::vector<bool> written_;  ///< blocks whose data write has ended
    std::vector<std::uint64_t>
        waits_;  ///< freed blocks: the commit that must end before the block is used; 0: free to use
    std::vector<bool> trimmed_;
    std::map<Block, std::uint32_t> mapped_;
    /// for transactions that are closed and not committed
    std::vector<std::map<Block, std::uint32_t>> closed_;
    TransactionId open_ = 0;
    Block log_at_ = source_.filesystem().layout().journal().first + 1;
    std::uint64_t logs_under_way_ = 0;
    std::uint64_t commit_blocks_ = 0;
    bool flush_covers_log_ = false;  ///< the outstanding flush was sent after everything that it must cover
    bool flush_covers_home_ = false;
    bool log_flushed_ = false;  ///< a flush ended after the last log write
    bool home_flushed_ = true;  ///< a flush ended after the last write of metadata to its place
};

}  // namespace solidtlm::testbench::fs
