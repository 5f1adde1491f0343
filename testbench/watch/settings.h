// SPDX-License-Identifier: Apache-2.0
//
// What a run records, and into which files.
#pragma once

#include <array>
#include <filesystem>
#include <string>

#include "fw/hal/types.h"

namespace solidtlm::testbench {

/// Simulated time from `from` up to, but not including, `to`, counted from power-on.
struct RecordWindow {
    hal::Ps from{0};
    hal::Ps to = hal::Ps::max();
};

struct RecorderSettings {
    std::filesystem::path vcd;  ///< empty: none
    RecordWindow vcd_window;
    std::filesystem::path timeline;  ///< empty: none
    RecordWindow timeline_window;
    std::filesystem::path commands;   ///< table; empty: none
    std::filesystem::path decisions;  ///< table; empty: none
    std::filesystem::path fio_log;    ///< first part of the names of fio's logs; empty: none

    [[nodiscard]] bool any() const {
        return !(vcd.empty() && timeline.empty() && commands.empty() && decisions.empty() && fio_log.empty());
    }
};

/// The GTKWave save file for a VCD file.
[[nodiscard]] inline std::filesystem::path gtkwave_save_path(const std::filesystem::path& vcd) {
    return std::filesystem::path(vcd).replace_extension(".gtkw");
}

/// Whether a table can be written to a file with this name.
[[nodiscard]] inline bool is_table(const std::filesystem::path& path) {
    const std::string name = path.filename().string();
    return name.ends_with(".csv") || name.ends_with(".csv.zst") || name.ends_with(".columns");
}

/// The latency logs that fio would write: total, submission, completion.
[[nodiscard]] inline std::array<std::filesystem::path, 3> fio_log_paths(const std::filesystem::path& prefix) {
    const std::string name = prefix.string();
    return {name + "_lat.1.log", name + "_slat.1.log", name + "_clat.1.log"};
}

}  // namespace solidtlm::testbench
