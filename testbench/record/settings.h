// SPDX-License-Identifier: Apache-2.0
//
// What a run records, and into which files.
#pragma once

#include <filesystem>
#include <string>

#include "fw/hal/types.h"

namespace solidtlm::testbench {

/// Simulated time from `from` to just before `to`, counted from power-on.
struct RecordWindow {
    hal::Ps from{0};
    hal::Ps to = hal::Ps::max();
};

struct RecorderSettings {
    std::filesystem::path vcd;  ///< empty: none
    RecordWindow vcd_window;
    std::filesystem::path timeline;  ///< empty: none
    RecordWindow timeline_window;
    std::filesystem::path commands;  ///< empty: none
};

/// The GTKWave save file that goes with a VCD file.
[[nodiscard]] inline std::filesystem::path gtkwave_save_path(const std::filesystem::path& vcd) {
    return std::filesystem::path(vcd).replace_extension(".gtkw");
}

/// Whether commands can be written to a file of this name.
[[nodiscard]] inline bool is_command_table(const std::filesystem::path& path) {
    const std::string name = path.filename().string();
    return name.ends_with(".csv") || name.ends_with(".csv.zst");
}
constexpr const char* kCommandTables = "a name that ends with .csv or .csv.zst";

}  // namespace solidtlm::testbench
