// SPDX-License-Identifier: Apache-2.0
//
// Options that select requests from traces and shift them, for executables that read traces.
#pragma once

#include <cstdint>
#include <vector>

#include "testbench/programs/cli/option_set.h"
#include "testbench/sim/load/trace/selection.h"

namespace solidtlm::testbench {

/// `selection` and `offsets` must outlive the parsing.
void add_trace_options(OptionSet& set, TraceSelection& selection, std::vector<std::int64_t>& offsets);

}  // namespace solidtlm::testbench
