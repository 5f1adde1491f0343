// SPDX-License-Identifier: Apache-2.0
//
// How each policy is made, and the least it needs; one file a policy. Internal to the map cache:
// make_cache_policy() chooses.
#pragma once

#include "fw/map_cache/cache_policy.h"

namespace solidtlm::fw {

// Bytes of bookkeeping (docs/map-cache.md, "Budget").
constexpr std::uint32_t kTagBytes = 4;     ///< first LPN or translation page in 31 bits, dirty bit
constexpr std::uint32_t kLinkBytes = 4;    ///< two 16-bit slot numbers
constexpr std::uint32_t kHashBytes = 4;    ///< chain and bucket head
constexpr std::uint32_t kLengthBytes = 2;  ///< entries of a run, where it varies
constexpr std::uint32_t kRunHeaderBytes = kTagBytes + kLinkBytes + kHashBytes;
/// A single entry: LPN with the dirty bit, address with the segment, links, hash.
constexpr std::uint32_t kDftlEntryBytes = kTagBytes + kMapEntryBytes + kLinkBytes + kHashBytes;

std::unique_ptr<CachePolicy> make_full_page(const MapCacheConfig& config, const MapAreaSize& map,
                                            const EntrySource& entries);
std::uint64_t smallest_full_page(const MapCacheConfig& config, const MapAreaSize& map);
std::unique_ptr<CachePolicy> make_half_page(const MapCacheConfig& config, const MapAreaSize& map,
                                            const EntrySource& entries);
std::uint64_t smallest_half_page(const MapCacheConfig& config, const MapAreaSize& map);
std::unique_ptr<CachePolicy> make_tafp(const MapCacheConfig& config, const MapAreaSize& map,
                                       const EntrySource& entries);
std::uint64_t smallest_tafp(const MapCacheConfig& config, const MapAreaSize& map);
std::unique_ptr<CachePolicy> make_dftl(const MapCacheConfig& config, const MapAreaSize& map,
                                       const EntrySource& entries);
std::uint64_t smallest_dftl(const MapCacheConfig& config, const MapAreaSize& map);
std::unique_ptr<CachePolicy> make_bsb(const MapCacheConfig& config, const MapAreaSize& map,
                                      const EntrySource& entries);
std::uint64_t smallest_bsb(const MapCacheConfig& config, const MapAreaSize& map);
std::unique_ptr<CachePolicy> make_tpftl(const MapCacheConfig& config, const MapAreaSize& map,
                                        const EntrySource& entries);
std::uint64_t smallest_tpftl(const MapCacheConfig& config, const MapAreaSize& map);
std::unique_ptr<CachePolicy> make_sftl(const MapCacheConfig& config, const MapAreaSize& map,
                                       const EntrySource& entries);
std::uint64_t smallest_sftl(const MapCacheConfig& config, const MapAreaSize& map);
std::unique_ptr<CachePolicy> make_cftl(const MapCacheConfig& config, const MapAreaSize& map,
                                       const EntrySource& entries);
std::uint64_t smallest_cftl(const MapCacheConfig& config, const MapAreaSize& map);

}  // namespace solidtlm::fw
