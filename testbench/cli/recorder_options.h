// SPDX-License-Identifier: Apache-2.0
//
// Options of executables that run a single simulation: --vcd, --timeline and their windows.
#pragma once

#include <CLI/CLI.hpp>
#include <filesystem>
#include <optional>
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
        std::optional<std::string> file = std::nullopt;
        std::optional<std::string> from = std::nullopt;
        std::optional<std::string> to = std::nullopt;
    };
    static void check_file(const Recording& recording, std::filesystem::path& file,
                           std::vector<std::string>& errors);
    static void check_window(const Recording& recording, RecordWindow& window,
                             std::vector<std::string>& errors);

    Recording vcd_{"--vcd"};
    Recording timeline_{"--timeline"};
};

}  // namespace solidtlm::testbench
