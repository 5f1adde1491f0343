// SPDX-License-Identifier: Apache-2.0
#include "fw/map_cache/cache_policy.h"

#include <array>

#include "fw/hal/check.h"
#include "fw/map_cache/policies.h"

namespace solidtlm::fw {
namespace {

struct Maker {
    std::string_view name;
    std::unique_ptr<CachePolicy> (*make)(const MapCacheConfig&, const MapAreaSize&, const EntrySource&);
    std::uint64_t (*smallest)(const MapCacheConfig&, const MapAreaSize&);
};

/// By MapCachePolicy.
constexpr std::array kMakers{
    Maker{"full_table", nullptr, nullptr},
    Maker{"full_page", make_full_page, smallest_full_page},
    Maker{"half_page", make_half_page, smallest_half_page},
    Maker{"tafp", make_tafp, smallest_tafp},
    Maker{"dftl", make_dftl, smallest_dftl},
    Maker{"bsb", make_bsb, smallest_bsb},
    Maker{"sftl", make_sftl, smallest_sftl},
    Maker{"cftl", make_cftl, smallest_cftl},
    Maker{"tpftl", make_tpftl, smallest_tpftl},
};

const Maker& maker_of(MapCachePolicy policy) {
    return kMakers[static_cast<std::size_t>(policy)];
}

}  // namespace

std::string_view policy_name(MapCachePolicy policy) {
    return maker_of(policy).name;
}

std::uint64_t smallest_cache(const FirmwareConfig& config) {
    const Maker& maker = maker_of(config.map_cache.policy);
    return maker.smallest == nullptr ? 0 : maker.smallest(config.map_cache, map_area_size(config));
}

std::unique_ptr<CachePolicy> make_cache_policy(const FirmwareConfig& config, const MapAreaSize& map,
                                               const EntrySource& entries) {
    SOLIDTLM_CHECK(config.map_cache.policy != MapCachePolicy::full_table &&
                       config.map_cache.size_bytes >= smallest_cache(config),
                   "a policy that caches part of the map, and room for one miss");
    return maker_of(config.map_cache.policy).make(config.map_cache, map, entries);
}

}  // namespace solidtlm::fw
