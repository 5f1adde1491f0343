// SPDX-License-Identifier: Apache-2.0
//
// Support for checking rules between keys. Internal to the configuration.
#pragma once

#include <algorithm>
#include <cstdint>
#include <initializer_list>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "platform/configuration_checks.h"

namespace solidtlm::platform {

/// Collects broken rules.
class Rules {
  public:
    Rules(const Origins& origins, std::vector<ConfigurationIssue>& issues)
        : origins_(origins), issues_(issues) {}

    /// Unless `holds`, reports `message` at one of the keys `named`: the one that was set last, or the first
    /// if none was set. A key whose value is derived is replaced by the keys from which it is derived.
    void require(bool holds, std::span<const std::string_view> named, const std::string& message) {
        if (holds) {
            return;
        }
        std::vector<std::string_view> keys;
        for (const std::string_view key : named) {
            const auto derived = std::ranges::find(origins_.derived, key, &Derived::key);
            if (derived != origins_.derived.end()) {
                keys.insert(keys.end(), derived->from.begin(), derived->from.end());
            } else {
                keys.push_back(key);
            }
        }
        const auto failed = [this](std::string_view key) { return origins_.failed.contains(key); };
        if (std::ranges::any_of(keys, failed)) {
            return;
        }
        Origin last;
        std::string_view blamed = keys.front();
        for (const std::string_view key : keys) {
            const auto origin = origins_.set.find(key);
            if (origin != origins_.set.end() && origin->second.later_than(last)) {
                last = origin->second;
                blamed = key;
            }
        }
        issues_.push_back({last.source, last.line, std::string(blamed), message});
    }
    void require(bool holds, std::initializer_list<std::string_view> keys, const std::string& message) {
        require(holds, std::span(keys.begin(), keys.size()), message);
    }

    /// Whether the user gave the key another value than the preset or a generated file has.
    [[nodiscard]] bool is_changed(std::string_view key) const { return origins_.changed.contains(key); }

  private:
    const Origins& origins_;
    std::vector<ConfigurationIssue>& issues_;
};

/// A power-of-two rule for one key.
void require_power_of_two(Rules& rules, std::string_view key, std::uint64_t value);

/// Rules of the host, its interface and the link.
void check_host(const Configuration& configuration, Rules& rules);
/// Rules of deduplication, if mapping units and pages fit together.
void check_dedup(const Configuration& configuration, Rules& rules);
/// Rules of programming whole word lines. Returns whether rules about the layout can be checked.
bool check_programming(const Configuration& configuration, Rules& rules);
/// Rules of an SLC cache.
void check_slc_cache(const Configuration& configuration, Rules& rules);
/// Rules of the link's power states.
void check_link_power(const Configuration& configuration, Rules& rules);
/// Rules of a read cache.
void check_read_cache(const Configuration& configuration, Rules& rules);

}  // namespace solidtlm::platform
