// SPDX-License-Identifier: Apache-2.0
//
// What the write buffer takes of DRAM, and has under way.
#pragma once

#include "fw/drive/needs.h"

namespace solidtlm::fw {

inline constexpr DramRegion kWriteBuffer{"write buffer",
                                         {"firmware.write_buffer.size"},
                                         [](const FirmwareConfig& config, const MediaLayout& /*layout*/) {
                                             return config.write_buffer.size_bytes;
                                         }};

/// Units of the write buffer that are completed by reads, or programmed, or wait for a record: an operation
/// and a task have at least one of them to themselves. One more task chooses them.
inline constexpr RoomWork kDestaging{"destaging",
                                     [](const FirmwareConfig& config, const MediaLayout& /*layout*/) {
                                         return config.write_buffer.size_bytes / config.unit_bytes;
                                     },
                                     [](const FirmwareConfig& config, const MediaLayout& /*layout*/) {
                                         return config.write_buffer.size_bytes / config.unit_bytes + 1;
                                     }};

}  // namespace solidtlm::fw
