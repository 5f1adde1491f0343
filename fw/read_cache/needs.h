// SPDX-License-Identifier: Apache-2.0
//
// What the read cache takes of DRAM, and does on flash.
#pragma once

#include "fw/drive/needs.h"

namespace solidtlm::fw {

inline constexpr DramRegion kReadAhead{
    "read cache",
    {"firmware.read_cache.size"},
    [](const FirmwareConfig& config, const MediaLayout& /*layout*/) { return config.read_cache.size_bytes; }};

/// Units that are fetched: each has a place in the cache.
inline constexpr FlashWork kFetches{"read cache",
                                    [](const FirmwareConfig& config, const MediaLayout& /*layout*/) {
                                        return config.read_cache.size_bytes / config.unit_bytes;
                                    }};

}  // namespace solidtlm::fw
