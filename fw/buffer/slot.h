// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "fw/hal/types.h"

namespace solidtlm::fw {

using Slot = hal::Index<struct SlotTag, std::uint32_t>;  ///< slot of the write buffer
constexpr Slot kNoSlot{0xFFFF'FFFF};
/// Bit i: sector i of a mapping unit. Units have at most 64 sectors.
using SectorMask = std::uint64_t;

}  // namespace solidtlm::fw
