// SPDX-License-Identifier: Apache-2.0
//
// Options of executables that run a single simulation: --vcd, --timeline and their windows.
#pragma once

#include <CLI/CLI.hpp>
#include <string>
#include <vector>

#include "testbench/record/settings.h"

namespace solidtlm::testbench {

class RecorderOptions {
  public:
    /// Must outlive the parsing.
    void add_to(CLI::App& app);
    /// Fills in `settings`; tries whether the files can be written. Returns error texts.
    std::vector<std::string> check(RecorderSettings& settings) const;

  private:
    struct Recording {
        std::string name;  ///< of the option
        std::string file;
        std::string from;
        std::string to;
    };
    static void check_window(const Recording& recording, RecordWindow& window,
                             std::vector<std::string>& errors);

    Recording vcd_{"--vcd", {}, {}, {}};
    Recording timeline_{"--timeline", {}, {}, {}};
};

}  // namespace solidtlm::testbench
