// SPDX-License-Identifier: Apache-2.0
//
// Options of executables that may cut the drive's power: --power-cut-at, --power-cut-every, --power-off.
#pragma once

#include "platform/configuration.h"
#include "testbench/cli/option_set.h"
#include "testbench/simulation/power_cuts.h"

namespace solidtlm::testbench {

class PowerCutOptions {
  public:
    /// Both must outlive the parsing.
    void add_to(OptionSet& options, PowerCuts& cuts);
    /// Puts the instants in order. Returns what is wrong whatever the drive is.
    [[nodiscard]] Errors check_options(PowerCuts& cuts) const;
    /// What is wrong with them for this drive.
    [[nodiscard]] Errors check(const platform::Configuration& configuration) const;

  private:
    CLI::Option* at_ = nullptr;
    CLI::Option* every_ = nullptr;
    CLI::Option* off_ = nullptr;
};

/// Why `option`, which cuts the power, does not go with this drive: an error text; empty: it does.
[[nodiscard]] std::string power_cut_error(const std::string& option,
                                          const platform::Configuration& configuration);

}  // namespace solidtlm::testbench
