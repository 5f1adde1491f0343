// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "hw/dram/arbiter.h"

namespace solidtlm::hw {

extern const DramArbitration kFixedPriorityDramArbitration{
    {"fixed_priority", "host before flash before hash unit"}, [](const DramHeads& heads, DramQueue /*last*/) {
        return static_cast<DramQueue>(
            std::find_if(heads.begin(), heads.end(), [](std::uint64_t head) { return head != kNoRequest; }) -
            heads.begin());
    }};

}  // namespace solidtlm::hw
