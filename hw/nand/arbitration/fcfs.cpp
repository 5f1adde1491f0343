// SPDX-License-Identifier: Apache-2.0
#include "hw/nand/arbitration/bus_arbiter.h"

namespace solidtlm::hw {
namespace {

/// In order of asking.
class FcfsBus : public BusArbiter {
  public:
    std::size_t choose(std::span<const BusWaiter> /*waiters*/) override { return 0; }
};

}  // namespace

extern const BusArbitration kFcfsBusArbitration{
    {"fcfs", "first come, first served"},
    []() -> std::unique_ptr<BusArbiter> { return std::make_unique<FcfsBus>(); }};

}  // namespace solidtlm::hw
