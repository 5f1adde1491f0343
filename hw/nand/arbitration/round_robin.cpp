// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cstdint>

#include "hw/nand/arbitration/bus_arbiter.h"

namespace solidtlm::hw {

/// The next die in turn after the one served last; within a die in order of asking.
extern const BusArbitration kRoundRobinBusArbitration{
    {"round_robin", "the next die in turn after the one served last"},
    [](std::span<const BusWaiter> waiters, hal::Die last) {
        const auto distance = [last](const BusWaiter& waiter) {  // wraps around the 16-bit index
            return static_cast<std::uint16_t>(waiter.die.value - last.value - 1);
        };
        const auto next = std::ranges::min_element(waiters, {}, distance);
        return static_cast<std::size_t>(next - waiters.begin());
    }};

}  // namespace solidtlm::hw
