// SPDX-License-Identifier: Apache-2.0
//
// The text form of workloads and preconditioning, `pattern,key=value,...`, split into items, which a table of
// keys reads.
#pragma once

#include <algorithm>
#include <string>
#include <string_view>
#include <vector>

#include "platform/keys.h"

namespace solidtlm::testbench {

using platform::Errors;

struct SpecItem {
    std::string_view text;
    std::string_view key;  ///< empty: the item is not of the form key=value
    std::string_view value;
};

/// Splits the spec into its `key=value` items. A leading value without a key belongs to the key `first`.
[[nodiscard]] std::vector<SpecItem> split_spec(std::string_view spec, std::string_view first = {});
/// Value of the first item with this key, without quotes, as read_items() reads it; empty if there is none.
[[nodiscard]] std::string_view value_of(const std::vector<SpecItem>& items, std::string_view key);
/// Throws InputError with all `errors`, one per line, if there are any. `option` is the option whose value
/// the spec is.
void throw_spec_errors(std::string_view option, const Errors& errors);
/// One line of help.
[[nodiscard]] std::string key_help(std::string_view name, std::string_view doc, std::string_view usual,
                                   const std::string& allowed);

/// One line per key.
template <class Keys>
[[nodiscard]] std::string key_help(const Keys& keys) {
    std::string text;
    for (const auto& key : keys) {
        text += key_help(key.name, key.doc, key.default_text(), key.allowed());
    }
    return text;
}

/// Reads all items into `target`. `knows` decides which keys `who` accepts.
template <class Keys, class Target, class Predicate>
void read_items(const std::vector<SpecItem>& items, const Keys& keys, Target& target, Errors& errors,
                std::string_view who, const Predicate& knows) {
    for (auto item = items.begin(); item != items.end(); ++item) {
        const std::string name(item->key);
        const auto key = std::ranges::find_if(keys, [&](const auto& each) { return each.name == name; });
        if (name.empty()) {
            errors.push_back("found " + platform::plain(item->text).shown + "; allowed: key=value");
        } else if (key == keys.end()) {
            const platform::Names names = platform::names_of(keys);
            errors.push_back(name + ": unknown key" + platform::did_you_mean(name, names) +
                             "; known keys: " + platform::join_names(names));
        } else if (!knows(*key)) {
            auto known = keys;
            std::erase_if(known, [&knows](const auto& each) { return !knows(each); });
            errors.push_back(name + ": not for " + std::string(who) +
                             "; its keys: " + platform::join_names(platform::names_of(known)));
        } else if (std::find_if(items.begin(), item,
                                [&](const SpecItem& each) { return each.key == name; }) != item) {
            errors.push_back(name + ": given twice");
        } else if (const auto problem = assign(*key, platform::plain(item->value), target)) {
            errors.push_back(name + ": " + *problem);
        }
    }
}

}  // namespace solidtlm::testbench
