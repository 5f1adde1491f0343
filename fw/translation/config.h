// SPDX-License-Identifier: Apache-2.0
//
// What the choice of a translation layer decides.
#pragma once

#include <cstdint>

#include "fw/hal/named.h"

namespace solidtlm::fw {

/// Traits of a translation layer that decide how a drive is laid out. All layers but page_map keep logical
/// blocks together (docs/block-map.md).
struct TranslationTraits {
    bool by_block = true;          ///< keeps logical blocks together
    std::uint32_t least_logs = 0;  ///< least log blocks that it works with; 0: it has none
    bool half_spare = false;       ///< data fill half of a block at most
};
struct TranslationPlan : hal::Named {
    TranslationTraits traits = {};
};

}  // namespace solidtlm::fw
