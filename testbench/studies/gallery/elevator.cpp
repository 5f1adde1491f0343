// SPDX-License-Identifier: Apache-2.0
#include "testbench/studies/gallery/elevator.h"

#include <algorithm>
#include <utility>

#include "fw/hal/check.h"

namespace solidtlm::testbench::gallery {

void Elevator::add(Request& request, Ps arrival) {
    waiting_.push_back({std::move(request), arrival, numbers_++});
}

Elevator::Place Elevator::oldest(Operation operation) {
    return std::ranges::find_if(
        waiting_, [operation](const Waiting& each) { return each.request.operation == operation; });
}

std::optional<std::uint64_t> Elevator::behind(const Waiting& chosen) const {
    const auto order = [](const Waiting& each) { return std::pair(each.request.lba, each.number); };
    const Waiting* found = nullptr;
    for (const Waiting& each : waiting_) {
        if (each.request.operation == chosen.request.operation && order(each) > order(chosen) &&
            (found == nullptr || order(each) < order(*found))) {
            found = &each;
        }
    }
    return found != nullptr ? std::optional(found->number) : std::nullopt;
}

Elevator::Place Elevator::choose(Ps now) {
    const Place next = next_ ? std::ranges::find(waiting_, *next_, &Waiting::number) : waiting_.end();
    if (next != waiting_.end() && batch_ < kBatch) {
        return next;
    }
    const Place read = oldest(Operation::read);
    const Place write = oldest(Operation::write);
    const bool writes = read == waiting_.end() || (write != waiting_.end() && starved_++ >= kWritesStarved);
    if (writes) {
        starved_ = 0;
    }
    batch_ = 0;
    const Place first = writes ? write : read;
    const bool expired = first->arrival + (writes ? kWriteExpires : kReadExpires) <= now;
    const bool same = next != waiting_.end() && next->request.operation == first->request.operation;
    return expired || !same ? first : next;
}

Ps Elevator::take(Request& request, Ps now) {
    SOLIDTLM_CHECK(!empty(), "a request waits");
    const Place chosen = choose(now);
    ++batch_;
    next_ = behind(*chosen);
    const Ps arrival = chosen->arrival;
    request = std::move(chosen->request);
    waiting_.erase(chosen);
    return arrival;
}

}  // namespace solidtlm::testbench::gallery
