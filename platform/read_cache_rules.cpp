// SPDX-License-Identifier: Apache-2.0
//
// What the read cache needs.
#include <fmt/format.h>

#include "platform/configuration_rules.h"

namespace solidtlm::platform {

void check_read_cache(const Configuration& c, Rules& rules) {
    const fw::ReadCacheConfig& cache = c.firmware.read_cache;
    if (!cache.any()) {
        return;
    }
    const std::uint64_t unit = c.firmware.unit_bytes;
    const bool whole = cache.ahead_bytes % unit == 0;
    rules.require(whole, {"firmware.read_cache.read_ahead", "firmware.unit"},
                  fmt::format("found {} bytes; allowed: a multiple of firmware.unit ({} bytes)",
                              cache.ahead_bytes, unit));
    const std::uint64_t least = fw::ReadCacheConfig::kLeastShare * cache.ahead_bytes * cache.streams;
    rules.require(
        !whole || cache.size_bytes >= least,
        {"firmware.read_cache.size", "firmware.read_cache.read_ahead", "firmware.read_cache.streams"},
        fmt::format("found {} bytes; allowed: 0, or at least {} ({} times read_ahead for each of {} "
                    "streams)",
                    cache.size_bytes, least, fw::ReadCacheConfig::kLeastShare, cache.streams));
}

}  // namespace solidtlm::platform
