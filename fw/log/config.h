// SPDX-License-Identifier: Apache-2.0
//
// Keys of the recovery log.
#pragma once

#include <cstdint>

#include "fw/hal/key.h"
#include "fw/hal/types.h"

namespace solidtlm::fw {

/// Which TRIMs survive a loss of power.
enum class TrimPersistence : std::uint8_t {
    lazy,       ///< none: trimmed data may come back until it is written again
    journal,    ///< those before a FLUSH
    immediate,  ///< all that have completed
};

struct RecoveryConfig {
    SOLIDTLM_KEYS(RecoveryConfig);
    SOLIDTLM_KEY_AS("trim.persist", TrimPersistence, trims, TrimPersistence::lazy,
                    key.enumerator({"lazy", "journal", "immediate"}),
                    "What of a TRIM survives a power cut. lazy: nothing; journal: what a FLUSH followed; "
                    "immediate: every TRIM that has completed.");
    SOLIDTLM_KEY_AS("recovery.checkpoint_interval", std::uint64_t, checkpoint_interval, 0,
                    key.size(0, 1024 * hal::kGiB),
                    "A checkpoint of the map on flash after this much was programmed, which bounds the time "
                    "of a boot after a power cut; 0: none.");
};

}  // namespace solidtlm::fw
