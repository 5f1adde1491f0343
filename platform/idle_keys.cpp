// SPDX-License-Identifier: Apache-2.0
#include "platform/idle_keys.h"

#include <algorithm>
#include <utility>

#include "fw/hal/check.h"
#include "platform/configuration_keys.h"

namespace solidtlm::platform {
namespace {

std::vector<std::string_view> split(std::string_view text, std::string_view separator) {
    std::vector<std::string_view> parts;
    for (std::size_t end = 0; end != std::string_view::npos;) {
        end = text.find(separator);
        parts.push_back(text.substr(0, end));
        text.remove_prefix(end == std::string_view::npos ? text.size() : end + separator.size());
    }
    return parts;
}

const ConfigurationKey& key_named(std::string_view name) {
    const ConfigurationKey* key = find_key(name);
    SOLIDTLM_CHECK(key != nullptr, "the table names keys that exist");
    return *key;
}

/// The values of the deciding keys, as "key=value and key=value".
std::string deciding(const IdleRule& rule, const Configuration& configuration) {
    std::string text;
    for (const std::string_view name : rule.because()) {
        text += (text.empty() ? "" : " and ") + std::string(name) + "=" + key_named(name).get(configuration);
    }
    return text;
}

}  // namespace

IdleRule::IdleRule(const IdleRow& row) : row_(row), keys_(split(row.keys, " ")) {
    for (const std::string_view key : keys_) {
        SOLIDTLM_CHECK(std::ranges::any_of(keys(), [&](const auto& each) { return covers(each.name); }),
                       "the table names keys that exist");
        SOLIDTLM_CHECK(key.ends_with('.') || find_key(key) != nullptr, "the table names keys that exist");
    }
    if (row.acts != nullptr) {
        because_ = split(row.needs, " ");
        std::ranges::for_each(because_, key_named);
        return;
    }
    for (const std::string_view condition : split(row.needs, " or ")) {
        add_condition(condition);
    }
}

/// "key=value,value" or "key!=value,value".
void IdleRule::add_condition(std::string_view text) {
    const std::size_t equals = text.find('=');
    SOLIDTLM_CHECK(equals != std::string_view::npos && equals > 0, "a condition compares a key with values");
    const bool one_of = text[equals - 1] != '!';
    const ConfigurationKey& key = key_named(text.substr(0, one_of ? equals : equals - 1));
    because_.emplace_back(key.name);
    Condition condition{key.name, {}, one_of};
    for (const std::string_view value : split(text.substr(equals + 1), ",")) {
        Configuration scratch;
        SOLIDTLM_CHECK(key.set(value, scratch), "the key allows the value that the table compares it with");
        condition.values.push_back(key.get(scratch));
    }
    conditions_.push_back(std::move(condition));
}

bool IdleRule::covers(std::string_view key) const {
    return std::ranges::any_of(keys_, [key](std::string_view each) {
        return each.ends_with('.') ? key.starts_with(each) : key == each;
    });
}

bool IdleRule::acts(const Configuration& configuration) const {
    if (row_.acts != nullptr) {
        return row_.acts(configuration);
    }
    return std::ranges::any_of(conditions_, [&configuration](const Condition& condition) {
        const std::string value = key_named(condition.key).get(configuration);
        return (std::ranges::count(condition.values, value) > 0) == condition.one_of;
    });
}

std::span<const IdleRule> idle_rules() {
    static const std::vector<IdleRule> rules(idle_key_table().begin(), idle_key_table().end());
    return rules;
}

void check_idle(const Configuration& c, const Origins& origins, std::vector<ConfigurationIssue>& issues) {
    for (const std::string& key : origins.changed) {
        const auto judges = [&](const IdleRule& rule) {
            const bool known = std::ranges::none_of(
                rule.because(), [&](std::string_view each) { return origins.failed.contains(each); });
            return rule.covers(key) && known && !rule.acts(c);
        };
        const auto rule = std::ranges::find_if(idle_rules(), judges);
        if (rule != idle_rules().end()) {
            const Origin& origin = origins.set.find(key)->second;
            issues.push_back({origin.source, origin.line, key,
                              "does nothing with " + deciding(*rule, c) + " (" + std::string(rule->why()) +
                                  "); leave it out"});
        }
    }
}

}  // namespace solidtlm::platform
