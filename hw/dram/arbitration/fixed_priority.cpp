// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "hw/dram/arbiter.h"

namespace solidtlm::hw {
namespace {

class FixedPriority : public DramArbiter {
  public:
    [[nodiscard]] DramQueue choose(const Heads& heads, DramQueue /*last*/) const override {
        return static_cast<DramQueue>(
            std::find_if(heads.begin(), heads.end(), [](std::uint64_t head) { return head != kNone; }) -
            heads.begin());
    }
};

}  // namespace

extern const DramArbitration kFixedPriorityDramArbitration{
    {"fixed_priority", "host before flash before hash unit"},
    []() -> std::unique_ptr<DramArbiter> { return std::make_unique<FixedPriority>(); }};

}  // namespace solidtlm::hw
