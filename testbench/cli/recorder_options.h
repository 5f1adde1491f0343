// SPDX-License-Identifier: Apache-2.0
//
// Options of executables that run a single simulation: --vcd, --timeline and their windows, --commands.
#pragma once

#include "testbench/cli/file_roles.h"
#include "testbench/cli/option_set.h"
#include "testbench/record/settings.h"

namespace solidtlm::testbench {

class RecorderOptions {
  public:
    /// Both must outlive the parsing.
    void add_to(OptionSet& options, RecorderSettings& settings);
    /// Tries whether the files can be written. Returns error texts.
    [[nodiscard]] Errors check(const RecorderSettings& settings) const;
    void name_files(const RecorderSettings& settings, FileRoles& files) const;

  private:
    CLI::Option* vcd_ = nullptr;
    CLI::Option* timeline_ = nullptr;
    CLI::Option* commands_ = nullptr;
};

}  // namespace solidtlm::testbench
