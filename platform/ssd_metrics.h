// SPDX-License-Identifier: Apache-2.0
//
// What the hardware of a drive counts, gathered from its blocks. The firmware reports its own counters
// (docs/metrics.md).
#pragma once

#include "fw/hal/metrics.h"
#include "platform/ssd.h"

namespace solidtlm::platform {

/// Up to now, of all blocks around the firmware, and the energy they have taken.
[[nodiscard]] hal::Metrics hardware_metrics(const Ssd& ssd);

}  // namespace solidtlm::platform
