// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <limits>

namespace solidtlm::testbench {

/// A value instead of a number of commands: the warm-up lasts until the drive is steady.
constexpr std::uint64_t kUntilSteady = std::numeric_limits<std::uint64_t>::max();
/// The warm-up lasts one collection round (show/run_state.h).
constexpr std::uint64_t kOneRound = kUntilSteady - 1;

}  // namespace solidtlm::testbench
