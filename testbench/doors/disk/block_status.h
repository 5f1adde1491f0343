// SPDX-License-Identifier: Apache-2.0
//
// NBD's block status: which sectors are unmapped, and which read as zeros.
#pragma once

#include <cstdint>
#include <vector>

#include "testbench/doors/disk/channel.h"
#include "testbench/sim/simulation.h"

namespace solidtlm::testbench::disk {

/// The state of sectors [first, first + count), or of the beginning of that range: at most kMostExtents
/// extents, and at most kMostSectors sectors that were ever written. Zero: the shadow model says that the
/// sectors read as zeros. Hole: they also are not mapped, the whole mapping unit included. REQUIRES: sectors
/// of the drive, at least one.
[[nodiscard]] std::vector<Extent> block_status(const BuiltDrive& drive, std::uint64_t first,
                                               std::uint64_t count);

/// 256 MiB; looking at them takes milliseconds
constexpr std::uint64_t kMostSectors = std::uint64_t{1} << 19U;

}  // namespace solidtlm::testbench::disk
