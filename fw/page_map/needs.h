// SPDX-License-Identifier: Apache-2.0
//
// What page mapping takes of flash, and does there.
#pragma once

#include <cstdint>

#include "fw/drive/needs.h"

namespace solidtlm::fw {

/// Superblocks of a parallel unit that can never hold exported data: the free ones that host writes may not
/// touch, the open one of garbage collection, and one superblock's worth of invalid units without which
/// collecting a victim would not gain a free superblock; with a static SLC cache also its own, and one more,
/// so that folding finds space in the end. Superblocks that a dynamic SLC cache has taken need no reserve:
/// emptying one gains more space than emptying any other. But if the host always writes to the cache, one
/// superblock in normal mode may stay unfinished.
std::uint32_t reserved_superblocks(const FirmwareConfig& config);

/// The most mapping units that can be exported and still be overwritten for ever, if the data area has
/// `superblocks` of each parallel unit (if dies differ, of the largest; smaller ones lack as many blocks of
/// their own as it does). 0 if there are too few.
std::uint64_t most_mapped_units(const FirmwareConfig& config, std::uint32_t superblocks);

/// A page at a time that patrol looks at.
inline constexpr FlashWork kPatrolReads{
    "patrol", [](const FirmwareConfig& config, const MediaLayout& /*layout*/) -> std::uint64_t {
        return config.reliability.patrol > Ps{0} ? 1 : 0;
    }};

}  // namespace solidtlm::fw
