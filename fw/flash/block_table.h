// SPDX-License-Identifier: Apache-2.0
//
// The blocks of an area as firmware knows them. A block is the unit that the area erases: a superblock of the
// data area, a block of one plane of the map area or of the recovery log, or a block of a block-mapped layer.
// The area itself decides which free block is opened next (least(), FreeBlocks).
//
// Life cycle: free -> open (is written) -> closed (full, or an operation failed or was refused) -> erasing ->
// free; bad is final.
#pragma once

#include <cstdint>
#include <numeric>
#include <optional>
#include <vector>

#include "fw/hal/check.h"
#include "fw/hal/state_archive.h"

namespace solidtlm::fw {

enum class BlockState : std::uint8_t { free, open, closed, erasing, bad };

struct BlockInfo {
    std::uint32_t valid = 0;  ///< units, or pages, that the map points to
    std::uint32_t erases = 0;
    std::uint32_t in_flight = 0;  ///< programs under way
    std::uint32_t next_page = 0;  ///< of an open block: the page to program next
    BlockState state = BlockState::free;
    bool collecting = false;         ///< it is a victim of garbage collection
    bool failed = false;             ///< a program failed: the block takes no more writes
    bool weak = false;               ///< its data should move: hard to read, or in a bad block
    bool slc = false;                ///< its cells hold one bit each; of a free block: always_slc
    bool always_slc = false;         ///< fixed by the layout
    std::uint64_t closed_order = 0;  ///< order in which blocks were closed (FIFO, age)

    void serialize(hal::StateArchive& archive) {
        archive(valid, erases, in_flight, next_page, state, collecting, failed, weak, slc, closed_order);
    }
};

/// A block's number in its area.
using BlockIndex = std::uint32_t;

class BlockTable {
  public:
    /// All blocks are free. `pages`: pages per block, programmed one after the other; `slc_pages`: of a block
    /// in SLC mode.
    BlockTable(BlockIndex blocks, std::uint32_t pages, std::uint32_t slc_pages = 0)
        : pages_(pages), slc_pages_(slc_pages), infos_(blocks), free_(blocks) {}

    [[nodiscard]] BlockIndex size() const { return static_cast<BlockIndex>(infos_.size()); }
    [[nodiscard]] BlockInfo& info(BlockIndex block) { return infos_[block]; }
    [[nodiscard]] const BlockInfo& info(BlockIndex block) const { return infos_[block]; }

    /// Opens the block in SLC mode or in normal mode; an always_slc block is in SLC mode regardless.
    /// REQUIRES: the block is free.
    void open(BlockIndex block, bool slc = false) {
        change(block, infos_[block].state == BlockState::free, BlockState::open);
        infos_[block].slc = slc || infos_[block].always_slc;
        --free_;
    }
    /// An operation failed: the block takes no more writes. REQUIRES: the block is in use or being erased.
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
    /// Returns the page to program next; after the last one the block is closed. REQUIRES: the block is open.
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
    /// A program has ended. If it failed, the block takes no more writes.
    void end_program(BlockIndex block, bool ok) {
        --infos_[block].in_flight;
        if (!ok) {
            fail(block);
        }
    }
    /// A program has ended without having begun: the block takes no more writes until its erase, though
    /// nothing has failed.
    void refuse_program(BlockIndex block) {
        --infos_[block].in_flight;
        if (infos_[block].state != BlockState::closed) {
            close(block, in_use(block));
        }
    }
    /// REQUIRES: the block is open or closed.
    void begin_erase(BlockIndex block) { change(block, in_use(block), BlockState::erasing); }
    /// The erase has ended: the block is free. REQUIRES: the block is being erased.
    void recycle(BlockIndex block) {
        change(block, infos_[block].state == BlockState::erasing, BlockState::free);
        infos_[block].collecting = infos_[block].failed = false;
        infos_[block].next_page = 0;
        infos_[block].slc = infos_[block].always_slc;
        ++free_;
    }
    /// Takes the block out of service for good. REQUIRES: the block is in use or being erased.
    void retire(BlockIndex block) {
        change(block, taken(block), BlockState::bad);
        infos_[block].next_page = 0;
        ++retired_;
    }
    /// The block does not exist. REQUIRES: it is free, as all are after construction.
    void leave_out(BlockIndex block) {
        change(block, infos_[block].state == BlockState::free, BlockState::bad);
        --free_;
    }
    /// Makes all blocks free again, as after construction.
    void forget() { *this = BlockTable(size(), pages_, slc_pages_); }
    /// After a loss of power: sets the state in which `block` was found. Closed blocks come in the order in
    /// which they were filled. REQUIRES: the block is free, as all are after construction.
    void adopt(BlockIndex block, BlockState state, std::uint32_t erases, bool slc = false) {
        change(block, infos_[block].state == BlockState::free, state);
        infos_[block].erases = erases;
        infos_[block].slc = slc || infos_[block].always_slc;
        infos_[block].closed_order = state == BlockState::closed ? next_closed_order_++ : 0;
        free_ -= state == BlockState::free ? 0 : 1;
        retired_ += state == BlockState::bad ? 1 : 0;
    }

    /// True if the block is open or closed.
    [[nodiscard]] bool in_use(BlockIndex block) const {
        return infos_[block].state == BlockState::open || infos_[block].state == BlockState::closed;
    }
    [[nodiscard]] std::uint32_t free_blocks() const { return free_; }
    [[nodiscard]] std::uint64_t retired() const { return retired_; }
    /// The block with the least rank(block), the first of equal ones; none if none has a rank. `rank` returns
    /// std::optional.
    template <class Rank>
    [[nodiscard]] std::optional<BlockIndex> least(Rank rank) const {
        std::optional<BlockIndex> found;
        decltype(rank(BlockIndex{})) least;
        for (BlockIndex block = 0; block < size(); ++block) {
            const auto each = rank(block);
            if (each && (!found || *each < *least)) {
                found = block;
                least = each;
            }
        }
        return found;
    }
    /// Blocks closed so far, which is the closed_order of the next one.
    [[nodiscard]] std::uint64_t closed_count() const { return next_closed_order_; }
    /// Sum over all blocks, including retired ones.
    [[nodiscard]] std::uint64_t total_erases() const {
        return std::accumulate(infos_.begin(), infos_.end(), std::uint64_t{0},
                               [](std::uint64_t sum, const BlockInfo& info) { return sum + info.erases; });
    }

    void serialize(hal::StateArchive& archive) { archive(infos_, free_, next_closed_order_, retired_); }

  private:
    [[nodiscard]] std::uint32_t pages_of(const BlockInfo& info) const {
        return info.slc ? slc_pages_ : pages_;
    }
    /// True if the block is in use or being erased.
    [[nodiscard]] bool taken(BlockIndex block) const {
        return in_use(block) || infos_[block].state == BlockState::erasing;
    }
    void close(BlockIndex block, bool allowed) {
        change(block, allowed, BlockState::closed);
        infos_[block].closed_order = next_closed_order_++;
    }
    void change(BlockIndex block, bool allowed, BlockState to) {
        SOLIDTLM_CHECK(allowed, "a block is opened, then closed, then erased");
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
