// SPDX-License-Identifier: Apache-2.0
//
// The read cache: its keys, and what it needs.
#include <fmt/format.h>

#include "platform/configuration_keys.h"
#include "platform/configuration_rules.h"

namespace solidtlm::platform {
namespace {

using namespace kinds;

constexpr std::uint64_t kMostReadCache = std::uint64_t{512} << 20;  // hal::kMostFlashOperations

}  // namespace

std::vector<ConfigurationKey> read_cache_keys() {
    return {
        {"firmware.read_cache.size", SOLIDTLM_FIELD(firmware.read_cache.size_bytes), size(0, kMostReadCache),
         "DRAM for data that is read from flash before the host asks for it; 0: nothing is."},
        {"firmware.read_cache.read_ahead", SOLIDTLM_FIELD(firmware.read_cache.ahead_bytes),
         size(512, kMostReadCache),
         "At least this much lies ahead of the host in each stream, and this much is fetched at once; a "
         "multiple of firmware.unit. Each stream needs three times as much of the size."},
        {"firmware.read_cache.streams", SOLIDTLM_FIELD(firmware.read_cache.streams),
         integer(1, 1'024, "streams"),
         "Sequences of reads that are followed at once; each has an equal share of the size."},
        {"firmware.read_cache.trigger", SOLIDTLM_FIELD(firmware.read_cache.trigger),
         integer(1, 1'024, "reads"),
         "Reads that follow each other until they count as a stream; 1: each read begins one."},
    };
}

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
