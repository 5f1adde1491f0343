// SPDX-License-Identifier: Apache-2.0
#include "platform/presets.h"

#include <algorithm>

namespace solidtlm::platform {

std::string_view Preset::description() const {
    const std::size_t begin = toml.find('\n') + 1;
    std::string_view line = toml.substr(begin, toml.find('\n', begin) - begin);
    line.remove_prefix(std::min<std::size_t>(2, line.size()));
    return line;
}

const Preset* find_preset(std::string_view name) {
    const std::span<const Preset> all = presets();
    const auto found = std::ranges::find(all, name, &Preset::name);
    return found == all.end() ? nullptr : &*found;
}

bool is_preset(std::string_view toml) {
    return std::ranges::find(presets(), toml, &Preset::toml) != presets().end();
}

std::vector<std::string> preset_names() {
    std::vector<std::string> names;
    for (const Preset& preset : presets()) {
        names.emplace_back(preset.name);
    }
    return names;
}

}  // namespace solidtlm::platform
