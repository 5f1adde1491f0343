// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace solidtlm::hw {

struct CoreConfig {
    double frequency_mhz = 500.0;
};

}  // namespace solidtlm::hw
