// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

namespace solidtlm::platform {

/// How a loaded drive starts.
enum class Start : std::uint8_t {
    as_saved,      ///< the firmware goes on where it stopped
    boot_instant,  ///< it boots from flash before the simulation starts, on hardware without time
    boot_timed,    ///< it boots from flash at the start of simulation
};

}  // namespace solidtlm::platform
