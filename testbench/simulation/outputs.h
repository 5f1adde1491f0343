// SPDX-License-Identifier: Apache-2.0
//
// The result files of a scenario.
#pragma once

#include "testbench/results/result.h"
#include "testbench/run/entry.h"
#include "testbench/run/spec.h"

namespace solidtlm::testbench {

/// Writes result.json and report.html into the folder that the run names; nothing when it names none. Puts
/// what was `asked` for into `result` as `parameters`, with the pacing and the queue depth of the load and
/// with or without a folder. Throws OutputError.
void write_outputs(const RunSpec& run, const RunEntries& asked, Json& result);

}  // namespace solidtlm::testbench
