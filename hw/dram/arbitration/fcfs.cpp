// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "hw/dram/arbiter.h"

namespace solidtlm::hw {

extern const DramArbitration kFcfsDramArbitration{
    {"fcfs", "first come, first served"}, [](const DramHeads& heads, DramQueue /*last*/) {
        return static_cast<DramQueue>(std::min_element(heads.begin(), heads.end()) - heads.begin());
    }};

}  // namespace solidtlm::hw
