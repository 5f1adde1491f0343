// SPDX-License-Identifier: Apache-2.0
//
// State that destaging, merges and erases of a block-mapped layer share: the programs under way in each
// block, and the free superblocks of each parallel unit, which a probe shows.
#pragma once

#include <numeric>
#include <vector>

#include "fw/block_map/block_places.h"
#include "fw/drive/services.h"
#include "fw/flash/block_table.h"
#include "fw/hal/state_archive.h"
#include "fw/runtime/signal.h"

namespace solidtlm::fw {

class BlockUsage {
  public:
    BlockUsage(Services& services, const BlockPlaces& places, BlockTable& blocks)
        : services_(services),
          places_(places),
          progress_(services.executor, "a block is free, or a program ended"),
          blocks_(blocks),
          counted_(blocks.free_blocks()),
          free_(services.layout.pus(), services.layout.superblocks()) {}

    /// A page of `block`, which is in use, is about to be programmed for the host.
    void begin_program(BlockId block) {
        count_free(block);
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

    /// Pages are about to be copied to `block`.
    void begin_copies(BlockId block) {
        if (!blocks_.in_use(block.value)) {
            blocks_.open(block.value);
            count_free(block);
        }
    }
    /// The block is free again, or has been retired.
    void end_erase(BlockId block) {
        count_free(block);
        progress_.notify();
    }

    /// Free superblocks of all parallel units.
    [[nodiscard]] std::uint64_t free_superblocks() const {
        return std::accumulate(free_.begin(), free_.end(), std::uint64_t{0});
    }
    /// Notified when a program or an erase has ended.
    Signal& progress() { return progress_; }
    /// Sequence number for the next superpage's metadata (fw/flash/spare.h).
    std::uint64_t next_sequence() { return sequence_++; }
    /// REQUIRES: the layer has been saved or loaded before.
    void serialize(hal::StateArchive& archive) {
        archive(free_, sequence_);
        counted_ = blocks_.free_blocks();
    }
    /// Reports the free superblocks of every parallel unit to the probe.
    void tell_all() const {
        for (std::uint32_t pu = 0; pu < free_.size(); ++pu) {
            tell(Pu{pu});
        }
    }

  private:
    /// Updates the count after `block` may have been opened or become free.
    void count_free(BlockId block) {
        const std::uint32_t change = blocks_.free_blocks() - counted_;  // 0, 1 or -1
        if (change == 0) {
            return;
        }
        counted_ += change;
        for (std::uint32_t i = 0; i < places_.units(); ++i) {
            const Pu pu = places_.unit(block, i);
            free_[pu.value] += change;
            tell(pu);
        }
    }
    void tell(Pu pu) const {
        if (services_.probe != nullptr) {
            services_.probe->free_superblocks(pu.value, free_[pu.value]);
        }
    }

    Services& services_;
    const BlockPlaces& places_;
    Signal progress_;
    BlockTable& blocks_;
    std::uint32_t counted_;            // blocks_.free_blocks() at the last count
    std::vector<std::uint32_t> free_;  // free superblocks by parallel unit
    std::uint32_t in_flight_ = 0;
    std::uint64_t sequence_ = 1;
};

}  // namespace solidtlm::fw
