// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "hw/dram/arbiter.h"

namespace solidtlm::hw {
namespace {

class FirstComeFirstServed : public DramArbiter {
  public:
    [[nodiscard]] DramQueue choose(const Heads& heads, DramQueue /*last*/) const override {
        return static_cast<DramQueue>(std::min_element(heads.begin(), heads.end()) - heads.begin());
    }
};

}  // namespace

extern const DramArbitration kFcfsDramArbitration{
    {"fcfs", "first come, first served"},
    []() -> std::unique_ptr<DramArbiter> { return std::make_unique<FirstComeFirstServed>(); }};

}  // namespace solidtlm::hw
