// SPDX-License-Identifier: Apache-2.0
//
// The fields of a RunSpec as options, group by group: the one place that names them.
#pragma once

#include "testbench/cli/option_set.h"
#include "testbench/run/spec.h"

namespace solidtlm::testbench {

/// For all functions below: `run` must outlive the options.
void add_ageing(OptionSet& set, RunSpec& run);
void add_requests(OptionSet& set, RunSpec& run);
void add_output_folder(OptionSet& set, RunSpec& run);
/// Recordings, power cuts, saved drives: of executables that run one drive.
void add_one_run(OptionSet& set, RunSpec& run);

/// Mistakes in the options of add_one_run(), for any drive. `line` has the other options.
struct CommandLine;
[[nodiscard]] Errors check_one_run(const OptionSet& set, const CommandLine& line);
/// What is wrong with them for this drive.
[[nodiscard]] Errors check_one_run_on_drive(const OptionSet& set, const CommandLine& line);

/// Says why `option`, which cuts the power, cannot be used with this drive; empty if it can.
[[nodiscard]] std::string power_cut_error(const std::string& option,
                                          const platform::Configuration& configuration);

}  // namespace solidtlm::testbench
