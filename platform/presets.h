// SPDX-License-Identifier: Apache-2.0
//
// The presets (platform/presets/*.toml), built into the executable.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace solidtlm::platform {

struct Preset {
    std::string_view name;  ///< the file's name without .toml
    std::string_view toml;

    /// Second line of the file, without "# ".
    [[nodiscard]] std::string_view description() const;
};

/// In alphabetical order.
std::span<const Preset> presets();
/// Null if no preset has that name.
const Preset* find_preset(std::string_view name);
std::vector<std::string> preset_names();
/// True if the text is that of a preset's file.
bool is_preset(std::string_view toml);

}  // namespace solidtlm::platform
