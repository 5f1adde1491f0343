// SPDX-License-Identifier: Apache-2.0
//
// The study for the terminal.
#pragma once

#include <span>
#include <string>

#include "testbench/results/terminal.h"
#include "testbench/studies/parts/measured.h"

namespace solidtlm::testbench::trim {

/// Tables of what was measured, each part under a heading; the claims are not among them.
[[nodiscard]] std::string tables_of(std::span<const Measured> points, const TextStyle& style);

}  // namespace solidtlm::testbench::trim
