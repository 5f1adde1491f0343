// SPDX-License-Identifier: Apache-2.0
//
// Block-mapped and hybrid translation: a BlockLayer decides where pages go and what has to be merged; this
// class does the flash work. docs/block-map.md defines the layers.
//
// Destaging passes pages to the layer one by one, in the order in which the write buffer releases them:
// first the merges that are due, then the place, then the blocks that can be released; exactly what
// UntimedBlocks does. Programs run in the background. Merges run one at a time, while destaging waits.
// Pages that follow each other on the planes of a superpage are programmed together.
//
// A place is taken when its page is about to be programmed. Until the program has ended, reads are served
// from the write buffer; a page that is trimmed meanwhile has no data from that instant on. A merge waits
// until all programs in its blocks have ended.
#pragma once

#include <memory>
#include <vector>

#include "fw/block_map/block_map_state.h"
#include "fw/block_map/block_places.h"
#include "fw/block_map/block_tables.h"
#include "fw/block_map/block_usage.h"
#include "fw/block_map/merger.h"
#include "fw/translation/buffer_fill.h"
#include "fw/translation/translation.h"

namespace solidtlm::fw {

/// A single list for all pages, oldest slot first.
class BlockMapOrder : public DestageOrder {
  public:
    [[nodiscard]] std::uint32_t lists() const override { return 1; }
    [[nodiscard]] std::uint32_t list_of(Lpn /*lpn*/, bool /*past_cache*/) const override { return 0; }
};

class BlockMap : public Translation {
  public:
    BlockMap(Services& services, const DramMap& dram_map, WriteBuffer& buffer);
    ~BlockMap() override;

    std::unique_ptr<LogicalReader> make_reader() override;
    void start() override;
    Task<void> trim(Lpn first, std::uint32_t count, Ledger* ledger) override;
    Task<bool> holds(Lpn lpn, Ledger* ledger) override;
    void prefetch(Lpn /*lpn*/) const override {}
    [[nodiscard]] std::optional<WriteStop> write_stop() const override;
    [[nodiscard]] bool lost_writes() const override { return lost_writes_.size() > 0; }
    [[nodiscard]] bool mapped(Lpn lpn) const override { return layer_->locate(lpn).block != kNoBlock; }
    [[nodiscard]] Ppa locate(Lpn lpn) const override;
    [[nodiscard]] bool at_rest() const override {
        return asleep_ && usage_.in_flight() == 0 && merger_.erasing() == 0;
    }
    void serialize(hal::StateArchive& archive) override {
        archive(*layer_, usage_, merger_, lost_writes_, stuck_, read_only_);
    }
    void probe_changed() override { usage_.tell_all(); }
    void reset_counters() override;
    [[nodiscard]] std::uint64_t free_superblocks() const override {
        return std::uint64_t{layer_->free_blocks()} * places_.units();
    }
    [[nodiscard]] FlashWear wear() const override {
        return {layer_->blocks().total_erases() * places_.units(),
                layer_->blocks().retired() * places_.units()};
    }
    void tell(hal::Metrics& metrics) const override;
    /// For results.
    [[nodiscard]] BlockMapState state() const;
    [[nodiscard]] std::string check() const override;

  private:
    std::uint64_t unmap(Lpn first, std::uint32_t count);
    class Reader;
    struct Program;

    Task<void> destage();
    /// Why partly filled superpages are written now; see WriteBuffer::reason_for_part().
    [[nodiscard]] std::optional<hal::Reason> reason_for_part() const;
    [[nodiscard]] std::uint32_t ready() const;
    Task<void> take_over(std::uint32_t slots);
    Task<void> write(Slot slot);
    Task<bool> make_room(Lpn lpn);
    Task<void> release();
    Task<void> merge();
    Task<void> place(Slot slot);
    Task<void> submit();
    Task<void> run(Program& program);
    Program& take_program();
    [[nodiscard]] Charge charge_lookup(std::span<const Lpn> lpns);
    void wait_for_space(bool waiting);
    /// The page was written again or trimmed: an earlier loss of its data no longer matters.
    void forget_loss(hal::Lpn lpn) {
        merger_.lost().erase(lpn);
        lost_writes_.erase(lpn);
    }
    void look_for_space();

    Services& services_;
    WriteBuffer& buffer_;
    BlockPlaces places_;
    BlockGeometry geometry_;
    std::unique_ptr<BlockLayer> layer_;
    BlockUsage usage_;
    BlockTables tables_;
    BlockCounters counters_;
    std::uint64_t programmed_pages_ = 0;  // for the host, without error
    std::uint64_t filled_pages_ = 0;      // pages that the host wrote in part
    std::uint64_t program_failures_ = 0;
    BlockMerger merger_;
    LostPages lost_writes_;  // pages of merger_.lost() whose lost data was acknowledged
    Merge merge_;

    // State of destaging: the slots that were taken, the pages that are placed but not submitted, and their
    // ledger.
    std::vector<Slot> taken_;
    std::unique_ptr<Reader> reader_;
    BufferFill fill_;
    Ledger trunk_;
    Ledger* ledger_ = nullptr;                // null: no write waits for these slots
    hal::Reason reason_ = hal::Reason::full;  // why they were taken
    Program* gathered_ = nullptr;
    std::vector<std::unique_ptr<Program>> programs_;
    std::vector<Program*> free_programs_;
    std::vector<std::uint32_t> programs_of_;  // by Pu: submitted and not ended

    bool asleep_ = false;     // destaging has nothing to do
    bool stuck_ = false;      // no block is free, and none will become free
    bool read_only_ = false;  // set with stuck_; cleared when the buffer is empty and blocks are free
    std::optional<Ps> read_only_since_;
    std::uint32_t trims_ = 0;  // TRIM commands under way
};

}  // namespace solidtlm::fw
