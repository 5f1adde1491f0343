// SPDX-License-Identifier: Apache-2.0
//
// Which operations hold a die: one that has all planes, or several reads that have some each
// (plane_reads.h). At every instant the die is held for one of them, for ledgers and utilisation: for the one
// that has been there longest. When that leaves, the die is handed over to the next.
//
// A read whose data leave is known to end, so it needs no event: what ended before is settled when the die is
// looked at.
#pragma once

#include <array>
#include <span>

#include "fw/hal/ledger.h"
#include "hw/nand/flash_request.h"
#include "hw/nand/flash_statistics.h"

namespace solidtlm::hw {

class PlaneShares {
  public:
    struct Share {
        FlashRequest* request = nullptr;  ///< null: its last data leave until free_at
        hal::PlaneSet planes = 0;
        hal::Holder holder{};
        hal::Cause cause{};
        Ps since{0};
        Ps free_at{0};
    };
    static constexpr Ps kNever = Ps::max();

    /// Planes that operations have, those whose data leave included.
    [[nodiscard]] hal::PlaneSet taken() const { return taken_; }
    /// When the next of those whose data leave is gone; kNever: no data leave.
    [[nodiscard]] Ps next_free() const { return next_free_; }
    /// The operation that has been there longest; null: none, or its data leave.
    [[nodiscard]] FlashRequest* oldest() const { return count_ > 0 ? shares_[0].request : nullptr; }
    [[nodiscard]] std::span<const Share> all() const { return {shares_.data(), count_}; }
    [[nodiscard]] bool has(const FlashRequest& request) const {
        for (const Share& share : all()) {
            if (share.request == &request) {
                return true;
            }
        }
        return false;
    }
    /// The die as held so far. REQUIRES for snapshots: settled.
    [[nodiscard]] const hal::HolderClock& clock() const { return clock_; }

    /// The request gets its planes. REQUIRES: they are free.
    void take(FlashRequest& request, Ps now);
    /// The data of the request, which holds planes, leave until `end`. Returns the planes.
    hal::PlaneSet leave(const FlashRequest& request, Ps end);
    /// The request gives its planes back. Returns them. REQUIRES: it holds some.
    hal::PlaneSet give_back(const FlashRequest& request, Ps now);
    /// Ends what has ended by now.
    void settle(Ps now) {
        if (next_free_ <= now) {
            end_leaving(now);
        }
    }

    /// `read` takes the place of the only holder, which it pauses; all planes are its until narrow().
    void replace(FlashRequest& read) { shares_[0].request = &read; }
    /// The die is held for the request that took the place of another.
    void hand_over(Ps now);
    /// The request keeps the planes that it needs. Returns the others.
    hal::PlaneSet narrow(const FlashRequest& request);

    /// No operation has the die, but it is kept for `op` until release().
    void keep_for(const hal::FlashOp& op, Ps now) { hold(holder_of(op), op.cause, now); }
    void release(Ps now);

    /// No operation has the die any more. REQUIRES: settled.
    void clear(Ps now);
    /// How long the die has been held so far, by holder and by cause.
    [[nodiscard]] hal::HolderTimes times(Ps now) const;
    [[nodiscard]] TimeByCause held(Ps now) const;

  private:
    Share& share_of(const FlashRequest& request);
    void hold(hal::Holder holder, hal::Cause cause, Ps now);
    void remove(std::size_t index, Ps at);
    void end_leaving(Ps now);
    void look_again();

    std::array<Share, hal::kMaxPlanesPerOp> shares_{};  ///< from the one that has been there longest
    std::size_t count_ = 0;
    hal::PlaneSet taken_ = 0;
    Ps next_free_ = kNever;
    hal::HolderClock clock_;
    hal::Cause cause_ = hal::Cause::host;  ///< for which the die is held
    Ps since_{0};
    TimeByCause held_{};
};

}  // namespace solidtlm::hw
