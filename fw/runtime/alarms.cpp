// SPDX-License-Identifier: Apache-2.0
#include "fw/runtime/alarms.h"

namespace solidtlm::fw {

void Alarms::enqueue(Awaiter& waiter) {
    Awaiter** link = &first_;
    while (*link != nullptr && (*link)->at <= waiter.at) {
        link = &(*link)->next;
    }
    const bool earlier = link == &first_;
    waiter.next = *link;
    *link = &waiter;
    if (earlier) {
        arm();
    }
}

void Alarms::arm() {
    clock_->set_alarm(first_->at, {[](void* self) { static_cast<Alarms*>(self)->go_off(); }, this});
}

/// Wakes all waiters of the first instant, even if the clock stands still (hardware without time).
void Alarms::go_off() {
    const Ps at = first_->at;
    while (first_ != nullptr && first_->at == at) {
        executor_.post(*first_->waiter);
        first_ = first_->next;
    }
    if (first_ != nullptr) {
        arm();
    }
}

}  // namespace solidtlm::fw
