// SPDX-License-Identifier: Apache-2.0
#include "hw/sata/link_power.h"

#include <algorithm>
#include <string>

namespace solidtlm::hw {

using hal::Ps;

void LinkSleep::tell(hal::Metrics& metrics) const {
    for (std::size_t state = 0; state < kLinkPowerStates; ++state) {
        metrics.time("link." + std::string(kLinkPowerNames[state]) + "_us",
                     "time that the idle link spent in this power state", asleep[state]);
    }
    metrics.counter("link.wakeups", "wakeups", "how often a frame woke the link", wakeups);
}

LinkPower::LinkPower(const std::array<LinkPowerState, kLinkPowerStates>& states)
    : states_(states), any_(std::ranges::any_of(states, &LinkPowerState::used)) {}

Ps LinkPower::wake(Ps since, Ps at) {
    add_sleep(since, at, slept_);
    for (auto state = states_.rbegin(); state != states_.rend(); ++state) {
        if (state->used() && at - since >= state->after) {
            ++slept_.wakeups;
            return state->exit;
        }
    }
    return Ps{0};
}

/// A state lasts until the next deeper one that is in use begins.
void LinkPower::add_sleep(Ps since, Ps at, LinkSleep& sleep) const {
    Ps end = at;
    for (std::size_t state = kLinkPowerStates; state-- > 0;) {
        if (const Ps begin = since + states_[state].after; states_[state].used() && begin < end) {
            sleep.asleep[state] += end - begin;
            end = begin;
        }
    }
}

}  // namespace solidtlm::hw
