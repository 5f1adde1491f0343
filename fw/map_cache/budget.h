// SPDX-License-Identifier: Apache-2.0
//
// Sizes in bytes of the structures that find and order entries (docs/map-cache.md, "Budget"). Internal to the
// map cache.
#pragma once

#include <cstdint>

#include "fw/map_cache/cache_policy.h"

namespace solidtlm::fw {

constexpr std::uint32_t kTagBytes = 4;     ///< first LPN or translation page in 31 bits, dirty bit
constexpr std::uint32_t kLinkBytes = 4;    ///< two 16-bit slot numbers
constexpr std::uint32_t kHashBytes = 4;    ///< chain and bucket head
constexpr std::uint32_t kLengthBytes = 2;  ///< entries of a run of variable length
constexpr std::uint32_t kRunHeaderBytes = kTagBytes + kLinkBytes + kHashBytes;
/// A single entry: LPN with the dirty bit, address with the segment, links, hash.
constexpr std::uint32_t kDftlEntryBytes = kTagBytes + kMapEntryBytes + kLinkBytes + kHashBytes;

}  // namespace solidtlm::fw
