// SPDX-License-Identifier: Apache-2.0
//
// The data of DATA SET MANAGEMENT / TRIM (ACS-3 7.6): 512-byte blocks of 64 little-endian 8-byte entries,
// LBA in bits 47:0, length in sectors in bits 63:48. An entry of length 0 is padding.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "fw/hal/host.h"

namespace solidtlm::hw {

constexpr std::uint32_t kDsmBlockBytes = 512;
constexpr std::uint32_t kDsmEntriesPerBlock = 64;
constexpr std::uint32_t kMaxDsmEntrySectors = 65535;

/// Appends the entries of `blocks` that are not empty to `ranges`. Returns false, with `ranges` as it stood
/// before the offending entry and that entry's LBA in `bad`, when an entry reaches past `capacity_sectors`.
bool parse_dsm(std::span<const std::byte> blocks, std::uint64_t capacity_sectors,
               std::vector<hal::TrimRange>& ranges, hal::Lba& bad);

/// Writes `ranges` into `blocks` (resized to whole zero-padded blocks; its memory is reused).
/// REQUIRES: every range has at most kMaxDsmEntrySectors sectors.
void encode_dsm(std::span<const hal::TrimRange> ranges, std::vector<std::byte>& blocks);

}  // namespace solidtlm::hw
