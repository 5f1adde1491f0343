// SPDX-License-Identifier: Apache-2.0
#include "hw/nand/arbitration/bus_arbiter.h"

namespace solidtlm::hw {
namespace {

/// The next die in turn after the one served last; within a die in order of asking.
class RoundRobinBus : public BusArbiter {
  public:
    std::size_t choose(std::span<const BusWaiter> waiters) override {
        std::size_t best = 0;
        for (std::size_t i = 1; i < waiters.size(); ++i) {
            if (distance(waiters[i].die) < distance(waiters[best].die)) {
                best = i;
            }
        }
        last_ = waiters[best].die;
        return best;
    }

  private:
    /// Steps from the die after the last one served; wraps around the 16-bit index.
    [[nodiscard]] std::uint16_t distance(hal::Die die) const {
        return static_cast<std::uint16_t>(die.value - last_.value - 1);
    }
    hal::Die last_{0xffff};
};

}  // namespace

extern const BusArbitration kRoundRobinBusArbitration{
    {"round_robin", "the next die in turn after the one served last"},
    []() -> std::unique_ptr<BusArbiter> { return std::make_unique<RoundRobinBus>(); }};

}  // namespace solidtlm::hw
