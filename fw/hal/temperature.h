// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

namespace solidtlm::hal {

/// Temperature is not modelled: the drive is always at the case temperature that JESD218 assumes for client
/// drives in active use.
constexpr std::uint32_t kCaseCelsius = 40;

}  // namespace solidtlm::hal
