// SPDX-License-Identifier: Apache-2.0
//
// What is derived from the keys, and the rules between them.
#pragma once

#include <map>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "platform/configuration.h"

namespace solidtlm::platform {

/// Where a key got its value.
struct Origin {
    std::size_t layer = 0;  ///< later layers win; 0: built-in
    std::string source = "built-in";
    std::uint32_t line = 0;
};

/// A key whose value follows from others.
struct Derived {
    std::string_view key;
    std::vector<std::string_view> from;
};

/// Origins of the keys that were set anywhere; the keys that could not be set; those to which the user gave a
/// value of his own; and those that follow from others.
struct Origins {
    std::map<std::string, Origin, std::less<>> set;
    std::set<std::string, std::less<>> failed;
    std::set<std::string, std::less<>> changed;
    std::vector<Derived> derived;
};

/// Sets the derived fields: content and seed of every block, flash layout of the firmware, metadata size,
/// exported capacity, over-provisioning when a capacity was asked for.
/// Every field is within its key's limits (load_configuration() sees to that).
void derive(Configuration& configuration);

/// Appends one issue for each rule between keys that is broken. A rule about a key in `origins.failed` is
/// skipped: what it would judge is not what the user wrote. After derive().
void check(const Configuration& configuration, const Origins& origins,
           std::vector<ConfigurationIssue>& issues);

}  // namespace solidtlm::platform
