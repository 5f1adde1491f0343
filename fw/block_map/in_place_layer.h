// SPDX-License-Identifier: Apache-2.0
//
// Layers with a data block for each logical block, which they write in place for as long as they can: all but
// superblock. They differ in where the other writes go and which merges these need.
//
// A logical block may have a log block of its own (mirror, log block, sequential log block), which becomes
// its data block when the layer says that it can be completed. Log blocks that several logical blocks share
// are cleared instead.
#pragma once

#include "fw/block_map/books_layer.h"

namespace solidtlm::fw {

class InPlaceLayer : public BooksLayer {
  public:
    bool next_merge(Lpn lpn, Merge& merge) final;
    void merged(const Merge& merge) final;
    void merge_failed(const Merge& merge, std::uint32_t offset) final;
    Placement place(Lpn lpn) final;
    void serialize(hal::StateArchive& archive) override {
        BooksLayer::serialize(archive);
        archive(clearing_, cursor_);
    }
    [[nodiscard]] std::string check() const final;

  protected:
    using BooksLayer::BooksLayer;

    /// Describes the merge that must precede a write at `offset` of `lbn` to the log; false if none is
    /// needed.
    virtual bool log_merge(Lbn lbn, std::uint32_t offset, Merge& merge) = 0;
    /// Takes the next place in the log. REQUIRES: log_merge() returns false.
    virtual BlockPage log_place(Lbn lbn, std::uint32_t offset) = 0;
    /// The log block that holds pages of `lbn` alone and may become its data block, or kNoBlock.
    [[nodiscard]] virtual BlockId own_log(Lbn /*lbn*/) const { return kNoBlock; }
    /// The own log can become the data block after the pages that it lacks are copied into it.
    [[nodiscard]] virtual bool can_complete(Lbn /*lbn*/) const { return false; }
    /// The own log lacks no page and has been written to its end.
    [[nodiscard]] virtual bool is_complete(Lbn /*lbn*/) const { return false; }
    /// The own log of `lbn`, or the shared log block `block`, is no longer a log block.
    virtual void forget_own_log(Lbn /*lbn*/) {}
    virtual void forget_shared_log(BlockId /*block*/) {}
    /// An erased block has become the data block of `lbn`.
    virtual void data_block_taken(Lbn /*lbn*/) {}
    [[nodiscard]] virtual std::string check_logs() const { return {}; }

    /// Describes a partial merge or a switch if the own log can be completed, otherwise a full merge.
    void describe_merge(Lbn lbn, Merge& merge);
    /// Begins to clear a log block that several logical blocks share. Describes a full merge of the first of
    /// them, or its drop; next_merge() goes on with the others before it asks log_merge() again.
    void begin_clearing(BlockId log, Merge& merge);

  private:
    bool release_of(Lbn lbn, Merge& merge) final;
    /// Pages of `lbn` whose newest data is not in `except`.
    void gather(Lbn lbn, BlockId except, Merge& merge) const;
    void describe_full(Lbn lbn, Merge& merge);
    void describe_drop(Lbn lbn, Merge& merge) const;
    void describe_clearing(Merge& merge);
    void forget_log(BlockId block, Lbn lbn);
    [[nodiscard]] std::string check_places(Lbn lbn) const;

    BlockId clearing_{kNoBlock};
    std::uint32_t cursor_ = 0;  // in clearing_: no page before it has newest data
};

}  // namespace solidtlm::fw
