// SPDX-License-Identifier: Apache-2.0
#include "fw/gc/victim_policy.h"

namespace solidtlm::fw {

std::unique_ptr<VictimPolicy> make_victim_policy(const FirmwareConfig& config, const MediaLayout& layout) {
    switch (config.gc.policy) {
        case GcPolicy::cost_benefit:
            return make_cost_benefit(layout);
        case GcPolicy::fifo:
            return make_fifo(layout);
        case GcPolicy::d_choices:
            return make_d_choices(layout, config.gc.d, config.seed);
        case GcPolicy::random:
            return make_d_choices(layout, 1, config.seed);
        case GcPolicy::greedy:
            break;
    }
    return make_greedy(layout);
}

}  // namespace solidtlm::fw
