// SPDX-License-Identifier: Apache-2.0
//
// Keys without effect because of other settings. A key that the user sets must have an effect; otherwise it
// is a mistake.
#pragma once

#include <functional>
#include <span>
#include <string_view>
#include <vector>

#include "platform/configuration_checks.h"

namespace solidtlm::platform {

/// The condition under which some keys have an effect.
struct IdleRule {
    std::vector<std::string_view> keys;  ///< a name that ends with a dot covers all keys that begin with it
    std::vector<std::string_view> because;  ///< the keys that decide
    std::function<bool(const Configuration& configuration)> acts;
    std::string_view why;  ///< reason for having no effect otherwise

    [[nodiscard]] bool covers(std::string_view key) const;
};

[[nodiscard]] std::span<const IdleRule> idle_rules();

/// Appends an issue for each key of `origins.changed` without an effect. After derive().
void check_idle(const Configuration& configuration, const Origins& origins,
                std::vector<ConfigurationIssue>& issues);

}  // namespace solidtlm::platform
