// SPDX-License-Identifier: Apache-2.0
//
// A result as text: how fast, where the time went, what the NAND did, whether the data was right. It is made
// from the JSON document, so screen and file cannot disagree.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "testbench/show/result.h"
#include "testbench/show/terminal.h"

namespace solidtlm::testbench {

/// The full report on a document of make_result() or make_study_result().
[[nodiscard]] std::string summarize(const Json& document, const TextStyle& style);

/// The claims of a study, published beside measured, with the reasons why some were not reproduced; empty
/// without claims.
[[nodiscard]] std::string claims_table(const Json& claims, const TextStyle& style);

/// Several results side by side, one line each: the columns that decide a comparison. The first of a pair
/// labels the line.
[[nodiscard]] std::string compare(const std::vector<std::pair<std::string, Json>>& results,
                                  const TextStyle& style);

}  // namespace solidtlm::testbench
