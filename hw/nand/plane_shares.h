// SPDX-License-Identifier: Apache-2.0
//
// The operations that hold a die: one that has all planes, or several reads that have some each
// (plane_reads.h). For ledgers and utilisation, the die is held at every instant for one of them: the one
// that has held planes longest. When it leaves, the die is handed over to the next.
//
// The end of a read whose data is leaving is known, so it needs no event: it is settled when the die is used
// next.
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
        FlashRequest* request = nullptr;  ///< null: its last data is leaving, until free_at
        hal::PlaneSet planes = 0;
        hal::Holder holder{};
        hal::Cause cause{};
        Ps since{0};
        Ps free_at{0};
    };
    static constexpr Ps kNever = Ps::max();

    /// Planes in use, including those whose data is leaving.
    [[nodiscard]] hal::PlaneSet taken() const { return state_.taken; }
    /// The earliest time at which leaving data is gone; kNever if no data is leaving.
    [[nodiscard]] Ps next_free() const { return state_.next_free; }
    /// The operation that has held planes longest; null if there is none, or if its data is leaving.
    [[nodiscard]] FlashRequest* oldest() const {
        return state_.count > 0 ? state_.shares[0].request : nullptr;
    }
    [[nodiscard]] std::span<const Share> all() const { return {state_.shares.data(), state_.count}; }
    [[nodiscard]] bool has(const FlashRequest& request) const {
        for (const Share& share : all()) {
            if (share.request == &request) {
                return true;
            }
        }
        return false;
    }
    /// How long the die has been held, by holder. REQUIRES for snapshots: settle().
    [[nodiscard]] const hal::HolderClock& clock() const { return clock_; }

    /// The request gets its planes. REQUIRES: they are free.
    void take(FlashRequest& request, Ps now);
    /// The data of the request, which holds planes, leaves until `end`. Returns its planes.
    hal::PlaneSet leave(const FlashRequest& request, Ps end);
    /// The request returns its planes; returns which these are. REQUIRES: it holds some.
    hal::PlaneSet give_back(const FlashRequest& request, Ps now);
    /// Ends all shares that have ended by `now`.
    void settle(Ps now) {
        if (state_.next_free <= now) {
            end_leaving(now);
        }
    }

    /// `read` replaces the only holder, which it pauses; it has all planes until narrow().
    void replace(FlashRequest& read) { state_.shares[0].request = &read; }
    /// From now on the die is held for the request that replaced another.
    void hand_over(Ps now);
    /// Reduces the request's planes to those that it needs. Returns the others.
    hal::PlaneSet narrow(const FlashRequest& request);

    /// No operation holds the die, but it is withheld for `op` until release().
    void keep_for(const hal::FlashOp& op, Ps now) { hold(holder_of(op), op.cause, now); }
    void release(Ps now);

    /// Frees the die of all operations. REQUIRES: settle().
    void power_cut(Ps now);
    /// How long the die has been held so far, by holder and by cause.
    [[nodiscard]] hal::HolderTimes times(Ps now) const;
    [[nodiscard]] TimeByCause held(Ps now) const;

  private:
    Share& share_of(const FlashRequest& request);
    void hold(hal::Holder holder, hal::Cause cause, Ps now);
    void remove(std::size_t index, Ps at);
    void end_leaving(Ps now);
    void look_again();

    struct Volatile {
        std::array<Share, hal::kMaxPlanesPerOp> shares{};  ///< in the order in which they began
        std::size_t count = 0;
        hal::PlaneSet taken = 0;
        Ps next_free = kNever;
        hal::Cause cause = hal::Cause::host;  ///< cause for which the die is held
        Ps since{0};
    } state_;
    hal::HolderClock clock_;
    TimeByCause held_{};
};

}  // namespace solidtlm::hw
