// SPDX-License-Identifier: Apache-2.0
//
// Metrics of a drive's hardware, gathered from its blocks. The firmware reports its own (docs/metrics.md).
#pragma once

#include "fw/hal/metrics.h"
#include "platform/ssd.h"

namespace solidtlm::platform {

/// Present metrics of all blocks except the firmware, including the energy that they have used.
[[nodiscard]] hal::Metrics hardware_metrics(const Ssd& ssd);

}  // namespace solidtlm::platform
