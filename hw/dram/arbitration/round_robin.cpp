// SPDX-License-Identifier: Apache-2.0
#include "hw/dram/arbiter.h"

namespace solidtlm::hw {
namespace {

class RoundRobin : public DramArbiter {
  public:
    DramQueue choose(const Heads& heads) override {
        do {
            last_ = (last_ + 1) % kDramQueues;
        } while (heads[last_] == kNobody);
        return static_cast<DramQueue>(last_);
    }

  private:
    std::size_t last_ = kDramQueues - 1;
};

}  // namespace

extern const DramArbitration kRoundRobinDramArbitration{
    {"round_robin", "the next class in turn after the one served last that has somebody waiting"},
    []() -> std::unique_ptr<DramArbiter> { return std::make_unique<RoundRobin>(); }};

}  // namespace solidtlm::hw
