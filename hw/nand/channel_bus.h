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
        if (clock_.held() && busy_until_ <= now) {
            clock_.release(busy_until_);
        }
    }
    void ask(FlashRequest& request, bool data) {
        const bool read = request.op->opcode == hal::FlashOpcode::read;
        waiters_.push_back(BusWaiter{&request, request.op->address[0].die, read, data});
        max_waiters_ = std::max(max_waiters_, waiters_.size());
    }
    /// The request no longer wants the bus.
    void withdraw(const FlashRequest& request) {
        std::erase_if(waiters_, [&request](const BusWaiter& waiter) { return waiter.request == &request; });
    }
    /// Removes and returns the next waiter, or null if the bus is held or no request waits.
    FlashRequest* grant() {
        if (clock_.held() || waiters_.empty()) {
            return nullptr;
        }
        const std::size_t winner = waiters_.size() > 1 ? arbitration_.pick(waiters_, last_) : 0;
        last_ = waiters_[winner].die;
        FlashRequest* request = waiters_[winner].request;
        waiters_.erase(waiters_.begin() + static_cast<std::ptrdiff_t>(winner));
        return request;
    }
    /// Begins the ledger waits of the requests that came at `now` and did not get the bus at once.
    void note_waits(Ps now) {
        for (const BusWaiter& waiter : waiters_) {
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
        cause_ = op.cause;
        busy_until_ = now + duration;
        busy_[static_cast<std::size_t>(op.cause)] += duration;
    }
    [[nodiscard]] bool held() const { return clock_.held(); }
    [[nodiscard]] Ps busy_until() const { return busy_until_; }
    [[nodiscard]] bool wanted() const { return !waiters_.empty(); }
    [[nodiscard]] std::size_t waiters() const { return waiters_.size(); }
    [[nodiscard]] std::size_t max_waiters() const { return max_waiters_; }
    [[nodiscard]] const hal::HolderClock& clock() const { return clock_; }
    /// Time of the phases granted so far, by cause; a phase that a power cut ended counts until the cut.
    [[nodiscard]] const std::array<Ps, hal::kCauses>& busy() const { return busy_; }
    /// Power cut: the bus is free and no operation waits for it.
    void clear(Ps now) {
        if (clock_.held()) {
            busy_[static_cast<std::size_t>(cause_)] -= std::max(busy_until_ - now, Ps{0});
            clock_.release(std::min(now, busy_until_));
        }
        waiters_.clear();
    }

  private:
    const BusArbitration& arbitration_;
    hal::Die last_{0xFFFF};  ///< that was served
    hal::HolderClock clock_;
    hal::Cause cause_ = hal::Cause::host;  ///< of the holder
    Ps busy_until_{0};
    std::vector<BusWaiter> waiters_;
    std::array<Ps, hal::kCauses> busy_{};
    std::size_t max_waiters_ = 0;
};

}  // namespace solidtlm::hw
