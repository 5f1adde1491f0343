// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "fw/flash/block_table.h"
#include "fw/flash/carry_out.h"

namespace solidtlm::fw {

/// Erases `block`, whose data is no longer needed, with `op`, and counts its wear. True if the block can be
/// used again; otherwise an operation in it has failed, and the caller retires it. tell(deed, reason) is
/// called for each decision; the other parameters are those of carry_out(). REQUIRES: `block` is being
/// erased.
template <class Tell>
Task<bool> erase_block(Services& services, BlockInfo& block, hal::FlashOp& op, Cause cause, Tell tell,
                       Ledger* ledger = nullptr, Besides besides = {}) {
    SOLIDTLM_CHECK(block.state == BlockState::erasing, "the erase of the block has begun");
    tell(hal::Deed::erase, hal::Reason::emptied);
    const hal::FlashStatus status = co_await carry_out(services, op, cause, ledger, besides);
    ++block.erases;
    const bool usable = status == hal::FlashStatus::ok && !block.failed;
    if (!usable) {
        tell(hal::Deed::retire, block.failed ? hal::Reason::program_failed : hal::Reason::erase_failed);
    }
    co_return usable;
}

}  // namespace solidtlm::fw
