// SPDX-License-Identifier: Apache-2.0
//
// One attempt to break the drive: a configuration, a load and power cuts, each as a list of text items. The
// same form serves for drawing, messages and shrinking (leaving items out). As a file, it is a run file
// (docs/command-line.md); keys that only tb_torture has are in `[torture]`.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

namespace solidtlm::testbench {

/// The first item of the workload `mix`.
inline constexpr std::string_view kMix = "mix";

struct TortureCase {
    std::string preset = "tiny";
    std::vector<std::string> settings;      ///< "key=value" items of the configuration
    std::vector<std::string> load;          ///< "key=value" items of load_keys()
    std::vector<std::string> workload;      ///< items of a workload or of `mix`; empty: mix
    std::vector<std::string> precondition;  ///< items of a preconditioning; empty: a new drive
    std::vector<std::string> cuts;          ///< cuts as in event_cutter.h
    /// How all sessions but the last one end: "sleep", "clean timed" and so on
    std::vector<std::string> sessions = {};

    bool operator==(const TortureCase&) const = default;
};

/// The lists of a case, for code that treats them alike.
inline constexpr std::vector<std::string> TortureCase::*kCaseLists[]{
    &TortureCase::settings,     &TortureCase::load, &TortureCase::workload,
    &TortureCase::precondition, &TortureCase::cuts, &TortureCase::sessions};

/// The case as a file. `about`: comment lines at the top. Items of the load are in the file's order.
[[nodiscard]] std::string to_toml(const TortureCase& torture, std::string_view about);
/// Reads a file. Throws InputError: file, line, key, what was found and what is allowed. Values are not
/// checked.
[[nodiscard]] TortureCase parse_case(std::string_view toml, const std::string& source);
[[nodiscard]] TortureCase read_case(const std::filesystem::path& file);

/// The items joined by commas, as on a command line.
[[nodiscard]] std::string join_items(const std::vector<std::string>& items);

/// The key of an item "key=value".
[[nodiscard]] inline std::string_view key_of(std::string_view item) {
    return item.substr(0, item.find('='));
}
/// `given` ("key=value") in place of what `items` have for their keys.
void give(std::vector<std::string>& items, const std::vector<std::string>& given);

}  // namespace solidtlm::testbench
