// SPDX-License-Identifier: Apache-2.0
//
// The result files of a scenario.
#pragma once

#include "testbench/cli/command_line.h"
#include "testbench/results/result.h"

namespace solidtlm::testbench {

/// Writes result.json and report.html into the folder that the line names; nothing when it names none. Puts
/// what the line asked for into `result` as `parameters`, with or without a folder. Throws OutputError.
void write_outputs(const CommandLine& line, Json& result);

}  // namespace solidtlm::testbench
