// SPDX-License-Identifier: Apache-2.0
//
// The text form of a workload, `pattern,key=value,...`, cut into its items, and the messages about them.
#pragma once

#include <algorithm>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace solidtlm::testbench {

struct SpecItem {
    std::string_view text;
    std::string_view key;  ///< empty: not of the form key=value
    std::string_view value;
};

/// `key=value`s, or a bare pattern where it comes first: its key is "pattern".
[[nodiscard]] std::vector<SpecItem> split_spec(std::string_view spec);
/// Value of the first item with this key; empty: there is none.
[[nodiscard]] std::string_view value_of(const std::vector<SpecItem>& items, std::string_view key);
[[nodiscard]] std::string in_quotes(std::string_view text);
[[nodiscard]] std::string unknown_key(std::string_view key, std::span<const std::string_view> known);
/// Throws InputError with all of them, if there are any.
void throw_spec_errors(std::string_view spec, const std::vector<std::string>& errors);

/// For tables of keys with a `name`, a `help` and what is `expected`.
template <class Keys>
[[nodiscard]] std::vector<std::string_view> names_of(const Keys& keys) {
    std::vector<std::string_view> names;
    names.reserve(std::size(keys));
    for (const auto& key : keys) {
        names.push_back(key.name);
    }
    return names;
}
/// One line a key.
template <class Keys>
[[nodiscard]] std::string key_help(const Keys& keys) {
    constexpr std::size_t kIndent = 13;
    std::string text;
    for (const auto& key : keys) {
        std::string name(key.name);
        name.resize(std::max(kIndent, name.size() + 1), ' ');
        text += name + std::string(key.help) + "; " + std::string(key.expected) + "\n";
    }
    return text;
}

}  // namespace solidtlm::testbench
