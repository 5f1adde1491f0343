// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

namespace solidtlm::platform {

/// How a loaded drive starts.
enum class Start : std::uint8_t {
    as_saved,      ///< the firmware continues where it stopped
    boot_instant,  ///< the firmware boots from flash before the simulation starts, on hardware without time
    boot_timed,    ///< the firmware boots from flash at the start of simulation
};

}  // namespace solidtlm::platform
