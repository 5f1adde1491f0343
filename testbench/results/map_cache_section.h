// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "testbench/results/result.h"

namespace solidtlm::testbench {

/// Mean T_rm, T_pf, T_rf and their sum of a page request, in microseconds; null without requests.
[[nodiscard]] Json penalty_section(const fw::MapPenalty& penalty, std::uint64_t lookups);

/// The section `map_cache` of a result.
[[nodiscard]] Json map_cache_section(const MapCacheTelemetry& map);

}  // namespace solidtlm::testbench
