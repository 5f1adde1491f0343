// SPDX-License-Identifier: Apache-2.0
//
// The values derived from the keys, and the rules between keys.
#pragma once

#include <map>
#include <set>
#include <string>
#include <string_view>
#include <tuple>
#include <vector>

#include "platform/configuration.h"

namespace solidtlm::platform {

/// The source of a key's value.
struct Origin {
    std::size_t layer = 0;  ///< later layers have priority; 0: built-in
    std::string source = "built-in";
    std::uint32_t line = 0;
    std::uint32_t turn = 0;  ///< of a setting, which has no line: its number

    /// The order in which keys were set.
    [[nodiscard]] bool later_than(const Origin& other) const {
        return std::tie(layer, line, turn) > std::tie(other.layer, other.line, other.turn);
    }
};

/// A key whose value follows from other keys.
struct Derived {
    std::string_view key;
    std::vector<std::string_view> from;
};

/// Origins of all keys that were set; the keys that could not be set; those that the user has changed; and
/// those that follow from other keys.
struct Origins {
    std::map<std::string, Origin, std::less<>> set;
    std::set<std::string, std::less<>> failed;
    std::set<std::string, std::less<>> changed;
    std::vector<Derived> derived;
};

/// Sets the derived fields: content and seed of every block, flash layout of the firmware, metadata size,
/// exported capacity, and over-provisioning if a capacity was configured. REQUIRES: every field is within its
/// key's limits (load_configuration() sees to that).
void derive(Configuration& configuration);

/// Appends one issue for each broken rule between keys. Call it after derive(). A rule about a key in
/// `origins.failed` is skipped, because its value is not what the user wrote.
void check(const Configuration& configuration, const Origins& origins,
           std::vector<ConfigurationIssue>& issues);

}  // namespace solidtlm::platform
