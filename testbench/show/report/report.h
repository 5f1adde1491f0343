// SPDX-License-Identifier: Apache-2.0
//
// A result as a page to look at: one HTML file that contains everything it needs (the result itself, style,
// scripts and the plotting library) and never loads anything. docs/report.md says how to read it.
#pragma once

#include <filesystem>
#include <string>

#include "testbench/show/result.h"

namespace solidtlm::testbench {

/// The page for a document made by make_result() or make_study_result(). The document is embedded unchanged,
/// in the element with the id `result`.
[[nodiscard]] std::string report_page(const Json& result);

}  // namespace solidtlm::testbench
