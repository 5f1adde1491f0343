// SPDX-License-Identifier: Apache-2.0
//
// Makes flash that programs a word line in several passes (FlashLayout::passes) look like flash that programs
// it at once. The rest of the firmware programs whole word lines, in order; here each of them is followed by
// the passes whose turn it is then: pass 1 of the word line before, pass 2 of the one before that. Behind the
// last word line of a block the further passes follow at once (hw/nand/word_line_passes.h has the order).
//
// - A program has ended when its last pass has, so its data stay where they are, in the write buffer or in a
//   buffer of collection, until nothing needs them any more. It *waits* while the next word line of its block
//   is missing. Where its end is needed, padding is programmed there (fw/page_map/word_line_closer.h).
// - A word line without data has ended after its first pass; the others follow with their turn.
// - If a pass fails, so do all programs of the block that have not ended.
// - Everything else is passed on: reads, erases, single pages in SLC mode.
//
// Each further descriptor costs the core CycleCosts::flash_issue and flash_complete.
#pragma once

#include <array>
#include <cstdint>
#include <deque>
#include <map>
#include <memory>
#include <vector>

#include "fw/drive/config.h"
#include "fw/drive/flash_layer.h"
#include "fw/hal/flash.h"
#include "fw/hal/state_archive.h"
#include "fw/runtime/executor.h"
#include "fw/runtime/signal.h"
#include "fw/runtime/task.h"

namespace solidtlm::fw {

class StaircaseFlash : public FlashLayer {
  public:
    /// All must outlive it. REQUIRES: config.flash.passes > 1.
    StaircaseFlash(const FirmwareConfig& config, Executor& executor, hal::Flash& flash);

    void submit(hal::FlashOp& op) override;

    /// `signal` is notified when programs begin to wait, and by look_again(). Outlives the firmware's work.
    void watch(Signal& signal) { watch_ = &signal; }
    /// Padding may be needed now.
    void look_again() {
        if (watch_ != nullptr && waiting_ > 0) {
            watch_->notify();
        }
    }
    /// From now on (`wanted`), or no longer, all programs that wait are to end by padding.
    void want_ends(bool wanted) {
        wanted_ = wanted;
        look_again();
    }
    /// As want_ends(), until the host has something to write. Collection begins no move meanwhile: it would
    /// wait, too, and in time collect the padding.
    void finish(bool finishing) {
        finishing_ = finishing;
        look_again();
    }
    [[nodiscard]] bool finishing() const { return finishing_; }
    [[nodiscard]] bool ends_wanted() const { return wanted_ || finishing_; }

    /// Programs that wait, in all blocks.
    [[nodiscard]] std::uint32_t waiting() const { return waiting_; }
    /// Of these, the host's.
    [[nodiscard]] std::uint32_t waiting_of_host() const { return waiting_of_host_; }
    /// Of these, collection's.
    [[nodiscard]] std::uint32_t waiting_of_collection() const { return waiting_ - waiting_of_host_; }
    /// Programs that wait in this block (any address in it): all, or only the host's.
    [[nodiscard]] std::uint32_t waiting_in(hal::FlashAddress block, bool of_host) const;
    /// No pass is under way: all programs that have not ended wait.
    [[nodiscard]] bool at_rest() const { return under_way_ == 0 && open_ == waiting_; }
    /// REQUIRES: at_rest(), nothing waits.
    void serialize(hal::StateArchive& archive);

  private:
    static constexpr std::size_t kMostPasses = 3;

    struct Line;
    struct Pass {
        hal::FlashOp op;
        Ledger ledger;
        Line* line = nullptr;
    };
    struct Block;
    /// A word line on each plane, from its first pass until its last one has ended.
    struct Line {
        hal::FlashOp* whole = nullptr;  ///< null: without data, and its first pass has ended
        Block* block = nullptr;
        hal::FlashOp image;  ///< what each pass sends; pieces and spare are these:
        std::vector<hal::FlashPiece> pieces;
        std::vector<std::byte> spare;
        bool padding = false;  ///< without data
        std::uint32_t issued = 0;
        std::uint32_t ended = 0;
        std::array<Pass, kMostPasses> passes;

        void serialize(hal::StateArchive& archive);
    };
    struct Block {
        StaircaseFlash* owner = nullptr;
        std::deque<std::unique_ptr<Line>> lines;  ///< not finished; the newest is the last one
        std::uint32_t under_way = 0;              ///< passes
        std::uint32_t waiting = 0;                ///< programs that wait
        std::uint32_t waiting_of_host = 0;
        bool failed = false;

        void serialize(hal::StateArchive& archive);
    };

    Task<void> program(hal::FlashOp& op);
    Task<void> erase(hal::FlashOp& op);
    [[nodiscard]] bool is_last(const hal::FlashOp& op) const;
    static void add_line(Block& block, hal::FlashOp& op);
    void issue(Block& block, std::uint32_t behind, std::uint32_t pass);
    void changed(Block& block, const hal::FlashAddress& at);
    void pass_ended(Pass& pass);
    void settle(Line& line, hal::FlashStatus status, const Pass& last);
    void count_waiting(Block& block);

    const std::uint32_t passes_;
    const std::uint32_t word_line_;  // pages
    const std::uint32_t pages_;      // of a block
    const std::uint32_t page_bytes_;
    const CycleCosts cycles_;
    Executor& executor_;
    Signal* watch_ = nullptr;
    Signal ended_;
    std::map<hal::FlashAddress, Block> blocks_;  // by first page
    std::uint32_t open_ = 0;                     // programs that have not ended
    std::uint32_t under_way_ = 0;
    std::uint32_t waiting_ = 0;
    std::uint32_t waiting_of_host_ = 0;
    bool wanted_ = false;
    bool finishing_ = false;
};

}  // namespace solidtlm::fw
