// SPDX-License-Identifier: Apache-2.0
//
// State that destaging, merges and erases of a block-mapped layer share: programs under way in each block,
// which blocks are in use, and where a program has failed.
#pragma once

#include <vector>

#include "fw/block_map/block_places.h"
#include "fw/drive/environment.h"
#include "fw/flash/block_table.h"
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
          free_(environment.layout.pus(), environment.layout.superblocks()) {}

    /// A page of `block` is about to be programmed for the host; the block is in use from then on.
    void begin_program(BlockId block) {
        take(block);
        ++blocks_.info(block.value).in_flight;
        ++in_flight_;
    }
    void end_program(BlockId block) {
        --blocks_.info(block.value).in_flight;
        --in_flight_;
        progress_.notify();
    }
    [[nodiscard]] bool busy(BlockId block) const { return blocks_.info(block.value).in_flight > 0; }
    [[nodiscard]] std::uint32_t in_flight() const { return in_flight_; }

    /// A program of `block` failed: it is to be retired when it is erased.
    void set_failed(BlockId block) { blocks_.info(block.value).failed = true; }
    [[nodiscard]] bool failed(BlockId block) const { return blocks_.info(block.value).failed; }

    void take(BlockId block) {
        if (blocks_.info(block.value).state == BlockState::free) {
            blocks_.open(block.value);
            change_free(block, false);
        }
    }
    /// REQUIRES: it is in use.
    void begin_erase(BlockId block) { blocks_.begin_erase(block.value); }
    /// It has been erased.
    void give_back(BlockId block) {
        ++blocks_.info(block.value).erases;
        blocks_.recycle(block.value);
        change_free(block, true);
        progress_.notify();
    }
    void retire(BlockId block) {
        blocks_.retire(block.value);
        progress_.notify();
    }
    [[nodiscard]] const BlockTable& blocks() const { return blocks_; }

    /// Notified when a program or an erase has ended.
    Signal& progress() { return progress_; }
    /// Of the next superpage's metadata (fw/flash/spare.h).
    std::uint64_t next_sequence() { return sequence_++; }
    void serialize(hal::StateArchive& archive) { archive(blocks_, free_, sequence_); }
    /// Tells the probe the free superblocks of every parallel unit.
    void tell_all() const {
        for (std::uint32_t pu = 0; pu < free_.size(); ++pu) {
            tell(Pu{pu});
        }
    }

  private:
    void change_free(BlockId block, bool more) {
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
    BlockTable blocks_;
    std::vector<std::uint32_t> free_;  // by parallel unit
    std::uint32_t in_flight_ = 0;
    std::uint64_t sequence_ = 1;
};

}  // namespace solidtlm::fw
