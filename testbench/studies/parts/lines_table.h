// SPDX-License-Identifier: Apache-2.0
//
// Measured points as a table for the terminal.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "testbench/results/terminal.h"
#include "testbench/studies/parts/measured.h"

namespace solidtlm::testbench {

struct ValueColumn {
    const char* heading;
    const char* value;  ///< name of a derived value; a point without it has "-"
    int decimals;
};

/// Under a heading a line for each point: its parameters named in `labels`, then values. Empty without
/// points.
[[nodiscard]] std::string lines_table(std::span<const Measured* const> points, const std::string& title,
                                      const std::vector<const char*>& labels,
                                      const std::vector<ValueColumn>& columns, const TextStyle& style);

}  // namespace solidtlm::testbench
