// SPDX-License-Identifier: Apache-2.0
//
// Keys that do nothing with the other settings. A key that the user sets must act; otherwise it is a mistake.
#pragma once

#include <functional>
#include <span>
#include <string_view>
#include <vector>

#include "platform/configuration_checks.h"

namespace solidtlm::platform {

/// When some keys act.
struct IdleRule {
    std::vector<std::string_view> keys;     ///< one that ends with a dot: all that begin so
    std::vector<std::string_view> because;  ///< the keys that decide it
    std::function<bool(const Configuration& configuration)> acts;
    std::string_view why;  ///< they do nothing otherwise

    [[nodiscard]] bool covers(std::string_view key) const;
};

[[nodiscard]] std::span<const IdleRule> idle_rules();

/// Appends an issue for each key of `origins.changed` that does nothing. After derive().
void check_idle(const Configuration& configuration, const Origins& origins,
                std::vector<ConfigurationIssue>& issues);

}  // namespace solidtlm::platform
