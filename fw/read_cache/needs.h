// SPDX-License-Identifier: Apache-2.0
//
// What the read cache takes of DRAM.
#pragma once

#include "fw/drive/needs.h"

namespace solidtlm::fw {

inline constexpr DramRegion kReadAhead{
    "read cache",
    {"firmware.read_cache.size"},
    [](const FirmwareConfig& config, const MediaLayout& /*layout*/) { return config.read_cache.size_bytes; }};

}  // namespace solidtlm::fw
