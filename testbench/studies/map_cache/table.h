// SPDX-License-Identifier: Apache-2.0
//
// A sweep over map caches for a terminal.
#pragma once

#include <span>
#include <string>

#include "testbench/results/terminal.h"
#include "testbench/studies/map_cache/claims.h"
#include "testbench/studies/map_cache/load.h"
#include "testbench/studies/map_cache/measured.h"

namespace solidtlm::testbench::map_cache {

/// For each load: hit ratio and mean penalties, policy by size. `details`: also the parts of the penalties.
[[nodiscard]] std::string cache_tables(std::span<const Measured> all, bool details, const TextStyle& style);

/// The loads beside table 2 of the study, where it has them.
[[nodiscard]] std::string load_table(std::span<const Load> loads, const TextStyle& style);

/// Table 3 of the study, published against measured; empty without anything to compare.
[[nodiscard]] std::string reduction_table(std::span<const Comparison> table, const TextStyle& style);

}  // namespace solidtlm::testbench::map_cache
