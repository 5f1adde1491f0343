// SPDX-License-Identifier: Apache-2.0
//
// Whether a trace tells what is written. If it does not, deduplication finds nothing, which means nothing.
#pragma once

#include <string_view>

#include "testbench/trace/trace.h"

namespace solidtlm::testbench {

/// Throws InputError unless some write of the trace tells its contents; `wanted_by` begins the message's
/// reason, as in "tb_dedup". Reads as far as that write; one of zeros alone tells nothing.
void require_contents(const TraceOptions& options, std::string_view wanted_by);

}  // namespace solidtlm::testbench
