// SPDX-License-Identifier: Apache-2.0
//
// Bounds for keys whose own ranges would give drives that are large, slow or hardly ever legal. A key without
// a rule is drawn from all values that it allows, so a new key is drawn without further work. All such limits
// are here.
#pragma once

#include <span>
#include <string_view>
#include <vector>

#include "platform/configuration.h"
#include "platform/plausible_value.h"

namespace solidtlm::testbench {

struct DrawRule {
    std::string_view key;
    platform::DrawBounds bounds = {};
    /// values to draw from, as TOML literals, instead of the bounds
    std::vector<std::string_view> choices = {};
    double chance = -1;               ///< probability that the key is drawn; negative: the default
    std::string_view not_drawn = {};  ///< why it is not drawn; empty: it is drawn
    bool in_focus = false;            ///< with not_drawn: draw_focus.cpp draws it
};

[[nodiscard]] std::span<const DrawRule> configuration_rules();
[[nodiscard]] std::span<const DrawRule> workload_rules();
/// The rule of a key, or null.
[[nodiscard]] const DrawRule* rule_of(std::span<const DrawRule> rules, std::string_view key);

}  // namespace solidtlm::testbench
