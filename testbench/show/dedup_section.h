// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "testbench/show/result.h"

namespace solidtlm::testbench {

/// The section `dedup` of a result. REQUIRES: device.dedup.
[[nodiscard]] Json dedup_section(const DeviceTelemetry& device);

}  // namespace solidtlm::testbench
