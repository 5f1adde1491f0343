// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "fw/hal/key.h"

namespace solidtlm::hw {

struct CoreConfig {
    SOLIDTLM_KEYS(CoreConfig);
    SOLIDTLM_KEY(double, frequency_mhz, 500.0, key.number(1.0, 10'000.0, "MHz"),
                 "Clock of the firmware core.");
};

}  // namespace solidtlm::hw
