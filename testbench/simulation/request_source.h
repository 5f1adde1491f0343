// SPDX-License-Identifier: Apache-2.0
//
// The requests that a command line asks for: traces one after another, or a generated workload.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "testbench/host/request.h"
#include "testbench/run/spec.h"
#include "testbench/trace/account.h"

namespace solidtlm::testbench {

/// Mistakes in how the line asks for requests, without reading traces. Of the configuration only the number
/// of sectors is used.
[[nodiscard]] Errors check_requests(const RunSpec& run);

/// REQUIRES: the line names a trace or a workload. Throws InputError.
/// `traces`: takes what was read of each.
[[nodiscard]] std::unique_ptr<RequestSource> make_request_source(const RunSpec& run,
                                                                 std::vector<TraceAccount>* traces = nullptr);

/// The load is the same all the time: a generated one. A trace has times of its own, a benchmark on a file
/// system has phases.
[[nodiscard]] bool is_stationary(const RunSpec& run);

}  // namespace solidtlm::testbench
