// SPDX-License-Identifier: Apache-2.0
//
// For tests: lets simulated time pass.
#pragma once

#include "hw/tlm/time.h"

namespace solidtlm::hw {

inline void run(Ps duration) {
    sc_core::sc_start(to_sc_time(duration));
}

}  // namespace solidtlm::hw
