// SPDX-License-Identifier: Apache-2.0
//
// The steps of drawing a case. Only draw.cpp, its parts and their tests use them.
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

constexpr std::uint32_t kWorkloadTries = 12;  ///< attempts to draw a workload that fits on the drive

[[nodiscard]] inline bool chance(DrawRandom& random, double share) {
    constexpr double kResolution = 1 << 30U;
    return static_cast<double>(random() % (1U << 30U)) < share * kResolution;
}

template <class List>
[[nodiscard]] const auto& pick(DrawRandom& random, const List& list) {
    return list[random() % std::size(list)];
}

/// Draws a value of a key. REQUIRES: the rule has choices, or platform::can_draw().
[[nodiscard]] std::string draw_value(DrawRandom& random, const platform::Allowed& allowed,
                                     const DrawRule* rule);

/// Whether the configuration is legal.
[[nodiscard]] bool legal(const TortureCase& torture);
/// Whether the workload fits on the drive. REQUIRES: legal().
[[nodiscard]] bool fits(const TortureCase& torture);
/// `given` ("key=value") in place of what `items` have for their keys.
void give(std::vector<std::string>& items, const std::vector<std::string>& given);
/// Flash that programs word lines in two or three passes, and firmware that works with it.
std::vector<std::string> in_passes(DrawRandom& random);

/// A pattern of workloads, with some of its keys.
[[nodiscard]] std::vector<std::string> draw_pattern(DrawRandom& random);
/// The number of consecutive cuts for which the drive has room (docs/power-loss.md, "Space"): for each
/// superblock that it could export and does not, the pages of one superblock.
[[nodiscard]] std::uint64_t cuts_with_room(const platform::Configuration& c);

/// Draws settings of a legal drive, `pinned` first.
void draw_settings(DrawRandom& random, const std::vector<std::string>& pinned, DrawnCase& drawn);
/// Draws how the host sends requests, which ones, and how the drive is aged.
void draw_load(DrawRandom& random, DrawnCase& drawn);
/// Sometimes replaces the drawn settings and load with a rare combination; never if anything is `pinned`.
void draw_focus(DrawRandom& random, const std::vector<std::string>& pinned, DrawnCase& drawn);
/// Draws power cuts for a drive that can recover and has room for them. May change the over-provisioning to
/// make room, unless it is `pinned`.
void draw_cuts(DrawRandom& random, const std::vector<std::string>& pinned, DrawnCase& drawn);

}  // namespace solidtlm::testbench
