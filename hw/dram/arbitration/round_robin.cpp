// SPDX-License-Identifier: Apache-2.0
#include "hw/dram/arbiter.h"

namespace solidtlm::hw {

extern const DramArbitration kRoundRobinDramArbitration{
    {"round_robin", "the next class after the one served last that has an access waiting"},
    [](const DramHeads& heads, DramQueue last) {
        auto next = static_cast<std::size_t>(last);
        do {
            next = (next + 1) % kDramQueues;
        } while (heads[next] == kNoRequest);
        return static_cast<DramQueue>(next);
    }};

}  // namespace solidtlm::hw
