// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>

#include "fw/hal/key.h"

namespace solidtlm::hw {

struct CoreConfig {
    SOLIDTLM_KEYS(CoreConfig);
    SOLIDTLM_KEY(double, frequency_mhz, 500.0, key.number(1.0, 10'000.0, "MHz"),
                 "Clock of the firmware core.");
    /// Flash operations besides erases that may be outstanding at once; set by the platform.
    std::size_t most_operations = 65'536;
};

}  // namespace solidtlm::hw
