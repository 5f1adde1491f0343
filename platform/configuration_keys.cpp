// SPDX-License-Identifier: Apache-2.0
#include "platform/configuration_keys.h"

#include <algorithm>
#include <set>

namespace solidtlm::platform {
namespace {

std::string_view leaf(std::string_view path) {
    return path.substr(path.rfind('.') + 1);  // npos + 1 == 0
}

}  // namespace

const ConfigurationKey* find_key(std::string_view path) {
    const auto found = std::ranges::find(keys(), path, &ConfigurationKey::name);
    return found == keys().end() ? nullptr : &*found;
}

bool is_group(std::string_view path) {
    return std::ranges::any_of(keys(), [path](const ConfigurationKey& key) {
        return key.name.size() > path.size() && key.name.starts_with(path) && key.name[path.size()] == '.';
    });
}

std::optional<std::string> nearest_key(std::string_view path, bool groups) {
    std::set<std::string> groups_seen;
    std::vector<std::string> names;
    std::vector<std::string> same_leaf;
    for (const ConfigurationKey& key : keys()) {
        for (std::size_t dot = key.name.find('.'); dot != std::string_view::npos;
             dot = key.name.find('.', dot + 1)) {
            groups_seen.emplace(key.name.substr(0, dot));
        }
        if (!groups) {
            names.emplace_back(key.name);
        }
    }
    if (groups) {
        names.assign(groups_seen.begin(), groups_seen.end());
    }
    for (const std::string& name : names) {
        if (leaf(name) == leaf(path)) {
            same_leaf.push_back(name);
        }
    }
    if (same_leaf.size() == 1) {  // right name, wrong table
        return same_leaf.front();
    }
    if (auto close = nearest(path, names)) {
        return close;
    }
    std::vector<std::string> leaves;
    leaves.reserve(names.size());
    for (const std::string& name : names) {
        leaves.emplace_back(leaf(name));
    }
    const auto close_leaf = nearest(leaf(path), leaves);  // nearly the right name, wrong table
    if (!close_leaf || leaf(path).size() < 4) {
        return std::nullopt;
    }
    return *std::ranges::find_if(names, [&](const std::string& name) { return leaf(name) == *close_leaf; });
}

}  // namespace solidtlm::platform
