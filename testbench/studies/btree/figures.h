// SPDX-License-Identifier: Apache-2.0
//
// Study E for the report.
#pragma once

#include <span>
#include <vector>

#include "testbench/results/figure.h"
#include "testbench/studies/btree/table.h"

namespace solidtlm::testbench::btree {

/// Writes and erases, published beside counted.
[[nodiscard]] std::vector<Figure> count_figures(const Table& table, std::span<const std::uint32_t> sizes);
/// Simulated time on the drive beside the cost with the study's weights.
[[nodiscard]] std::vector<Figure> drive_figures(std::span<const DriveCell> cells);
/// Each open parameter varied on its own, all others as in `options`.
[[nodiscard]] std::vector<Figure> sensitivity_figures(std::span<const CountedPoint> points,
                                                      const Options& options, const Flash& flash);
/// How far buffer and log blocks are from the published table.
[[nodiscard]] std::vector<Figure> distance_figures(const DistanceMap& map);

}  // namespace solidtlm::testbench::btree
