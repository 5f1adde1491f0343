// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "testbench/show/result.h"

namespace solidtlm::testbench {

/// The section `block_map` of a result. REQUIRES: device.block_map.
[[nodiscard]] Json block_map_section(const DeviceTelemetry& device);

}  // namespace solidtlm::testbench
