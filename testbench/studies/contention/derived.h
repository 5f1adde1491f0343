// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <vector>

#include "testbench/results/result.h"
#include "testbench/studies/contention/analysis.h"

namespace solidtlm::testbench::contention {

/// Point::derived of the points, in order; explained in docs/contention.md.
/// REQUIRES: points of a panel stand together.
[[nodiscard]] std::vector<Json> derived(std::span<const MeasuredPoint> points);

}  // namespace solidtlm::testbench::contention
