// SPDX-License-Identifier: Apache-2.0
//
// The study's figures 5 to 8, and how much the cost of the sequential rule depends on the size of the log.
#pragma once

#include <span>
#include <string>
#include <utility>
#include <vector>

#include "testbench/results/figure.h"
#include "testbench/studies/fragmentation/load.h"
#include "testbench/studies/fragmentation/observed.h"

namespace solidtlm::testbench::fragmentation {

struct NamedProfile {
    std::string load;
    Profile profile;
};

/// Cost of the rule (percent, see cost_of_rule()) over log blocks (NAND blocks), counted.
struct LogCurve {
    std::string load;
    std::vector<std::pair<double, double>> points;
};

/// Figure 5: for each load how much is read and written where and when.
[[nodiscard]] std::vector<Figure> access_patterns(std::span<const NamedProfile> loads);
/// Figures 6 to 8 of what was run.
[[nodiscard]] std::vector<Figure> study_figures(std::span<const Observed> all);
[[nodiscard]] Figure log_figure(std::span<const LogCurve> curves);

}  // namespace solidtlm::testbench::fragmentation
