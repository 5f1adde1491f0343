// SPDX-License-Identifier: Apache-2.0
//
// A contention study for people: tables for a terminal.
#pragma once

#include <span>
#include <string>

#include "testbench/results/terminal.h"
#include "testbench/studies/contention/analysis.h"

namespace solidtlm::testbench::contention {

/// For each panel: throughput over channels and caches with what limits it, or with `details` lines for each
/// point; then from where on more channels, and a larger cache, gain little, and why.
/// REQUIRES: points of a panel stand together.
[[nodiscard]] std::string tables(std::span<const MeasuredPoint> points, bool details, const TextStyle& style);

}  // namespace solidtlm::testbench::contention
