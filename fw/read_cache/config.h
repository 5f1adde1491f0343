// SPDX-License-Identifier: Apache-2.0
//
// Keys of the read cache.
#pragma once

#include <cstdint>

#include "fw/hal/key.h"
#include "fw/hal/types.h"

namespace solidtlm::fw {

/// What the host is expected to read next is fetched from flash before it asks (fw/read_cache).
struct ReadCacheConfig {
    SOLIDTLM_KEYS(ReadCacheConfig);
    SOLIDTLM_KEY_AS("size", std::uint64_t, size_bytes, 0, key.size(0, 512 * hal::kMiB),
                    "DRAM for data that is read from flash before the host asks for it; 0: nothing is.");
    SOLIDTLM_KEY_AS("read_ahead", std::uint64_t, ahead_bytes, 128ULL << 10, key.size(512, 512 * hal::kMiB),
                    "At least this much lies ahead of the host in each stream, and this much is fetched at "
                    "once; a multiple of firmware.unit. Each stream needs three times as much of the size.");
    SOLIDTLM_KEY(std::uint32_t, streams, 4, key.integer(1, 1'024, "streams"),
                 "Sequences of reads that are followed at once; each has an equal share of the size.");
    SOLIDTLM_KEY(std::uint32_t, trigger, 2, key.integer(1, 1'024, "reads"),
                 "Reads that follow each other until they count as a stream; 1: each read begins one.");

    [[nodiscard]] bool any() const { return size_bytes > 0; }
    /// Mapping units that each stream has room for.
    [[nodiscard]] std::uint32_t share(std::uint32_t unit_bytes) const {
        return static_cast<std::uint32_t>(size_bytes / unit_bytes / streams);
    }
    /// Least room of a stream in multiples of ahead_bytes: one for what the host reads, one for what lies
    /// ahead of it, one for what is on its way.
    static constexpr std::uint32_t kLeastShare = 3;
};

}  // namespace solidtlm::fw
