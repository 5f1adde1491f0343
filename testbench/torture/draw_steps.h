// SPDX-License-Identifier: Apache-2.0
//
// The steps of drawing a case. Internal to draw.cpp and its tests.
#pragma once

#include <cstdint>
#include <random>
#include <string>
#include <vector>

#include "platform/configuration.h"
#include "platform/keys.h"
#include "testbench/torture/draw.h"
#include "testbench/torture/draw_rules.h"

namespace solidtlm::testbench {

using DrawRandom = std::mt19937_64;

constexpr std::uint32_t kWorkloadTries = 12;  ///< that may not fit on the drive

[[nodiscard]] inline bool chance(DrawRandom& random, double share) {
    constexpr double kResolution = 1 << 30U;
    return static_cast<double>(random() % (1U << 30U)) < share * kResolution;
}

template <class List>
[[nodiscard]] const auto& pick(DrawRandom& random, const List& list) {
    return list[random() % std::size(list)];
}

/// A value of a key that is drawn. REQUIRES: the rule has choices, or platform::can_draw().
[[nodiscard]] std::string draw_value(DrawRandom& random, const platform::Allowed& allowed,
                                     const DrawRule* rule);

/// Whether the configuration is legal.
[[nodiscard]] bool legal(const TortureCase& torture);
/// Whether the drive is large enough for the workload. REQUIRES: legal().
[[nodiscard]] bool fits(const TortureCase& torture);
/// `given` ("key=value") in place of what `items` have for their keys.
void give(std::vector<std::string>& items, const std::vector<std::string>& given);

/// A pattern of workloads, with some of its keys.
[[nodiscard]] std::vector<std::string> draw_pattern(DrawRandom& random);
/// On how many cuts the drive has room, one after another (docs/power-loss.md, "Space"): a superblock's pages
/// for each superblock that it could export and does not.
[[nodiscard]] std::uint64_t cuts_with_room(const platform::Configuration& c);

/// Settings of a legal drive, `pinned` first.
void draw_settings(DrawRandom& random, const std::vector<std::string>& pinned, DrawnCase& drawn);
/// How the host sends, what it sends, and how the drive was aged.
void draw_load(DrawRandom& random, DrawnCase& drawn);
/// Sometimes replaces the drawn settings and load by others that bring about a rare combination; not if
/// anything is `pinned`.
void draw_focus(DrawRandom& random, const std::vector<std::string>& pinned, DrawnCase& drawn);
/// Draws power cuts for a drive that can recover and has room for them; may change the over-provisioning for
/// that, unless it is `pinned`.
void draw_cuts(DrawRandom& random, const std::vector<std::string>& pinned, DrawnCase& drawn);

}  // namespace solidtlm::testbench
