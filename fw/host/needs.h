// SPDX-License-Identifier: Apache-2.0
//
// What carrying commands out takes of DRAM, and has under way.
#pragma once

#include "fw/drive/needs.h"

namespace solidtlm::fw {

/// Segments of reads that are gathered and sent: two for each command that is carried out.
inline constexpr DramRegion kReadWindows{"read windows",
                                         {"firmware.read_segment", "nvme.command_slots", "host.interface"},
                                         [](const FirmwareConfig& config, const MediaLayout& /*layout*/) {
                                             return std::uint64_t{config.command_slots} * 2 *
                                                    config.read_segment_bytes;
                                         }};

/// Reads of one segment for each command: the reads of the next one begin when these have ended. A task for
/// each command, one that fetches them, and one that flushes while the host is idle.
inline constexpr RoomWork kCommands{"commands",
                                    [](const FirmwareConfig& config, const MediaLayout& /*layout*/) {
                                        return std::uint64_t{config.command_slots} *
                                               (config.read_segment_bytes / config.unit_bytes);
                                    },
                                    [](const FirmwareConfig& config, const MediaLayout& /*layout*/) {
                                        return std::uint64_t{config.command_slots} + 2;
                                    }};

}  // namespace solidtlm::fw
