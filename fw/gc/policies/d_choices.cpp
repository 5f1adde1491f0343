// SPDX-License-Identifier: Apache-2.0
#include "fw/gc/policies/d_choices.h"

namespace solidtlm::fw {

extern const GcPolicy kDChoicesGcPolicy{
    {"d_choices", "fewest valid units among firmware.gc.d drawn at random (Van Houdt 2013)"},
    make_policy<DChoices>,
    /*takes_d=*/true};

}  // namespace solidtlm::fw
