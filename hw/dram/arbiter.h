// SPDX-License-Identifier: Apache-2.0
//
// Chooses the class of ports that the DRAM serves next if several wait. The core does not queue: it preempts.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>

#include "fw/hal/named.h"

namespace solidtlm::hw {

/// Classes of DRAM ports that queue, in order of fixed priority.
enum class DramQueue : std::uint8_t { host, flash, hash };
constexpr std::size_t kDramQueues = 3;

/// Arrival number of each class's oldest request, or kNoRequest.
using DramHeads = std::array<std::uint64_t, kDramQueues>;
constexpr std::uint64_t kNoRequest = ~std::uint64_t{0};

/// A value of dram.arbitration.
struct DramArbitration : hal::Named {
    /// `last`: the class that was served last, whether others waited then or not. REQUIRES: a class waits.
    DramQueue (*pick)(const DramHeads& heads, DramQueue last);
};

/// The policies in hw/dram/arbitration.
std::span<const DramArbitration* const> dram_arbitrations();

}  // namespace solidtlm::hw
