// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "fw/hal/types.h"
#include "hw/sata/config.h"

namespace solidtlm::hw {

/// A host bus adapter. Its times are 0 by default. Bus and memory of a platform add their own times to the
/// delays of the DMA socket.
struct AhciConfig {
    std::uint32_t ports = 1;         ///< 1-32 (CAP.NP, PI)
    bool staggered_spin_up = false;  ///< CAP.SSS: a port begins when its driver sets PxCMD.SUD
    SataGeneration generation = SataGeneration::gen3;  ///< CAP.ISS: the fastest it says it can
    hal::Ps register_access{0};                        ///< from the processor to the adapter and back
    hal::Ps dma_access{0};                             ///< of each access, before its first byte
    hal::Ps dma_dword{0};                              ///< of each dword that an access moves
    std::uint32_t dma_burst_bytes = 0;  ///< the longest access, a power of two that none crosses; 0: no limit
    hal::Ps phy_time{0};                ///< from the end of COMRESET until both sides have found their speed
};

}  // namespace solidtlm::hw
