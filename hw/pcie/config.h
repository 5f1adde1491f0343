// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "fw/hal/types.h"

namespace solidtlm::hw {

/// Speed of a lane: 2.5 and 5 GT/s with 8b/10b, 8, 16 and 32 GT/s with 128b/130b.
enum class PcieGeneration : std::uint8_t { gen1 = 1, gen2, gen3, gen4, gen5 };

/// The part of the line's time that ACK and flow control DLLPs and SKP ordered sets take
/// (hw/pcie/tlp_timing.h).
enum class PcieDllps : std::uint8_t {
    guide,     ///< a pair after as many bytes as the standard's guide value has symbol times
    per_lane,  ///< as many bytes on each lane
    none,
};

/// A PCI Express link with the root at its other end.
struct PcieConfig {
    PcieGeneration generation = PcieGeneration::gen3;
    std::uint32_t lanes = 4;               ///< 1, 2 or 4
    std::uint32_t max_payload = 256;       ///< MPS, bytes: 128-4096, a power of two
    std::uint32_t max_read_request = 512;  ///< MRRS, bytes: 128-4096, a power of two
    std::uint32_t completion_bytes = 0;    ///< most bytes of a completion; 0: MPS. Old roots: 64, the RCB
    bool ecrc = false;                     ///< end-to-end CRC: 4 bytes more for each TLP
    hal::Ps root_latency{500'000};         ///< from the end of a read request until its data begin
    PcieDllps dllps = PcieDllps::guide;
};

}  // namespace solidtlm::hw
