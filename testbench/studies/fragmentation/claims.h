// SPDX-License-Identifier: Apache-2.0
//
// The claims A1 to A7 of Ha et al. 2011, judged by rules that are fixed beforehand (docs/fragmentation.md).
#pragma once

#include <optional>
#include <span>
#include <vector>

#include "testbench/results/result.h"
#include "testbench/studies/fragmentation/observed.h"
#include "testbench/studies/fragmentation/speed_up.h"

namespace solidtlm::testbench::fragmentation {

/// Those of A1 to A6 that what was run says anything about.
[[nodiscard]] std::vector<Claim> claims_of(std::span<const Observed> all);

/// A7. REQUIRES: at least one.
[[nodiscard]] Claim speed_up_claim(std::span<const SpeedUp> measured);

}  // namespace solidtlm::testbench::fragmentation
