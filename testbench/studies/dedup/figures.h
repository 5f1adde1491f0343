// SPDX-License-Identifier: Apache-2.0
//
// The figures of the study, duplicates over time, and what the results depend on.
#pragma once

#include <span>
#include <string>
#include <utility>
#include <vector>

#include "testbench/results/figure.h"
#include "testbench/studies/dedup/claims.h"

namespace solidtlm::testbench::dedup {

/// Duplicates found since the start of a run: seconds, pages.
struct Curve {
    std::string load;
    std::string system;
    std::vector<std::pair<double, double>> found;
};
/// From the series of a result; empty if it has none of deduplication.
[[nodiscard]] std::vector<std::pair<double, double>> found_over_time(const Json& result);

/// Those that something was measured for.
[[nodiscard]] std::vector<Figure> figures_of(Points points, std::span<const Curve> curves);

}  // namespace solidtlm::testbench::dedup
