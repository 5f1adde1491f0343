// SPDX-License-Identifier: Apache-2.0
//
// The free blocks: extents by group, as the buddy bitmaps of ext4's mballoc hold them. A block is fixed
// (metadata, journal), free, in use, or freed. A freed block must not be used again until the transaction
// that freed it is on disk and its trim is done.
//
// Invariant: free + used + freed + fixed blocks are all blocks.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <vector>

#include "testbench/sim/load/fs/layout.h"

namespace solidtlm::testbench::fs {

class Allocator {
  public:
    /// `layout` must outlive the allocator.
    explicit Allocator(const Layout& layout);

    /// Takes up to `want` contiguous free blocks: those from `goal` on, otherwise the next sufficiently long
    /// extent after `goal`, group by group, otherwise the longest extent. Nothing: no block is free.
    std::optional<Extent> take(Block goal, std::uint64_t want);
    /// Blocks in use become freed, and are to be released later.
    void free(const Extent& extent);
    /// Freed blocks become free.
    void release(const Extent& extent);
    /// Blocks that were taken but not written become free again.
    void give_back(const Extent& extent);

    [[nodiscard]] std::uint64_t free_blocks() const { return free_; }
    [[nodiscard]] std::uint64_t used_blocks() const { return used_; }
    [[nodiscard]] std::uint64_t freed_blocks() const { return freed_; }
    [[nodiscard]] std::uint64_t groups() const { return groups_.size(); }
    /// Free extents of a group, by their first block.
    [[nodiscard]] const std::map<Block, std::uint64_t>& free_extents(std::uint64_t group) const {
        return groups_[group].free;
    }
    /// Blocks of the group were released since clear_dirty(), so FITRIM has something to trim.
    [[nodiscard]] bool dirty(std::uint64_t group) const { return groups_[group].dirty; }
    void clear_dirty(std::uint64_t group) { groups_[group].dirty = false; }

  private:
    struct Group {
        std::map<Block, std::uint64_t> free;
        std::uint64_t longest = 0;  ///< at least the length of the longest free extent
        /// mke2fs has trimmed the blocks, but FITRIM after a new mount does not know that
        bool dirty = true;
    };
    using Place = std::map<Block, std::uint64_t>::iterator;

    [[nodiscard]] std::optional<Extent> find(Group& group, Block goal, std::uint64_t want);
    Extent cut(Group& group, const Extent& extent);
    void insert(const Extent& extent);

    const Layout& layout_;
    std::vector<Group> groups_;
    std::uint64_t free_ = 0;
    std::uint64_t used_ = 0;
    std::uint64_t freed_ = 0;
};

}  // namespace solidtlm::testbench::fs
