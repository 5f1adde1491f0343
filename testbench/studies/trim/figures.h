// SPDX-License-Identifier: Apache-2.0
//
// The figures of the study: those of the published slides, and where the time went.
#pragma once

#include <span>
#include <vector>

#include "testbench/results/figure.h"
#include "testbench/studies/parts/measured.h"

namespace solidtlm::testbench::trim {

/// Those that something was measured for.
[[nodiscard]] std::vector<Figure> figures_of(std::span<const Measured> points);

}  // namespace solidtlm::testbench::trim
