// SPDX-License-Identifier: Apache-2.0
//
// Options that select requests from traces and shift them, for executables that read traces.
#pragma once

#include "testbench/cli/option_set.h"
#include "testbench/trace/selection.h"

namespace solidtlm::testbench {

/// `selection` must outlive the parsing.
void add_trace_options(OptionSet& set, TraceSelection& selection);

}  // namespace solidtlm::testbench
