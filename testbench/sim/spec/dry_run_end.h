// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

namespace solidtlm::testbench {

/// Thrown at the point where a simulation would begin (see testbench/sim/dry_run.h). It says what
/// would have run.
struct DryRunEnd {
    std::string planned;  ///< "240 points, 2 at a time"
};

}  // namespace solidtlm::testbench
