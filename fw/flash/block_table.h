// SPDX-License-Identifier: Apache-2.0
//
// What firmware knows of the blocks of an area. A block is what the area erases at once: a superblock of the
// data area, a block of one plane of the map area or of the recovery log, a block of a block-mapped layer.
// Which free block is opened next is the area's business.
//
// Life cycle: free -> open (is written) -> closed (full, or an operation failed) -> erasing -> free; bad is
// final.
#pragma once

#include <cstdint>
#include <numeric>
#include <vector>

#include "fw/hal/check.h"
#include "fw/hal/state_archive.h"

namespace solidtlm::fw {

enum class BlockState : std::uint8_t { free, open, closed, erasing, bad };

struct BlockInfo {
    std::uint32_t valid = 0;  ///< units, or pages, that the map points to
    std::uint32_t erases = 0;
    std::uint32_t in_flight = 0;  ///< programs under way
    std::uint32_t next_page = 0;  ///< of an open one: is programmed next
    BlockState state = BlockState::free;
    bool collecting = false;         ///< a victim of garbage collection
    bool failed = false;             ///< a program failed: nothing more is written to it
    bool weak = false;               ///< its data should move: hard to read, or in a bad block
    bool slc = false;                ///< its cells hold one bit each; while it is free: always_slc
    bool always_slc = false;         ///< given by the layout
    std::uint64_t closed_order = 0;  ///< order in which blocks were closed (FIFO, age)

    void serialize(hal::StateArchive& archive) {
        archive(valid, erases, in_flight, next_page, state, collecting, failed, weak, slc, closed_order);
    }
};

/// A block's number in its area.
using BlockIndex = std::uint32_t;

class BlockTable {
  public:
    /// All are free. `pages`: of each, that are programmed one after the other; of one in SLC mode
    /// `slc_pages`.
    BlockTable(BlockIndex blocks, std::uint32_t pages, std::uint32_t slc_pages = 0)
        : pages_(pages), slc_pages_(slc_pages), infos_(blocks), free_(blocks) {}

    [[nodiscard]] BlockIndex size() const { return static_cast<BlockIndex>(infos_.size()); }
    [[nodiscard]] BlockInfo& info(BlockIndex block) { return infos_[block]; }
    [[nodiscard]] const BlockInfo& info(BlockIndex block) const { return infos_[block]; }

    /// To be written in SLC mode or in normal mode; always_slc leaves no choice. REQUIRES: it is free.
    void open(BlockIndex block, bool slc = false) {
        change(block, infos_[block].state == BlockState::free, BlockState::open);
        infos_[block].slc = slc || infos_[block].always_slc;
        --free_;
    }
    /// An operation failed: nothing more is written to it. REQUIRES: it is in use or being erased.
    void fail(BlockIndex block) {
        infos_[block].failed = true;
        if (infos_[block].state != BlockState::closed) {
            close(block, taken(block));
        }
    }
    /// Pages that can be programmed before the next erase.
    [[nodiscard]] std::uint32_t room(BlockIndex block) const {
        const BlockInfo& info = infos_[block];
        const bool writable = info.state == BlockState::free || info.state == BlockState::open;
        return writable ? pages_of(info) - info.next_page : 0;
    }
    /// The page that is programmed next; behind the last one the block is closed. REQUIRES: it is open.
    std::uint32_t begin_program(BlockIndex block) {
        BlockInfo& info = infos_[block];
        change(block, info.state == BlockState::open, BlockState::open);
        ++info.in_flight;
        const std::uint32_t page = info.next_page++;
        if (info.next_page == pages_of(info)) {
            close(block, true);
        }
        return page;
    }
    /// It has ended. Nothing more is written to a block in which one failed.
    void end_program(BlockIndex block, bool ok) {
        --infos_[block].in_flight;
        if (!ok) {
            fail(block);
        }
    }
    /// REQUIRES: it is open or closed.
    void begin_erase(BlockIndex block) { change(block, in_use(block), BlockState::erasing); }
    /// The erase has ended: back to the free ones. REQUIRES: it is being erased.
    void recycle(BlockIndex block) {
        change(block, infos_[block].state == BlockState::erasing, BlockState::free);
        infos_[block].collecting = infos_[block].failed = false;
        infos_[block].next_page = 0;
        infos_[block].slc = infos_[block].always_slc;
        ++free_;
    }
    /// Out of service for good. REQUIRES: it is in use or being erased.
    void retire(BlockIndex block) {
        change(block, taken(block), BlockState::bad);
        infos_[block].next_page = 0;
        ++retired_;
    }
    /// All are free again, as at first.
    void forget() { *this = BlockTable(size(), pages_); }
    /// After a loss of power: what `block` was found to be; closed ones in the order in which they were
    /// filled. REQUIRES: it is free, as all are at first.
    void adopt(BlockIndex block, BlockState state, std::uint32_t erases, bool slc = false) {
        change(block, infos_[block].state == BlockState::free, state);
        infos_[block].erases = erases;
        infos_[block].slc = slc || infos_[block].always_slc;
        infos_[block].closed_order = state == BlockState::closed ? next_closed_order_++ : 0;
        free_ -= state == BlockState::free ? 0 : 1;
        retired_ += state == BlockState::bad ? 1 : 0;
    }

    /// Open or closed.
    [[nodiscard]] bool in_use(BlockIndex block) const {
        return infos_[block].state == BlockState::open || infos_[block].state == BlockState::closed;
    }
    [[nodiscard]] std::uint32_t free_blocks() const { return free_; }
    [[nodiscard]] std::uint64_t retired() const { return retired_; }
    /// Blocks closed so far; the closed_order of the next one.
    [[nodiscard]] std::uint64_t closed_count() const { return next_closed_order_; }
    /// Of all blocks, retired ones included.
    [[nodiscard]] std::uint64_t total_erases() const {
        return std::accumulate(infos_.begin(), infos_.end(), std::uint64_t{0},
                               [](std::uint64_t sum, const BlockInfo& info) { return sum + info.erases; });
    }

    void serialize(hal::StateArchive& archive) { archive(infos_, free_, next_closed_order_, retired_); }

  private:
    [[nodiscard]] std::uint32_t pages_of(const BlockInfo& info) const {
        return info.slc ? slc_pages_ : pages_;
    }
    /// In use or being erased.
    [[nodiscard]] bool taken(BlockIndex block) const {
        return in_use(block) || infos_[block].state == BlockState::erasing;
    }
    void close(BlockIndex block, bool allowed) {
        change(block, allowed, BlockState::closed);
        infos_[block].closed_order = next_closed_order_++;
    }
    void change(BlockIndex block, bool allowed, BlockState to) {
        SOLIDTLM_CHECK(allowed, "blocks are opened, closed and erased in this order");
        infos_[block].state = to;
    }

    std::uint32_t pages_;
    std::uint32_t slc_pages_;
    std::vector<BlockInfo> infos_;
    std::uint32_t free_;
    std::uint64_t next_closed_order_ = 0;
    std::uint64_t retired_ = 0;
};

}  // namespace solidtlm::fw
