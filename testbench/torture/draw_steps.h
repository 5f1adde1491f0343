// SPDX-License-Identifier: Apache-2.0
//
// The steps of drawing a case. Only draw.cpp, its parts and their tests use them.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "platform/configuration.h"
#include "platform/keys.h"
#include "testbench/torture/draw.h"
#include "testbench/torture/draw_rules.h"
#include "testbench/torture/draws.h"

namespace solidtlm::testbench {

constexpr const char* kOverProvisioning = "ssd.over_provisioning";
constexpr std::uint32_t kWorkloadTries = 12;  ///< attempts to draw a workload that fits on the drive

/// Draws a value of a key. REQUIRES: the rule has choices, or platform::can_draw().
[[nodiscard]] std::string draw_value(const Draws& draws, const platform::Allowed& allowed,
                                     const DrawRule* rule);

/// Whether the configuration is legal.
[[nodiscard]] bool legal(const TortureCase& torture);
/// Whether the workload fits on the drive. REQUIRES: legal().
[[nodiscard]] bool fits(const TortureCase& torture);

/// A pattern of workloads, with some of its keys.
[[nodiscard]] std::vector<std::string> draw_pattern(const Draws& draws);
/// The case with a drive that exports `share` of its possible capacity, if that is legal.
[[nodiscard]] std::optional<TortureCase> exporting(const TortureCase& torture, double share);
/// The number of consecutive cuts for which the drive has room (docs/power-loss.md, "Space"): for each
/// superblock that it could export and does not, the pages of one superblock.
[[nodiscard]] std::uint64_t cuts_with_room(const platform::Configuration& c);

/// Draws settings of a legal drive, `pinned` first.
void draw_settings(const Draws& draws, const std::vector<std::string>& pinned, std::string_view undrawn,
                   DrawnCase& drawn);
/// Draws how the host sends requests, which ones, and how the drive is aged.
void draw_load(const Draws& draws, DrawnCase& drawn);
/// Sometimes replaces the drawn settings and load with a rare combination; never if anything is `pinned`.
void draw_focus(const Draws& draws, const std::vector<std::string>& pinned, DrawnCase& drawn);
/// Gives some sizes their smallest legal value, or the next one, and some drives the largest capacity.
void draw_edges(const Draws& draws, const std::vector<std::string>& pinned, std::string_view undrawn,
                DrawnCase& drawn);
/// Draws power cuts for a drive that can recover and has room for them. May change the over-provisioning to
/// make room, unless it is `pinned`.
void draw_cuts(const Draws& draws, const std::vector<std::string>& pinned, DrawnCase& drawn);

}  // namespace solidtlm::testbench
