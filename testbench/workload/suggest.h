// SPDX-License-Identifier: Apache-2.0
//
// Helps a user who mistyped a name.
#pragma once

#include <algorithm>
#include <span>
#include <string>
#include <string_view>

#include "platform/edit_distance.h"

namespace solidtlm::testbench {

using platform::edit_distance;

/// "a, b, c"
inline std::string join_names(std::span<const std::string_view> names) {
    std::string text;
    for (const std::string_view name : names) {
        text += (text.empty() ? "" : ", ") + std::string(name);
    }
    return text;
}

/// "; did you mean 'x'?" with the nearest of the names, or nothing when none is near.
inline std::string did_you_mean(std::string_view found, std::span<const std::string_view> names) {
    const auto nearest = std::min_element(names.begin(), names.end(), [&](auto a, auto b) {
        return edit_distance(found, a) < edit_distance(found, b);
    });
    if (nearest == names.end() ||
        edit_distance(found, *nearest) > std::max<std::size_t>(2, found.size() / 2)) {
        return {};
    }
    return "; did you mean '" + std::string(*nearest) + "'?";
}

}  // namespace solidtlm::testbench
