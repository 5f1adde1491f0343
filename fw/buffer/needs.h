// SPDX-License-Identifier: Apache-2.0
//
// What the write buffer takes of DRAM, and does on flash.
#pragma once

#include "fw/drive/needs.h"

namespace solidtlm::fw {

inline constexpr DramRegion kWriteBuffer{"write buffer",
                                         {"firmware.write_buffer.size"},
                                         [](const FirmwareConfig& config, const MediaLayout& /*layout*/) {
                                             return config.write_buffer.size_bytes;
                                         }};

/// Units of the write buffer that are completed by reads, or programmed: an operation has at least one of
/// them to itself.
inline constexpr FlashWork kDestaging{"destaging",
                                      [](const FirmwareConfig& config, const MediaLayout& /*layout*/) {
                                          return config.write_buffer.size_bytes / config.unit_bytes;
                                      }};

}  // namespace solidtlm::fw
