// SPDX-License-Identifier: Apache-2.0
//
// Dies that differ (nand.geometry.die_blocks): how a user writes their blocks, and what they work with.
#pragma once

#include <optional>
#include <string_view>

#include "hw/nand/config.h"
#include "platform/configuration.h"
#include "platform/configuration_rules.h"
#include "platform/kinds.h"

namespace solidtlm::platform {

/// "256, 256, 128"; empty: dies are equal. None if it is no such list.
[[nodiscard]] std::optional<hw::DieBlocks> parse_die_blocks(std::string_view text);
[[nodiscard]] Kind<hw::DieBlocks> die_blocks();

/// Returns whether the list fits the geometry. If not, rules that count blocks cannot be checked.
bool check_die_blocks(const Configuration& c, Rules& rules);

/// Blocks per plane of each die of the drive, as firmware wants them; empty: dies are equal.
[[nodiscard]] std::vector<std::uint32_t> blocks_of_dies(const hw::NandGeometry& geometry);

}  // namespace solidtlm::platform
