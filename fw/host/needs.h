// SPDX-License-Identifier: Apache-2.0
//
// What carrying commands out takes of DRAM.
#pragma once

#include "fw/drive/needs.h"

namespace solidtlm::fw {

/// Segments of reads that are gathered and sent: two for each command that is carried out.
inline constexpr DramRegion kReadWindows{"read windows",
                                         {"firmware.read_segment", "host.interface", "nvme.command_slots"},
                                         [](const FirmwareConfig& config, const MediaLayout& /*layout*/) {
                                             return std::uint64_t{config.command_slots} * 2 *
                                                    config.read_segment_bytes;
                                         }};

}  // namespace solidtlm::fw
