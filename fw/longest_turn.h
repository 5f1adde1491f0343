// SPDX-License-Identifier: Apache-2.0
//
// How long a coroutine of the firmware may keep the core while others are ready (fw/runtime/executor.h). The
// bound is counted from the code: each loop that spends either waits or yields in every round, or has no more
// rounds than the configuration allows. What a boot does alone is not counted.
#pragma once

#include <cstdint>

#include "fw/drive/layout.h"

namespace solidtlm::fw {

/// Cycles of the longest turn, at most. `marks`: the host marks sectors as uncorrectable.
[[nodiscard]] std::uint64_t longest_turn_cycles(const FirmwareConfig& config, const MediaLayout& layout,
                                                bool marks);

}  // namespace solidtlm::fw
