// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "fw/hal/types.h"

namespace solidtlm::hw {

/// What a capacitor was used for.
struct CapacitorUse {
    std::uint64_t pages = 0;  ///< programmed, or brought to the end of their program
    hal::Ps time{0};          ///< that it had to last
};

}  // namespace solidtlm::hw
