// SPDX-License-Identifier: Apache-2.0
//
// The requests of a run: traces one after another or merged by time, or a generated workload.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "testbench/sim/host/request.h"
#include "testbench/sim/load/trace/account.h"
#include "testbench/sim/spec/spec.h"

namespace solidtlm::testbench {

/// Mistakes in the options for requests, found without reading traces. Only the number of sectors of the
/// configuration is used.
[[nodiscard]] Errors check_requests(const RunSpec& run);

/// REQUIRES: the run names a trace or a workload. Throws InputError. `traces`: receives an account of what
/// was read from each.
[[nodiscard]] std::unique_ptr<RequestSource> make_request_source(const RunSpec& run,
                                                                 std::vector<TraceAccount>* traces = nullptr);

/// The run with what its drive holds when it begins: where the run does not say, only what `load` will read.
[[nodiscard]] RunSpec with_start_for(const RunSpec& run, const RequestSource& load);

}  // namespace solidtlm::testbench
