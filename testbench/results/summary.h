// SPDX-License-Identifier: Apache-2.0
//
// A result for a person to read: how fast, where the time went, what the NAND did, whether the data was
// right. Made from the JSON document, so that screen and file cannot disagree.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "testbench/results/result.h"
#include "testbench/results/terminal.h"

namespace solidtlm::testbench {

/// The full report of a document made by make_result() or make_study_result().
[[nodiscard]] std::string summarize(const Json& document, const TextStyle& style);

/// The claims of a study, published beside measured, and why some were not reproduced; empty without claims.
[[nodiscard]] std::string claims_table(const Json& claims, const TextStyle& style);

/// Several results side by side, one line each: the columns that decide a comparison. The first of a pair
/// labels the line.
[[nodiscard]] std::string compare(const std::vector<std::pair<std::string, Json>>& results,
                                  const TextStyle& style);

}  // namespace solidtlm::testbench
