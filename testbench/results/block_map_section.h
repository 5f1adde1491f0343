// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "testbench/results/result.h"

namespace solidtlm::testbench {

/// The section `block_map` of a result.
[[nodiscard]] Json block_map_section(const BlockMapTelemetry& map);

}  // namespace solidtlm::testbench
