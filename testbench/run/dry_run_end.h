// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

namespace solidtlm::testbench {

/// Thrown where a simulation would begin (see testbench/simulation/dry_run.h): what would have been run.
struct DryRunEnd {
    std::string planned;  ///< "240 points, 2 at a time"
};

}  // namespace solidtlm::testbench
