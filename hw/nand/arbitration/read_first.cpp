// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "hw/nand/arbitration/bus_arbiter.h"

namespace solidtlm::hw {

/// Phases of reads before those of programs and erases. Within each, commands before data: a few cycles put
/// an array to work while the data of another die cross the bus. Then in order of asking.
extern const BusArbitration kReadFirstBusArbitration{
    {"read_first", "phases of reads first; within reads and within the others, commands before data"},
    [](std::span<const BusWaiter> waiters, hal::Die /*last*/) {
        const auto rank = [](const BusWaiter& waiter) {
            return (waiter.read ? 0 : 2) + (waiter.data ? 1 : 0);
        };
        const auto best = std::ranges::min_element(waiters, {}, rank);
        return static_cast<std::size_t>(best - waiters.begin());
    }};

}  // namespace solidtlm::hw
