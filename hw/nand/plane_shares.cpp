// SPDX-License-Identifier: Apache-2.0
#include "hw/nand/plane_shares.h"

#include <algorithm>

#include "fw/hal/check.h"

namespace solidtlm::hw {

PlaneShares::Share& PlaneShares::share_of(const FlashRequest& request) {
    std::size_t index = 0;
    while (index < state_.count && state_.shares[index].request != &request) {
        ++index;
    }
    SOLIDTLM_CHECK(index < state_.count, "the operation holds planes of the die");
    return state_.shares[index];
}

void PlaneShares::hold(hal::Holder holder, hal::Cause cause, Ps now) {
    clock_.take(holder, now);
    state_.cause = cause;
    state_.since = now;
}

void PlaneShares::release(Ps now) {
    clock_.release(now);
    held_[static_cast<std::size_t>(state_.cause)] += now - state_.since;
}

void PlaneShares::take(FlashRequest& request, Ps now) {
    SOLIDTLM_CHECK((state_.taken & request.planes) == 0, "the planes are free");
    Share& share = state_.shares[state_.count++];
    share = Share{&request, request.planes, holder_of(*request.op), request.op->cause, now, Ps{0}};
    state_.taken |= share.planes;
    if (state_.count == 1) {
        if (clock_.held()) {
            release(now);
        }
        hold(share.holder, share.cause, now);
    }
}

hal::PlaneSet PlaneShares::leave(const FlashRequest& request, Ps end) {
    Share& share = share_of(request);
    share.request = nullptr;  // its work at the die is done
    share.free_at = end;
    state_.next_free = std::min(state_.next_free, end);
    return share.planes;
}

hal::PlaneSet PlaneShares::give_back(const FlashRequest& request, Ps now) {
    const Share& share = share_of(request);
    const hal::PlaneSet planes = share.planes;
    remove(static_cast<std::size_t>(&share - state_.shares.data()), now);
    return planes;
}

void PlaneShares::remove(std::size_t index, Ps at) {
    state_.taken &= static_cast<hal::PlaneSet>(~state_.shares[index].planes);
    --state_.count;
    for (std::size_t i = index; i < state_.count; ++i) {
        state_.shares[i] = state_.shares[i + 1];
    }
    if (index == 0) {
        release(at);
        if (state_.count > 0) {
            hold(state_.shares[0].holder, state_.shares[0].cause, at);
        }
    }
}

/// Ends them in the order of their ends, so that the die is handed over at the right instants.
void PlaneShares::end_leaving(Ps now) {
    if (state_.count == 1) {
        release(state_.next_free);
        state_.count = 0;
        state_.taken = 0;
        state_.next_free = kNever;
        return;
    }
    while (state_.next_free <= now) {
        std::size_t index = 0;
        while (state_.shares[index].request != nullptr || state_.shares[index].free_at != state_.next_free) {
            ++index;
        }
        remove(index, state_.next_free);
        look_again();
    }
}

void PlaneShares::look_again() {
    state_.next_free = kNever;
    for (const Share& share : all()) {
        if (share.request == nullptr) {
            state_.next_free = std::min(state_.next_free, share.free_at);
        }
    }
}

void PlaneShares::hand_over(Ps now) {
    Share& share = state_.shares[0];
    share.holder = holder_of(*share.request->op);
    share.cause = share.request->op->cause;
    share.since = now;
    release(now);
    hold(share.holder, share.cause, now);
}

hal::PlaneSet PlaneShares::narrow(const FlashRequest& request) {
    Share& share = share_of(request);
    const auto others = static_cast<hal::PlaneSet>(share.planes & ~request.planes);
    share.planes = request.planes;
    state_.taken &= static_cast<hal::PlaneSet>(~others);
    return others;
}

void PlaneShares::power_cut(Ps now) {
    if (clock_.held()) {
        release(now);
    }
    state_ = {};
}

hal::HolderTimes PlaneShares::times(Ps now) const {
    if (state_.next_free > now) {
        return clock_.snapshot(now);
    }
    PlaneShares settled = *this;
    settled.settle(now);
    return settled.clock_.snapshot(now);
}

TimeByCause PlaneShares::held(Ps now) const {
    PlaneShares settled = *this;
    settled.settle(now);
    if (settled.clock_.held()) {
        settled.release(now);
    }
    return settled.held_;
}

}  // namespace solidtlm::hw
