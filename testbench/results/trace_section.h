// SPDX-License-Identifier: Apache-2.0
//
// The section `traces` of a result: what was read from each trace, and in which format.
#pragma once

#include <span>
#include <string>

#include "testbench/results/result.h"
#include "testbench/results/terminal.h"
#include "testbench/trace/account.h"

namespace solidtlm::testbench {

[[nodiscard]] Json trace_section(std::span<const TraceAccount> traces);
/// The section as text; empty without traces.
[[nodiscard]] std::string trace_lines(const Json& section, const TextStyle& style);

}  // namespace solidtlm::testbench
