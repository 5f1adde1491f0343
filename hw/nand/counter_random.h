// SPDX-License-Identifier: Apache-2.0
//
// Random numbers that depend on the event for which they are drawn, and not on earlier draws: a hash of the
// seed and of words that name the event. So results do not depend on the order of events.
#pragma once

#include <cstdint>

#include "fw/hal/types.h"

namespace solidtlm::hw {

/// A word that identifies a block.
[[nodiscard]] constexpr std::uint64_t place_word(const hal::FlashAddress& block) {
    return std::uint64_t{block.channel.value} << 56U | std::uint64_t{block.die.value} << 40U |
           std::uint64_t{block.plane.value} << 32U | block.block.value;
}

/// A number in [0, 1) with 53 bits.
[[nodiscard]] constexpr double unit_interval(std::uint64_t hash) {
    return static_cast<double>(hash >> 11U) * 0x1p-53;
}

}  // namespace solidtlm::hw
