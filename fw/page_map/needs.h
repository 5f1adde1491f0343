// SPDX-License-Identifier: Apache-2.0
//
// What page mapping takes of flash, and has under way.
#pragma once

#include <cstdint>

#include "fw/drive/layout.h"
#include "fw/drive/needs.h"
#include "fw/flash/streams.h"

namespace solidtlm::fw {

/// Superblocks of a parallel unit that can never hold exported data: the free ones that host writes may not
/// touch, the open one of garbage collection, and one superblock's worth of invalid units without which
/// collecting a victim would not gain a free superblock; and superblocks_kept_by_slc().
std::uint32_t reserved_superblocks(const FirmwareConfig& config);

/// The most mapping units that can be exported and still be overwritten for ever, if the data area has
/// `superblocks` of each parallel unit (if dies differ, of the largest; smaller ones lack as many blocks of
/// their own as it does). 0 if there are too few.
std::uint64_t most_mapped_units(const FirmwareConfig& config, std::uint32_t superblocks);

/// A page at a time that the task of patrol looks at.
inline std::uint64_t most_patrolled(const FirmwareConfig& config, const MediaLayout& /*layout*/) {
    return config.reliability.patrol > Ps{0} ? 1 : 0;
}
inline constexpr RoomWork kPatrolReads{"patrol", most_patrolled, most_patrolled};

}  // namespace solidtlm::fw
