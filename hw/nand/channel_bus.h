// SPDX-License-Identifier: Apache-2.0
//
// The bus of a channel as a resource: its holder and for how long, its waiters, and which of them is next.
// Released lazily: the end of a phase needs no event if no request waits for it.
#pragma once

#include <algorithm>
#include <array>
#include <vector>

#include "fw/hal/check.h"
#include "fw/hal/ledger.h"
#include "hw/nand/arbitration/bus_arbiter.h"
#include "hw/nand/flash_request.h"

namespace solidtlm::hw {

class ChannelBus {
  public:
    explicit ChannelBus(std::string_view arbitration)
        : arbitration_(hal::named(bus_arbitrations(), arbitration)) {}

    /// Ends the current phase if it is over. Call before anything else of an instant.
    void settle(Ps now) {
        if (clock_.held() && state_.busy_until <= now) {
            clock_.release(state_.busy_until);
        }
    }
    void ask(FlashRequest& request, bool data) {
        const bool read = request.op->opcode == hal::FlashOpcode::read;
        state_.waiters.push_back(BusWaiter{&request, request.op->address[0].die, read, data});
        max_waiters_ = std::max(max_waiters_, state_.waiters.size());
    }
    /// The request no longer wants the bus.
    void withdraw(const FlashRequest& request) {
        std::erase_if(state_.waiters,
                      [&request](const BusWaiter& waiter) { return waiter.request == &request; });
    }
    /// Removes and returns the next waiter, or null if the bus is held or no request waits.
    FlashRequest* grant() {
        if (clock_.held() || state_.waiters.empty()) {
            return nullptr;
        }
        const std::size_t winner =
            state_.waiters.size() > 1 ? arbitration_.pick(state_.waiters, state_.last) : 0;
        state_.last = state_.waiters[winner].die;
        FlashRequest* request = state_.waiters[winner].request;
        state_.waiters.erase(state_.waiters.begin() + static_cast<std::ptrdiff_t>(winner));
        return request;
    }
    /// Begins the ledger waits of the requests that came at `now` and did not get the bus at once.
    void note_waits(Ps now) {
        for (const BusWaiter& waiter : state_.waiters) {
            FlashRequest& request = *waiter.request;
            if (request.waits_for_bus && request.bus_asked == now && request.op->ledger != nullptr) {
                request.op->ledger->enter(hal::Stage::channel_wait, now);
                request.bus_before = clock_.snapshot(now);
            }
        }
    }
    /// REQUIRES: the bus is free.
    void take(const hal::FlashOp& op, Ps now, Ps duration) {
        SOLIDTLM_CHECK(!held(), "one phase at a time");
        clock_.take(holder_of(op), now);
        state_.cause = op.cause;
        state_.busy_until = now + duration;
        busy_[static_cast<std::size_t>(op.cause)] += duration;
    }
    [[nodiscard]] bool held() const { return clock_.held(); }
    [[nodiscard]] Ps busy_until() const { return state_.busy_until; }
    [[nodiscard]] bool wanted() const { return !state_.waiters.empty(); }
    [[nodiscard]] std::size_t waiters() const { return state_.waiters.size(); }
    [[nodiscard]] std::size_t max_waiters() const { return max_waiters_; }
    [[nodiscard]] const hal::HolderClock& clock() const { return clock_; }
    /// Time of the phases granted so far, by cause; a phase that a power cut ended counts until the cut.
    [[nodiscard]] const std::array<Ps, hal::kCauses>& busy() const { return busy_; }
    /// The bus is free and no operation waits for it.
    void power_cut(Ps now) {
        if (clock_.held()) {
            busy_[static_cast<std::size_t>(state_.cause)] -= std::max(state_.busy_until - now, Ps{0});
            clock_.release(std::min(now, state_.busy_until));
        }
        state_ = {};
    }

  private:
    const BusArbitration& arbitration_;
    struct Volatile {
        hal::Die last{0xFFFF};                ///< that was served
        hal::Cause cause = hal::Cause::host;  ///< of the holder
        Ps busy_until{0};
        std::vector<BusWaiter> waiters;
    } state_;
    hal::HolderClock clock_;
    std::array<Ps, hal::kCauses> busy_{};
    std::size_t max_waiters_ = 0;
};

}  // namespace solidtlm::hw
