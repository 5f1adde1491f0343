// SPDX-License-Identifier: Apache-2.0
#include "platform/configuration_keys.h"

#include <algorithm>
#include <array>
#include <set>
#include <utility>

#include "fw/hal/check.h"
#include "platform/key_reader.h"

namespace solidtlm::platform {
namespace {

std::string_view leaf(std::string_view path) {
    return path.substr(path.rfind('.') + 1);  // npos + 1 == 0
}

/// The known names, among which a mistyped one is searched.
struct Known {
    explicit Known(Names all) : names(std::move(all)) {
        for (const std::string& name : names) {
            leaves.emplace_back(leaf(name));
        }
    }

    /// The first path with this leaf. REQUIRES: there is one.
    [[nodiscard]] const std::string& with_leaf(std::string_view wanted) const {
        const auto found = std::ranges::find(leaves, wanted);
        SOLIDTLM_CHECK(found != leaves.end(), "some path has this leaf");
        return names[static_cast<std::size_t>(found - leaves.begin())];
    }

    Names names;
    Names leaves;  ///< last part of each path
};

struct Renamed {
    std::string_view before;
    std::string_view now;
};
constexpr std::array kRenamed{Renamed{"firmware.dedup.idle_threshold", "firmware.idle_threshold"}};

struct Retired {
    std::string_view key;
    std::string_view value;  ///< empty: the key itself
    std::string_view when;
};
constexpr std::string_view kNoRelease = "before a release had it";
constexpr std::string_view kAfter020 = "after version 0.2.0";
constexpr std::array kRetired{
    Retired{"closed_forms", "", kAfter020},
    Retired{"firmware.translation", "kast", kAfter020},
    Retired{"firmware.translation", "superblock", kAfter020},
    Retired{"firmware.block_map.associativity", "", kAfter020},
    Retired{"firmware.block_map.sequential_logs", "", kAfter020},
    Retired{"firmware.block_map.superblock_blocks", "", kAfter020},
    Retired{"firmware.block_map.superblock_logs", "", kAfter020},
    Retired{"nand.programming", "two_pass", kNoRelease},
    Retired{"nand.programming", "three_pass", kNoRelease},
    Retired{"nand.rules.read_between_passes", "", kNoRelease},
};

/// In alphabetical order.
Names group_names() {
    std::set<std::string> groups;
    for (const ConfigurationKey& key : keys()) {
        for (std::size_t dot = key.name.find('.'); dot != std::string::npos;
             dot = key.name.find('.', dot + 1)) {
            groups.emplace(key.name.substr(0, dot));
        }
    }
    return {groups.begin(), groups.end()};
}

}  // namespace

const std::vector<ConfigurationKey>& keys() {
    static const std::vector<ConfigurationKey> all_keys = [] {
        const auto itself = [](auto& configuration) -> auto& {
            return configuration;
        };
        std::vector<ConfigurationKey> all;
        KeyReader<Configuration, decltype(itself)> reader("", itself, all);
        hal::read_keys<Configuration>(reader);
        return all;
    }();
    return all_keys;
}

const ConfigurationKey* find_key(std::string_view path) {
    const auto found = std::ranges::find(keys(), path, &ConfigurationKey::name);
    return found == keys().end() ? nullptr : &*found;
}

bool is_group(std::string_view path) {
    return std::ranges::any_of(keys(), [path](const ConfigurationKey& key) {
        return key.name.size() > path.size() && key.name.starts_with(path) && key.name[path.size()] == '.';
    });
}

std::string retired(std::string_view key, std::string_view value) {
    const auto* found = std::ranges::find_if(
        kRetired, [&](const Retired& each) { return each.key == key && each.value == value; });
    return found == kRetired.end() ? "" : "; it was retired " + std::string(found->when);
}

std::optional<std::string> nearest_key(std::string_view path, bool groups) {
    const auto* renamed = std::ranges::find(kRenamed, path, &Renamed::before);
    if (renamed != kRenamed.end()) {
        return std::string(renamed->now);
    }
    static const Known known_keys(names_of(keys()));
    static const Known known_groups(group_names());
    const Known& known = groups ? known_groups : known_keys;
    if (std::ranges::count(known.leaves, leaf(path)) == 1) {  // the right name in the wrong table
        return known.with_leaf(leaf(path));
    }
    if (auto close = nearest(path, known.names)) {
        return close;
    }
    const auto close_leaf = nearest(leaf(path), known.leaves);  // nearly the right name in the wrong table
    if (!close_leaf || leaf(path).size() < 4) {
        return std::nullopt;
    }
    return known.with_leaf(*close_leaf);
}

}  // namespace solidtlm::platform
