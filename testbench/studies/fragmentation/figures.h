// SPDX-License-Identifier: Apache-2.0
//
// The study's figures 5 to 8.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "testbench/results/figure.h"
#include "testbench/studies/fragmentation/load.h"
#include "testbench/studies/fragmentation/observed.h"

namespace solidtlm::testbench::fragmentation {

struct NamedProfile {
    std::string load;
    Profile profile;
};

/// Figure 5: for each load how much is read and written where and when.
[[nodiscard]] std::vector<Figure> access_patterns(std::span<const NamedProfile> loads);
/// Figures 6 to 8 of what was run.
[[nodiscard]] std::vector<Figure> study_figures(std::span<const Observed> all);

}  // namespace solidtlm::testbench::fragmentation
