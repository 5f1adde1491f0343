// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "fw/hal/key.h"
#include "fw/hal/types.h"
#include "hw/sata/config.h"

namespace solidtlm::hw {

/// A host bus adapter. Its times are 0 by default. Bus and memory of a platform add their own times to the
/// delays of the DMA socket.
struct AhciConfig {
    SOLIDTLM_KEYS(AhciConfig);
    SOLIDTLM_KEY(hal::Ps, register_access, 0, key.duration(Ps{0}, 1s),
                 "Of the driver's processor, for each access to a register.");
    SOLIDTLM_KEY(hal::Ps, dma_access, 0, key.duration(Ps{0}, 1s),
                 "Of the adapter, for each access to memory, before its first byte.");
    SOLIDTLM_KEY(hal::Ps, dma_dword, 0, key.duration(Ps{0}, 1s),
                 "Of the adapter, for each dword that an access touches.");
    SOLIDTLM_KEY_AS("dma_burst_size", std::uint32_t, dma_burst_bytes, 0, key.size(0, 4 * hal::kMiB),
                    "The longest access to memory, a power of two that none crosses; 0: no limit.");
    std::uint32_t ports = 1;         ///< 1-32 (CAP.NP, PI)
    bool staggered_spin_up = false;  ///< CAP.SSS: a port begins when its driver sets PxCMD.SUD
    SataGeneration generation = SataGeneration::gen3;  ///< CAP.ISS: the fastest it says it can
    hal::Ps phy_time{0};  ///< from the end of COMRESET until both sides have found their speed
};

}  // namespace solidtlm::hw
