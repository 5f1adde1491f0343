// SPDX-License-Identifier: Apache-2.0
//
// The figures of the study, for the report: 2 (SLE), 3 and 5 (hit ratio), 4 and 6 (mean penalty), and which
// windows bsb chose.
#pragma once

#include <span>
#include <vector>

#include "testbench/results/figure.h"
#include "testbench/studies/map_cache/load.h"
#include "testbench/studies/map_cache/measured.h"

namespace solidtlm::testbench::map_cache {

/// `whole`: entries of a translation page.
[[nodiscard]] std::vector<Figure> figures_of(std::span<const Measured> all, std::span<const Load> loads,
                                             std::uint32_t whole);

}  // namespace solidtlm::testbench::map_cache
