// SPDX-License-Identifier: Apache-2.0
//
// The common part of all block-mapped layers: the books and the life of a block.
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
    /// Nothing more is written to it.
    void fail(BlockId block) {
        books_.blocks().fail(block.value);
        block_failed(block);
    }
    void program(Lpn lpn, BlockPage at);
    void copy(const Merge::Copy& copy, BlockId target);
    /// Blocks that may be in use besides data blocks at the moment: those that are retired are taken from the
    /// log blocks, as long as the layer can do without them.
    [[nodiscard]] std::uint32_t log_limit() const;
    /// next_release() has to look at it.
    void add_due(Lbn lbn) { due_.push_back(lbn); }
    /// Describes the release that is due, if any.
    virtual bool release_of(Lbn lbn, Merge& merge) = 0;
    /// A page of `lbn` has its newest data in `block` now, or no longer.
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
