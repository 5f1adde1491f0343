// SPDX-License-Identifier: Apache-2.0
//
// The study for the terminal.
#pragma once

#include <span>
#include <string>

#include "testbench/results/terminal.h"
#include "testbench/studies/dedup/claims.h"
#include "testbench/studies/dedup/load.h"

namespace solidtlm::testbench::dedup {

/// What was run and what came out; the claims are not among it.
[[nodiscard]] std::string tables_of(Points points, std::span<const Load> loads, const TextStyle& style);

}  // namespace solidtlm::testbench::dedup
