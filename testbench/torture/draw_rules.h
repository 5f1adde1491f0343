// SPDX-License-Identifier: Apache-2.0
//
// Bounds for keys whose own ranges would make drives that are large, slow or hardly ever legal. A key without
// a rule is drawn from all that it allows, so a new key is drawn at once. This is the one place for such
// limits.
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
    std::vector<std::string_view> choices = {};  ///< instead of the bounds, each as a TOML literal
    double chance = -1;                          ///< that it is drawn; negative: as of others
    std::string_view not_drawn = {};             ///< why not; empty: it is drawn
    bool in_focus = false;                       ///< not_drawn: but draw_focus.cpp draws it
};

[[nodiscard]] std::span<const DrawRule> configuration_rules();
[[nodiscard]] std::span<const DrawRule> workload_rules();
/// Null: there is none.
[[nodiscard]] const DrawRule* rule_of(std::span<const DrawRule> rules, std::string_view key);

}  // namespace solidtlm::testbench
