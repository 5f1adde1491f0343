// SPDX-License-Identifier: Apache-2.0
//
// The section `traces` of a result: what was read from each trace, and in which format.
#pragma once

#include <span>
#include <string>

#include "testbench/show/result.h"
#include "testbench/show/terminal.h"
#include "testbench/sim/load/trace/account.h"

namespace solidtlm::testbench {

[[nodiscard]] Json trace_section(std::span<const TraceAccount> traces);
/// The section as text; empty without traces.
[[nodiscard]] std::string trace_lines(const Json& section, const TextStyle& style);

}  // namespace solidtlm::testbench
