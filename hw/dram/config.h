// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>

#include "fw/hal/types.h"

namespace solidtlm::hw {

/// DDR3-1600 x16 unless said otherwise (JEDEC JESD79-3F, speed bin 11-11-11).
struct DramConfig {
    std::uint64_t size_bytes = 512ULL << 20;
    double data_rate_mt_per_s = 1600.0;  ///< transfers a second on the data bus
    std::uint32_t bus_bytes = 2;         ///< width of the data bus
    std::uint32_t burst_length = 8;
    std::uint32_t banks = 8;
    std::uint32_t row_bytes = 2048;
    hal::Ps t_cas{13'750};  ///< CL
    hal::Ps t_rcd{13'750};
    hal::Ps t_rp{13'750};
    std::uint32_t quantum_bytes = 512;        ///< a long transfer gives way to the core after this much
    std::string arbitration = "round_robin";  ///< one of dram_arbitrations()
    hal::ContentMode content = hal::ContentMode::tags;
};

}  // namespace solidtlm::hw
