// SPDX-License-Identifier: Apache-2.0
#include "hw/dram/arbiter.h"

#include <algorithm>

namespace solidtlm::hw {
namespace {

class FirstComeFirstServed : public DramArbiter {
  public:
    DramQueue choose(const Heads& heads) override {
        return static_cast<DramQueue>(std::min_element(heads.begin(), heads.end()) - heads.begin());
    }
};

/// The first class after the one served last that has somebody waiting.
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

class FixedPriority : public DramArbiter {
  public:
    DramQueue choose(const Heads& heads) override {
        return static_cast<DramQueue>(
            std::find_if(heads.begin(), heads.end(), [](std::uint64_t head) { return head != kNobody; }) -
            heads.begin());
    }
};

}  // namespace

std::unique_ptr<DramArbiter> make_dram_arbiter(DramArbitration policy) {
    switch (policy) {
        case DramArbitration::fcfs:
            return std::make_unique<FirstComeFirstServed>();
        case DramArbitration::fixed_priority:
            return std::make_unique<FixedPriority>();
        case DramArbitration::round_robin:
            break;
    }
    return std::make_unique<RoundRobin>();
}

}  // namespace solidtlm::hw
