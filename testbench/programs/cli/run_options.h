// SPDX-License-Identifier: Apache-2.0
//
// The fields of a RunSpec as options, group by group. Only this header names them.
#pragma once

#include "testbench/programs/cli/option_set.h"
#include "testbench/sim/spec/spec.h"

namespace solidtlm::testbench {

/// For all functions below: `run` must outlive the options.
void add_ageing(OptionSet& set, RunSpec& run);
void add_requests(OptionSet& set, RunSpec& run);
void add_output_folder(OptionSet& set, RunSpec& run);
/// Recordings, power cuts and saved drives, for executables that run one drive.
void add_one_run(OptionSet& set, RunSpec& run);

/// Checks the options of add_one_run() without looking at the drive. `line` holds the other options.
struct CommandLine;
[[nodiscard]] Errors check_one_run(const OptionSet& set, const CommandLine& line);
/// Checks them against this drive.
[[nodiscard]] Errors check_one_run_on_drive(const OptionSet& set, const CommandLine& line);

/// Why `option`, which cuts the power, cannot be used with this drive; empty if it can.
[[nodiscard]] std::string power_cut_error(const std::string& option,
                                          const platform::Configuration& configuration);

}  // namespace solidtlm::testbench
