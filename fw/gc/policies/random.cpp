// SPDX-License-Identifier: Apache-2.0
#include "fw/gc/policies/d_choices.h"

namespace solidtlm::fw {

extern const GcPolicy kRandomGcPolicy{
    {"random", "any, drawn at random"},
    [](const FirmwareConfig& config, const MediaLayout& layout) -> std::unique_ptr<VictimPolicy> {
        return std::make_unique<DChoices>(config, layout, 1);
    }};

}  // namespace solidtlm::fw
