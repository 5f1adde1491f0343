// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "hw/nand/arbitration/bus_arbiter.h"

namespace solidtlm::hw {

/// In order of asking.
class Fcfs : public BusArbiter {
  public:
    std::size_t choose(std::span<const BusWaiter> /*waiters*/) override { return 0; }
};

}  // namespace solidtlm::hw
