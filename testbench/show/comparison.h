// SPDX-License-Identifier: Apache-2.0
//
// The same requests on several devices: what differs, and which stage of the ledger causes it.
//
// Everything is compared with the first device. The differences of the stages add up to the difference of the
// mean latency, because the stages of each device add up to its mean latency.
#pragma once

#include <string>
#include <vector>

#include "testbench/show/figure.h"
#include "testbench/show/result.h"
#include "testbench/show/terminal.h"

namespace solidtlm::testbench {

/// The comparison as text, for a document of make_study_result() whose points all have a parameter `device`;
/// throws otherwise. REQUIRES: at least two points.
[[nodiscard]] std::string comparison_text(const Json& document, const TextStyle& style);

/// Stacked stages and percentiles, one bar per device. REQUIRES: as for comparison_text().
[[nodiscard]] std::vector<Figure> comparison_figures(const Json& document);

}  // namespace solidtlm::testbench
