// SPDX-License-Identifier: Apache-2.0
//
// Checks that a trace records the contents of writes. Otherwise deduplication would find nothing, and the
// result would be meaningless.
#pragma once

#include <string_view>

#include "testbench/sim/load/trace/trace.h"

namespace solidtlm::testbench {

/// Throws InputError unless some write of the trace records its contents; `wanted_by` begins the reason in
/// the message, as in "tb_dedup". Reads up to that write; writes that contain only zeros do not count.
void require_contents(const TraceOptions& options, std::string_view wanted_by);

}  // namespace solidtlm::testbench
