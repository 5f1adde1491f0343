// SPDX-License-Identifier: Apache-2.0
#include "hw/nand/arbitration/bus_arbiter.h"

namespace solidtlm::hw {

/// In order of asking.
extern const BusArbitration kFcfsBusArbitration{
    {"fcfs", "first come, first served"},
    [](std::span<const BusWaiter> /*waiters*/, hal::Die /*last*/) { return std::size_t{0}; }};

}  // namespace solidtlm::hw
