// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "fw/map_cache/map_counters.h"
#include "testbench/show/result.h"

namespace solidtlm::testbench {

/// Mean T_rm, T_pf, T_rf and their sum per page request, in microseconds; null without requests.
[[nodiscard]] Json penalty_section(const fw::MapPenalty& penalty, std::uint64_t lookups);

/// The section `map_cache` of a result. REQUIRES: device.map_cache.
[[nodiscard]] Json map_cache_section(const DeviceTelemetry& device);

}  // namespace solidtlm::testbench
