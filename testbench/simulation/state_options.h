// SPDX-License-Identifier: Apache-2.0
//
// Options of executables that run a drive which can be saved: --load-state, --boot, --save-state,
// --shutdown.
#pragma once

#include "testbench/cli/command_line.h"
#include "testbench/cli/file_roles.h"
#include "testbench/cli/option_set.h"
#include "testbench/simulation/simulation.h"

namespace solidtlm::testbench {

class StateOptions {
  public:
    /// Must outlive the parsing.
    void add_to(OptionSet& options);
    /// What is wrong with them and the others whatever the drive is.
    [[nodiscard]] Errors check_options(const CommandLine& line) const;
    /// What is wrong with them for this drive.
    [[nodiscard]] Errors check(const platform::Configuration& configuration) const;
    void name_files(FileRoles& files) const;
    [[nodiscard]] bool any() const { return !load_.empty() || saves(); }
    [[nodiscard]] bool saves() const { return !save_.empty(); }
    /// Throws OutputError where nothing can be saved.
    void apply(SimulationSettings& settings) const;

  private:
    std::string load_;
    std::string save_;
    std::string boot_;
    std::string shutdown_ = "sleep";
    CLI::Option* boot_option_ = nullptr;
    CLI::Option* shutdown_option_ = nullptr;
};

}  // namespace solidtlm::testbench
