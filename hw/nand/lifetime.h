// SPDX-License-Identifier: Apache-2.0
//
// The number of cycles that a block lasts: the two walls of the bathtub. Its floor is
// FaultConfig::erase_failure.
#pragma once

#include "hw/nand/fault_config.h"

namespace solidtlm::hw {

/// Independent draws of one block, each in [0, 1).
struct LifetimeDraws {
    double wear = 0.0;
    double infant = 0.0;
    double infancy = 0.0;
};

/// Program and erase cycles after which the block fails for good. Infinite if no part of the model applies to
/// it.
[[nodiscard]] double block_lifetime(const LifetimeModel& model, const LifetimeDraws& draws);

}  // namespace solidtlm::hw
