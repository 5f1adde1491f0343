// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string_view>

#include "fw/config.h"

namespace solidtlm::fw {

/// Planes that are programmed and erased at once: all of a die when the allocation order varies the plane
/// fastest.
constexpr std::uint32_t planes_per_parallel_unit(std::string_view order, std::uint32_t planes_per_die) {
    return order.starts_with('P') ? planes_per_die : 1;
}

/// Superblocks of a parallel unit that can never hold exported data: the free ones that host writes may not
/// touch (gc.foreground_threshold), the open one of garbage collection, and one superblock's worth of invalid
/// units without which collecting a victim would not gain a free superblock.
constexpr std::uint32_t reserved_superblocks(const FirmwareConfig& config) {
    return config.gc.foreground_threshold + 2;
}

/// Mapping units that the firmware can export and still serve every write when all of them hold data, with
/// all blocks good. 0 if the geometry is too small. Uses flash, unit_bytes, allocation and gc of `config`.
std::uint64_t max_exported_units(const FirmwareConfig& config);

/// The same when each parallel unit has only `superblocks` good superblocks.
std::uint64_t max_exported_units(const FirmwareConfig& config, std::uint32_t superblocks);

}  // namespace solidtlm::fw
