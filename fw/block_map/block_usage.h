// SPDX-License-Identifier: Apache-2.0
//
// What destaging, merges and erases of a block-mapped layer have to know of each other: programs under way in
// each block, which blocks are in use, and where a program has failed.
#pragma once

#include <utility>
#include <vector>

#include "fw/block_map/block_places.h"
#include "fw/drive/environment.h"
#include "fw/hal/state_archive.h"
#include "fw/runtime/signal.h"

namespace solidtlm::fw {

class BlockUsage {
  public:
    BlockUsage(Environment& environment, const BlockPlaces& places, std::uint32_t blocks)
        : environment_(environment),
          places_(places),
          progress_(environment.executor, "a block is free, or a program ended"),
          blocks_(blocks),
          free_blocks_(blocks),
          free_(environment.layout.pus(), environment.layout.superblocks()) {}

    /// A page of `block` is about to be programmed for the host; the block is in use from then on.
    void begin_program(BlockId block) {
        take(block);
        ++blocks_[block.value].in_flight;
        ++in_flight_;
    }
    void end_program(BlockId block) {
        --blocks_[block.value].in_flight;
        --in_flight_;
        progress_.notify();
    }
    [[nodiscard]] bool busy(BlockId block) const { return blocks_[block.value].in_flight > 0; }
    [[nodiscard]] std::uint32_t in_flight() const { return in_flight_; }

    /// A program of `block` failed: it is to be retired when it is erased.
    void set_failed(BlockId block) { blocks_[block.value].failed = true; }
    [[nodiscard]] bool failed(BlockId block) const { return blocks_[block.value].failed; }

    void take(BlockId block) {
        if (!std::exchange(blocks_[block.value].in_use, true)) {
            change_free(block, false);
        }
    }
    /// It has been erased.
    void give_back(BlockId block) {
        ++erased_;
        if (std::exchange(blocks_[block.value].in_use, false)) {
            change_free(block, true);
        }
        progress_.notify();
    }
    void retire(BlockId block) {
        take(block);
        ++retired_;
        progress_.notify();
    }
    [[nodiscard]] std::uint32_t retired() const { return retired_; }
    /// Erases that have ended well, since the drive was made.
    [[nodiscard]] std::uint64_t erased() const { return erased_; }
    [[nodiscard]] std::uint32_t free_blocks() const { return free_blocks_; }

    /// Notified when a program or an erase has ended.
    Signal& progress() { return progress_; }
    /// Of the next superpage's metadata (fw/flash/spare.h).
    std::uint64_t next_sequence() { return sequence_++; }
    void serialize(hal::StateArchive& archive) {
        archive(blocks_, free_blocks_, free_, retired_, erased_, sequence_);
    }
    /// Tells the probe the free superblocks of every parallel unit.
    void tell_all() const {
        for (std::uint32_t pu = 0; pu < free_.size(); ++pu) {
            tell(Pu{pu});
        }
    }

  private:
    struct State {
        std::uint32_t in_flight = 0;  // pages
        bool in_use = false;
        bool failed = false;

        void serialize(hal::StateArchive& archive) { archive(in_flight, in_use, failed); }
    };
    void change_free(BlockId block, bool more) {
        free_blocks_ += more ? 1U : ~0U;
        for (std::uint32_t i = 0; i < places_.units(); ++i) {
            const Pu pu = places_.unit(block, i);
            free_[pu.value] += more ? 1U : ~0U;
            tell(pu);
        }
    }
    void tell(Pu pu) const {
        if (environment_.probe != nullptr) {
            environment_.probe->free_superblocks(pu.value, free_[pu.value]);
        }
    }

    Environment& environment_;
    const BlockPlaces& places_;
    Signal progress_;
    std::vector<State> blocks_;
    std::uint32_t free_blocks_;
    std::vector<std::uint32_t> free_;  // by parallel unit
    std::uint32_t in_flight_ = 0;
    std::uint32_t retired_ = 0;
    std::uint64_t erased_ = 0;
    std::uint64_t sequence_ = 1;
};

}  // namespace solidtlm::fw
