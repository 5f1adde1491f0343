// SPDX-License-Identifier: Apache-2.0
//
// A contention study for the report.
#pragma once

#include <span>
#include <vector>

#include "testbench/results/figure.h"
#include "testbench/studies/contention/analysis.h"

namespace solidtlm::testbench::contention {

/// For each panel: a heat map of throughput over channels and caches, and one of the misses' share of the
/// time; throughput over channels for each cache and over caches for each number of channels; the parts of
/// the time of a request, and of its misses, point by point.
/// REQUIRES: points of a panel stand together.
[[nodiscard]] std::vector<Figure> figures_of(std::span<const MeasuredPoint> points);

}  // namespace solidtlm::testbench::contention
