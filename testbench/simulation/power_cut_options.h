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
    /// Puts the instants in order. Returns error texts.
    [[nodiscard]] Errors check(const platform::Configuration& configuration, PowerCuts& cuts) const;

  private:
    CLI::Option* off_ = nullptr;
};

}  // namespace solidtlm::testbench
