// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "platform/configuration.h"

namespace solidtlm::platform {

/// The flash times from which the cost of a miss in the map cache is computed.
[[nodiscard]] fw::FlashTimes flash_times(const Configuration& configuration);

}  // namespace solidtlm::platform
