// SPDX-License-Identifier: Apache-2.0
//
// The result files of a scenario.
#pragma once

#include "testbench/show/result.h"
#include "testbench/sim/spec/entry.h"
#include "testbench/sim/spec/spec.h"

namespace solidtlm::testbench {

/// Writes result.json and report.html into the run's folder, if it has one. Adds `asked` to `result` as
/// `parameters`, together with the pacing and the queue depth of the load, with or without a folder. Throws
/// OutputError.
void write_outputs(const RunSpec& run, const RunEntries& asked, Json& result);

}  // namespace solidtlm::testbench
