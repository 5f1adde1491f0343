// SPDX-License-Identifier: Apache-2.0
//
// The queue of transfers that firmware has asked for in one command: HostTransfers in order, each a list of
// DRAM pieces. Bytes are claimed (their DRAM access begins) and later retired (moved), both strictly in
// order.
#pragma once

#include <algorithm>
#include <cstdint>

#include "fw/hal/check.h"
#include "fw/hal/host.h"
#include "hw/tlm/ring.h"
#include "hw/tlm/time.h"

namespace solidtlm::hw {

class TransferQueue {
  public:
    /// One contiguous DRAM access.
    struct Run {
        hal::DramAddress address;
        std::uint32_t bytes = 0;
    };

    /// Why `transfer` does not continue this queue (gap, pieces that do not add up), or null when it does.
    [[nodiscard]] const char* refuse(const hal::HostTransfer& transfer) const;
    /// REQUIRES: refuse() is null.
    void push(hal::HostTransfer& transfer);

    [[nodiscard]] bool empty() const { return transfers_.empty(); }
    [[nodiscard]] std::uint64_t requested() const { return requested_; }
    [[nodiscard]] std::uint64_t claimed() const { return claimed_; }
    [[nodiscard]] std::uint64_t retired() const { return retired_; }
    [[nodiscard]] std::uint64_t claimable() const { return requested_ - claimed_; }
    /// Bytes that are left of the oldest transfer; 0: there is none.
    [[nodiscard]] std::uint32_t left_of_front() const { return empty() ? 0 : front_left_; }
    /// Where that transfer ends, counted from the command's first byte. REQUIRES: not empty.
    [[nodiscard]] std::uint64_t end_of_front() const {
        SOLIDTLM_CHECK(!empty(), "a transfer is under way");
        return retired_ + front_left_;
    }

    /// The next bytes of one transfer that lie together in DRAM, at most `at_most`.
    /// REQUIRES: claimable() > 0.
    Run claim(std::uint32_t at_most);

    /// `bytes` more have moved at `at`. Calls `mark(Ledger&)` for every transfer that they belong to; a
    /// transfer that is complete enters Stage::firmware_wait and is done. REQUIRES: `at` is now if one is
    /// complete.
    template <class Mark>
    void retire(std::uint32_t bytes, Ps at, Mark mark);

    /// Ends all transfers at once, without moving the rest of their data.
    void abort();
    /// Forgets all transfers without ending them.
    void clear();

  private:
    void finish_front(bool aborted);

    /// Firmware has one transfer of a command under way, or two.
    static constexpr std::size_t kMostTransfers = 64;
    Ring<hal::HostTransfer*> transfers_{kMostTransfers};
    std::uint64_t requested_ = 0;  // bytes since the command began
    std::uint64_t claimed_ = 0;
    std::uint64_t retired_ = 0;
    std::uint32_t front_left_ = 0;  // bytes of the front transfer not retired
    std::size_t claim_index_ = 0;   // transfer, piece and offset of the next byte to claim
    std::size_t claim_piece_ = 0;
    std::uint32_t claim_offset_ = 0;
};

/// Marks a ledger for hardware that learns of intervals afterwards: `at` may lie before the last mark, and
/// the stage then begins at that mark.
inline void mark_from(hal::Ledger& ledger, hal::Stage stage, Ps at) {
    ledger.enter(stage, std::max(at, ledger.last()));
}

template <class Mark>
void TransferQueue::retire(std::uint32_t bytes, Ps at, Mark mark) {
    retired_ += bytes;
    while (bytes > 0) {
        hal::HostTransfer& transfer = *transfers_.front();
        const std::uint32_t part = std::min(bytes, front_left_);
        mark(*transfer.ledger);
        bytes -= part;
        front_left_ -= part;
        if (front_left_ == 0) {
            SOLIDTLM_CHECK(at == now(), "firmware hears of a transfer when it ends");
            finish_front(false);
        }
    }
}

}  // namespace solidtlm::hw
