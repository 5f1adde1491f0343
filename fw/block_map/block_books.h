// SPDX-License-Identifier: Apache-2.0
//
// What every block-mapped layer records: the state of each block, which of its pages are programmed and
// which LPN has its newest data in each page, where each LPN's data is, the data block of each logical
// block, and the erased blocks. Real firmware records less: it finds pages that are in place through the
// data block, and searches the logs.
//
// Memory: 4 bytes and one bit per page, 4 bytes per logical page, taken from the system on first touch.
#pragma once

#include <array>
#include <string>
#include <vector>

#include "fw/block_map/block_layer.h"
#include "fw/drive/divider.h"
#include "fw/flash/free_blocks.h"
#include "fw/hal/zeroed_memory.h"

namespace solidtlm::fw {

/// What a block is used for. `none`: the block is not in use, or pages are only being copied to it.
enum class BlockRole : std::uint8_t { none, data, log };
constexpr std::size_t kBlockRoles = 3;

class BlockBooks {
  public:
    /// `data_pages`: per logical block. The next free block is the least erased one; of equally erased
    /// blocks, the one that has been free longest. Initially, equal blocks follow each other in the order
    /// of their numbers, and thus on different parallel units.
    BlockBooks(const BlockGeometry& geometry, std::uint32_t data_pages, bool least_erased_first);

    [[nodiscard]] const BlockGeometry& geometry() const { return geometry_; }
    [[nodiscard]] std::uint32_t pages() const { return geometry_.pages; }
    [[nodiscard]] std::uint32_t data_pages() const { return data_pages_; }
    [[nodiscard]] std::uint32_t logical_blocks() const { return static_cast<std::uint32_t>(logical_.size()); }
    [[nodiscard]] Lbn lbn_of(Lpn lpn) const { return Lbn{by_data_pages_.quotient(lpn.value)}; }
    [[nodiscard]] std::uint32_t offset_of(Lpn lpn) const { return by_data_pages_.remainder(lpn.value); }
    [[nodiscard]] Lpn first_of(Lbn lbn) const { return Lpn{lbn.value * data_pages_}; }
    /// Exported pages of a logical block; the last one may have fewer than the others.
    [[nodiscard]] std::uint32_t pages_of(Lbn lbn) const;

    // Logical blocks.
    [[nodiscard]] BlockId data_block(Lbn lbn) const { return logical_[lbn.value].data; }
    void set_data_block(Lbn lbn, BlockId block) { logical_[lbn.value].data = block; }
    /// Pages of the logical block that have data.
    [[nodiscard]] std::uint32_t live(Lbn lbn) const { return logical_[lbn.value].live; }

    // Pages.
    [[nodiscard]] BlockPage locate(Lpn lpn) const;
    /// The LPN whose newest data lies in this page, or kNoLpn.
    [[nodiscard]] Lpn page_at(BlockPage at) const { return Lpn{page_of_[index(at)] - 1}; }
    [[nodiscard]] bool programmed(BlockPage at) const;
    /// True if neither this page nor, under the rule of ascending pages, a later page of its column has
    /// been programmed since the erase, and no program has failed in the block.
    [[nodiscard]] bool writable(BlockPage at) const;
    /// After a program: the newest data of `lpn` is at `at`.
    void program(Lpn lpn, BlockPage at);
    /// After a program: moves the newest data of `lpn` away from `from`, if it is still there.
    void copy(Lpn lpn, BlockPage from, BlockPage to);
    /// Forgets the data of `lpn`. Returns where it was.
    BlockPage invalidate(Lpn lpn);

    // Blocks.
    [[nodiscard]] BlockTable& blocks() { return blocks_; }
    [[nodiscard]] const BlockTable& blocks() const { return blocks_; }
    [[nodiscard]] BlockRole role(BlockId block) const { return roles_[block.value]; }
    [[nodiscard]] bool failed(BlockId block) const { return blocks_.info(block.value).failed; }
    [[nodiscard]] std::uint32_t valid(BlockId block) const { return blocks_.info(block.value).valid; }
    /// Includes a block that pages are being copied to, until take() returns it.
    [[nodiscard]] std::uint32_t free_blocks() const {
        return free_.size() + (next_free_ != kNoBlock ? 1 : 0);
    }
    [[nodiscard]] std::uint32_t count(BlockRole role) const {
        return counts_[static_cast<std::size_t>(role)];
    }
    /// How many of the block's places for logical pages have been programmed.
    [[nodiscard]] std::uint32_t places_programmed(BlockId block) const {
        return places_programmed_[block.value];
    }
    [[nodiscard]] std::uint64_t data_pages_programmed() const { return data_pages_programmed_; }
    /// The block that take() will return next, or kNoBlock.
    [[nodiscard]] BlockId next_free();
    /// REQUIRES: a free block.
    BlockId take(BlockRole role);
    /// REQUIRES: the block is in use.
    void set_role(BlockId block, BlockRole role);
    /// The data of the block is no longer needed. REQUIRES: the block is in use.
    void begin_erase(BlockId block);
    /// The erase of `block` has ended. A block in which a program failed is retired.
    void erased(BlockId block);
    /// The block could not be erased, or its first program failed: takes it out of service.
    void retired(BlockId block);

    void serialize(hal::StateArchive& archive) {
        archive(blocks_, roles_, places_programmed_, logical_, place_of_, page_of_, programmed_, next_row_,
                free_, next_free_, counts_, data_pages_programmed_);
    }
    /// Empty if the tables agree; otherwise the first disagreement.
    [[nodiscard]] std::string check() const;

  private:
    struct LogicalBlock {
        BlockId data{kNoBlock};
        std::uint32_t live = 0;

        void serialize(hal::StateArchive& archive) { archive(data, live); }
    };

    [[nodiscard]] std::size_t index(BlockPage at) const {
        return std::size_t{at.block.value} * geometry_.pages + at.offset;
    }
    [[nodiscard]] BlockPage page_of_index(std::uint32_t index) const {
        const std::uint32_t block = by_pages_.quotient(index);
        return BlockPage{BlockId{block}, index - block * geometry_.pages};
    }
    void mark_programmed(BlockPage at);
    void forget_pages(BlockId block);
    [[nodiscard]] std::string check_block(BlockId block) const;

    BlockGeometry geometry_;
    std::uint32_t data_pages_;
    Divider by_data_pages_;
    Divider by_pages_;
    Divider by_columns_;
    std::uint32_t words_;  // per block in programmed_
    BlockTable blocks_;
    std::vector<BlockRole> roles_;                  // by block
    std::vector<std::uint32_t> places_programmed_;  // by block: programmed places for logical pages
    std::vector<LogicalBlock> logical_;
    hal::ZeroedMemory<std::uint32_t> place_of_;    // by LPN: index of its page + 1
    hal::ZeroedMemory<std::uint32_t> page_of_;     // by index: LPN + 1
    hal::ZeroedMemory<std::uint64_t> programmed_;  // bits, words_ per block
    hal::ZeroedMemory<std::uint16_t> next_row_;    // by block and column: first page that the rule allows
    FreeBlocks free_;
    BlockId next_free_{kNoBlock};  // no longer in free_
    std::array<std::uint32_t, kBlockRoles> counts_{};
    std::uint64_t data_pages_programmed_ = 0;
};

}  // namespace solidtlm::fw
