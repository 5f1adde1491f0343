// SPDX-License-Identifier: Apache-2.0
#include "hw/dram/arbiter.h"

namespace solidtlm::hw {
namespace {

class RoundRobin : public DramArbiter {
  public:
    [[nodiscard]] DramQueue choose(const Heads& heads, DramQueue last) const override {
        auto next = static_cast<std::size_t>(last);
        do {
            next = (next + 1) % kDramQueues;
        } while (heads[next] == kNone);
        return static_cast<DramQueue>(next);
    }
};

}  // namespace

extern const DramArbitration kRoundRobinDramArbitration{
    {"round_robin", "the next class after the one served last that has an access waiting"},
    []() -> std::unique_ptr<DramArbiter> { return std::make_unique<RoundRobin>(); }};

}  // namespace solidtlm::hw
