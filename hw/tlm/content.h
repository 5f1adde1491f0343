// SPDX-License-Identifier: Apache-2.0
//
// Converts between the 512 bytes of a sector and the 64-bit number that the model keeps in their place, the
// sector's content identity.
//
// Identity 0 is a sector of zeros. Any other identity, scattered by one step of SplitMix64 (Steele, Lea,
// Flood 2014, figure 17), is the seed of a SplitMix64 generator whose first 64 outputs, little endian, fill
// the sector. One step of SplitMix64 is a bijection of its seed, so sectors with different identities already
// differ in their first eight bytes, and the identity can be recovered from the content. Consecutive
// identities, which neighbouring sectors often have (tag_run.h), give unrelated content.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>

#include "fw/hal/types.h"

namespace solidtlm::hw {

using SectorContent = std::array<std::byte, hal::kSectorBytes>;

/// One step of SplitMix64 from state `seed`: a bijection of 64-bit numbers that scatters neighbouring seeds.
[[nodiscard]] constexpr std::uint64_t split_mix64(std::uint64_t seed) {
    std::uint64_t mixed = seed + 0x9E3779B97F4A7C15U;
    mixed = (mixed ^ (mixed >> 30U)) * 0xBF58476D1CE4E5B9U;
    mixed = (mixed ^ (mixed >> 27U)) * 0x94D049BB133111EBU;
    return mixed ^ (mixed >> 31U);
}

/// Fills `sector` with the content that belongs to `identity`.
void expand_content(std::uint64_t identity, std::span<std::byte, hal::kSectorBytes> sector);

/// The identity that expands to this content, or nothing if none does.
[[nodiscard]] std::optional<std::uint64_t> identify_content(
    std::span<const std::byte, hal::kSectorBytes> sector);

}  // namespace solidtlm::hw
