// SPDX-License-Identifier: Apache-2.0
//
// A striping study for people: tables for a terminal and heat maps for the report.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "testbench/results/figure.h"
#include "testbench/results/terminal.h"
#include "testbench/studies/striping/bound.h"
#include "testbench/studies/striping/point.h"
#include "testbench/studies/striping/sweep.h"

namespace solidtlm::testbench::striping {

/// A point that was simulated.
struct MeasuredPoint {
    Panel panel;
    std::uint32_t channels = 1;
    std::uint32_t dies = 1;
    Measured measured;
    Bounds bounds;

    /// Measured throughput in percent of the bound.
    [[nodiscard]] double of_bound() const { return 100.0 * measured.mb_per_s / bounds.least; }
    /// Point::derived, explained in docs/striping.md.
    [[nodiscard]] Json derived() const;
};

/// For each panel a matrix of throughput and what bounds it, or with `details` a line for each point.
/// REQUIRES: points of a panel stand together.
[[nodiscard]] std::string tables(std::span<const MeasuredPoint> points, bool details, const TextStyle& style);

/// For each panel heat maps over channels and dies: throughput; throughput in percent of the bound where it
/// misses it anywhere; shares of waiting for channels and dies where requests wait at all.
[[nodiscard]] std::vector<Figure> heat_maps(std::span<const MeasuredPoint> points);

}  // namespace solidtlm::testbench::striping
