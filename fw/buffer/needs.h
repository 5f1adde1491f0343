// SPDX-License-Identifier: Apache-2.0
//
// What the write buffer takes of DRAM.
#pragma once

#include "fw/drive/needs.h"

namespace solidtlm::fw {

inline constexpr DramRegion kWriteBuffer{"write buffer",
                                         {"firmware.write_buffer.size"},
                                         [](const FirmwareConfig& config, const MediaLayout& /*layout*/) {
                                             return config.write_buffer.size_bytes;
                                         }};

}  // namespace solidtlm::fw
