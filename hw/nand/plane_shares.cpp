// SPDX-License-Identifier: Apache-2.0
#include "hw/nand/plane_shares.h"

#include <algorithm>

#include "fw/hal/check.h"

namespace solidtlm::hw {

PlaneShares::Share& PlaneShares::share_of(const FlashRequest& request) {
    std::size_t index = 0;
    while (index < count_ && shares_[index].request != &request) {
        ++index;
    }
    SOLIDTLM_CHECK(index < count_, "the operation holds planes of the die");
    return shares_[index];
}

void PlaneShares::hold(hal::Holder holder, hal::Cause cause, Ps now) {
    clock_.take(holder, now);
    cause_ = cause;
    since_ = now;
}

void PlaneShares::release(Ps now) {
    clock_.release(now);
    held_[static_cast<std::size_t>(cause_)] += now - since_;
}

void PlaneShares::take(FlashRequest& request, Ps now) {
    SOLIDTLM_CHECK((taken_ & request.planes) == 0, "the planes are free");
    Share& share = shares_[count_++];
    share = Share{&request, request.planes, holder_of(*request.op), request.op->cause, now, Ps{0}};
    taken_ |= share.planes;
    if (count_ == 1) {
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
    next_free_ = std::min(next_free_, end);
    return share.planes;
}

hal::PlaneSet PlaneShares::give_back(const FlashRequest& request, Ps now) {
    const Share& share = share_of(request);
    const hal::PlaneSet planes = share.planes;
    remove(static_cast<std::size_t>(&share - shares_.data()), now);
    return planes;
}

void PlaneShares::remove(std::size_t index, Ps at) {
    taken_ &= static_cast<hal::PlaneSet>(~shares_[index].planes);
    --count_;
    for (std::size_t i = index; i < count_; ++i) {
        shares_[i] = shares_[i + 1];
    }
    if (index == 0) {
        release(at);
        if (count_ > 0) {
            hold(shares_[0].holder, shares_[0].cause, at);
        }
    }
}

/// Ends them in the order of their ends, so that the die is handed over at the right instants.
void PlaneShares::end_leaving(Ps now) {
    if (count_ == 1) {
        release(next_free_);
        count_ = 0;
        taken_ = 0;
        next_free_ = kNever;
        return;
    }
    while (next_free_ <= now) {
        std::size_t index = 0;
        while (shares_[index].request != nullptr || shares_[index].free_at != next_free_) {
            ++index;
        }
        remove(index, next_free_);
        look_again();
    }
}

void PlaneShares::look_again() {
    next_free_ = kNever;
    for (const Share& share : all()) {
        if (share.request == nullptr) {
            next_free_ = std::min(next_free_, share.free_at);
        }
    }
}

void PlaneShares::hand_over(Ps now) {
    Share& share = shares_[0];
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
    taken_ &= static_cast<hal::PlaneSet>(~others);
    return others;
}

void PlaneShares::clear(Ps now) {
    if (clock_.held()) {
        release(now);
    }
    count_ = 0;
    taken_ = 0;
    next_free_ = kNever;
}

hal::HolderTimes PlaneShares::times(Ps now) const {
    if (next_free_ > now) {
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
