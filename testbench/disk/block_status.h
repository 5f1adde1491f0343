// SPDX-License-Identifier: Apache-2.0
//
// NBD's block status: where nothing is mapped, and where zeros are read.
#pragma once

#include <cstdint>
#include <vector>

#include "testbench/disk/channel.h"
#include "testbench/simulation/simulation.h"

namespace solidtlm::testbench::disk {

/// The state of sectors [first, first + count), or of a part that begins at `first`: at most kMostExtents
/// extents, and kMostSectors of what was ever written. Zero: as the shadow model knows it. Hole: zero, and
/// the firmware maps none of the unit. REQUIRES: sectors of the drive, at least one.
[[nodiscard]] std::vector<Extent> block_status(const BuiltDrive& drive, std::uint64_t first,
                                               std::uint64_t count);

constexpr std::uint64_t kMostSectors = std::uint64_t{1} << 19U;  ///< 256 MiB, which takes milliseconds

}  // namespace solidtlm::testbench::disk
