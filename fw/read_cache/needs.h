// SPDX-License-Identifier: Apache-2.0
//
// What the read cache takes of DRAM, and has under way.
#pragma once

#include "fw/drive/needs.h"

namespace solidtlm::fw {

inline constexpr DramRegion kReadAhead{
    "read cache",
    {"firmware.read_cache.size"},
    [](const FirmwareConfig& config, const MediaLayout& /*layout*/) { return config.read_cache.size_bytes; }};

/// Units that are fetched, each by a task of its own at most: each has a place in the cache.
inline std::uint64_t most_fetches(const FirmwareConfig& config, const MediaLayout& /*layout*/) {
    return config.read_cache.size_bytes / config.unit_bytes;
}
inline constexpr RoomWork kFetches{"read cache", most_fetches, most_fetches};

}  // namespace solidtlm::fw
