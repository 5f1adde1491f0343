// SPDX-License-Identifier: Apache-2.0
//
// Options of executables that may cut the drive's power: --power-cut-at, --power-cut-every, --power-off.
#pragma once

#include <CLI/CLI.hpp>
#include <optional>
#include <string>
#include <vector>

#include "testbench/simulation/power_cuts.h"

namespace solidtlm::testbench {

class PowerCutOptions {
  public:
    /// Must outlive the parsing.
    void add_to(CLI::App& app);
    /// Fills in `cuts`. Returns error texts.
    std::vector<std::string> check(PowerCuts& cuts) const;

  private:
    std::vector<std::string> at_;
    std::optional<std::string> every_;
    std::optional<std::string> off_;
};

}  // namespace solidtlm::testbench
