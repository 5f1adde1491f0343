// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "platform/configuration.h"

namespace solidtlm::platform {

/// What the closed form of a miss in the map cache is computed from.
[[nodiscard]] fw::FlashTimes flash_times(const Configuration& configuration);

}  // namespace solidtlm::platform
