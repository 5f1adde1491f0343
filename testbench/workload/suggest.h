// SPDX-License-Identifier: Apache-2.0
//
// Helps a user who mistyped a name.
#pragma once

#include <algorithm>
#include <cstddef>
#include <numeric>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace solidtlm::testbench {

/// Levenshtein's edit distance.
inline std::size_t edit_distance(std::string_view a, std::string_view b) {
    std::vector<std::size_t> row(b.size() + 1);
    std::iota(row.begin(), row.end(), std::size_t{0});
    for (std::size_t i = 0; i < a.size(); ++i) {
        std::size_t diagonal = row[0];
        row[0] = i + 1;
        for (std::size_t j = 0; j < b.size(); ++j) {
            const std::size_t replaced = diagonal + (a[i] == b[j] ? 0 : 1);
            diagonal = row[j + 1];
            row[j + 1] = std::min({replaced, row[j] + 1, row[j + 1] + 1});
        }
    }
    return row[b.size()];
}

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
