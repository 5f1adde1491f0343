// SPDX-License-Identifier: Apache-2.0
//
// Code shared by the programs that speak qtest: options, their checks, and the run.
#pragma once

#include <functional>
#include <string>

#include "testbench/conformance/qtest/qtest_board.h"
#include "testbench/programs/cli/command_line.h"

namespace solidtlm::testbench {

class QtestOptions {
  public:
    QtestSettings settings;  ///< complete after check()

    /// `where`: the option for the address of the registers, such as --abar. `page`: the page of the
    /// documentation.
    QtestOptions(std::string where, std::string page) : where_(std::move(where)), page_(std::move(page)) {
        settings.ram_bytes = std::uint64_t{128} << 20U;
    }
    void add_to(OptionSet& options);
    void add_log_level_to(OptionSet& options);
    [[nodiscard]] Errors check(const CommandLine& line);
    /// Before the board is built: ends a dry run, begins the log.
    void begin(const CommandLine& line);

  private:
    const std::string where_;
    const std::string page_;  ///< page of the documentation
    std::string registers_ = "0xFEBF0000";
    std::string log_level_ = "warning";
    bool qtest_ = false;
};

/// Adds a check of the configuration to the program's checks.
void require(Program& program, const std::function<void(const platform::Configuration&, Errors&)>& check);

}  // namespace solidtlm::testbench
