// SPDX-License-Identifier: Apache-2.0
//
// Which blocks are free: extents by group, as the buddy bitmaps of ext4's mballoc know them. A block is fixed
// (metadata, journal), free, in use, or freed and not yet to be used again because the transaction that freed
// it is not on disk or its trim not done.
//
// Invariant: free + used + freed + fixed blocks are all there are.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <vector>

#include "testbench/workload/fs/layout.h"

namespace solidtlm::testbench::fs {

class Allocator {
  public:
    /// `layout` must outlive it.
    explicit Allocator(const Layout& layout);

    /// Takes up to `want` free blocks in one piece: those from `goal` on, else the next piece behind `goal`
    /// that is long enough, group by group, else the longest there is. Nothing when nothing is free.
    std::optional<Extent> take(Block goal, std::uint64_t want);
    /// Blocks in use are freed, to be released later.
    void free(const Extent& extent);
    /// Freed blocks may be used again.
    void release(const Extent& extent);
    /// Blocks that were taken and have not been written are free again.
    void give_back(const Extent& extent);

    [[nodiscard]] std::uint64_t free_blocks() const { return free_; }
    [[nodiscard]] std::uint64_t used_blocks() const { return used_; }
    [[nodiscard]] std::uint64_t freed_blocks() const { return freed_; }
    [[nodiscard]] std::uint64_t groups() const { return groups_.size(); }
    /// Free extents of a group by their first block.
    [[nodiscard]] const std::map<Block, std::uint64_t>& free_extents(std::uint64_t group) const {
        return groups_[group].free;
    }
    /// Blocks of the group were released since clear_dirty(): FITRIM has something to do.
    [[nodiscard]] bool dirty(std::uint64_t group) const { return groups_[group].dirty; }
    void clear_dirty(std::uint64_t group) { groups_[group].dirty = false; }

  private:
    struct Group {
        std::map<Block, std::uint64_t> free;
        std::uint64_t longest = 0;  ///< at least as long as the longest free extent
        bool dirty = true;          ///< mke2fs trims, but FITRIM of a new mount does not know
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
