// SPDX-License-Identifier: Apache-2.0
//
// The common part of all block-mapped layers: their tables and the life of a block.
#pragma once

#include "fw/block_map/block_books.h"

namespace solidtlm::fw {

class BooksLayer : public BlockLayer {
  public:
    BooksLayer(const FirmwareConfig& config, const BlockGeometry& geometry);

    [[nodiscard]] BlockPage locate(Lpn lpn) const final { return books_.locate(lpn); }
    bool next_release(Merge& merge) final;
    void place_failed(Lpn lpn, BlockPage at) final;
    void trim(Lpn lpn) final;
    void erased(BlockId block) final { books_.erased(block); }
    void retired(BlockId block) final { books_.retired(block); }
    [[nodiscard]] BlockTable& blocks() final { return books_.blocks(); }
    [[nodiscard]] std::uint32_t free_blocks() const final { return books_.free_blocks(); }
    [[nodiscard]] std::uint32_t data_pages() const final { return books_.data_pages(); }
    [[nodiscard]] std::uint64_t data_blocks() const override { return books_.count(BlockRole::data); }
    [[nodiscard]] std::uint64_t data_pages_programmed() const final { return books_.data_pages_programmed(); }
    [[nodiscard]] std::uint64_t log_blocks() const override { return books_.count(BlockRole::log); }
    void serialize(hal::StateArchive& archive) override { archive(books_, hal::list(due_)); }

  protected:
    /// Closes `block` to further writes.
    void fail(BlockId block) {
        books_.blocks().fail(block.value);
        block_failed(block);
    }
    void program(Lpn lpn, BlockPage at);
    void copy(const Merge::Copy& copy, BlockId target);
    /// How many blocks besides data blocks may be in use now. Retired blocks reduce the number of log blocks,
    /// down to the least that the layer needs.
    [[nodiscard]] std::uint32_t log_limit() const;
    /// next_release() will check `lbn`.
    void add_due(Lbn lbn) { due_.push_back(lbn); }
    /// Describes the release of `lbn`, if it is due.
    virtual bool release_of(Lbn lbn, Merge& merge) = 0;
    /// The newest data of a page of `lbn` lies in `block` from now on, or no longer does.
    virtual void page_came(BlockId /*block*/, Lbn /*lbn*/) {}
    virtual void page_left(BlockId /*block*/, Lbn /*lbn*/) {}
    virtual void block_failed(BlockId /*block*/) {}

    BlockBooks books_;

  private:
    std::uint32_t most_logs_;
    std::uint32_t least_logs_;
    std::vector<Lbn> due_;
};

}  // namespace solidtlm::fw
