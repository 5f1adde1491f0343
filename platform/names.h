// SPDX-License-Identifier: Apache-2.0
//
// Names that a user may write, and suggestions for a mistyped one.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

namespace solidtlm::platform {

using Names = std::vector<std::string>;

/// The names of things with a `name`, or of pointers to such things.
template <class Things>
[[nodiscard]] Names names_of(const Things& things) {
    Names names;
    for (const auto& each : things) {
        if constexpr (std::is_pointer_v<std::remove_cvref_t<decltype(each)>>) {
            names.emplace_back(each->name);
        } else {
            names.emplace_back(each.name);
        }
    }
    return names;
}

/// "a, b, c"
[[nodiscard]] std::string join_names(const Names& names);

/// Optimal string alignment distance: counts insertions, deletions, replacements and swaps of neighbours.
[[nodiscard]] std::size_t edit_distance(std::string_view a, std::string_view b);

/// The name with the smallest edit distance from `word`, if that is at most 2 or a third of the word's
/// length.
[[nodiscard]] std::optional<std::string> nearest(std::string_view word, const Names& names);

/// "; did you mean x?", or an empty string.
[[nodiscard]] std::string did_you_mean(const std::optional<std::string>& name);
[[nodiscard]] inline std::string did_you_mean(std::string_view word, const Names& names) {
    return did_you_mean(nearest(word, names));
}

}  // namespace solidtlm::platform
