// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>

#include "fw/hal/key.h"
#include "fw/hal/types.h"

namespace solidtlm::hw {

/// DDR3-1600 x16 unless said otherwise (JEDEC JESD79-3F, speed bin 11-11-11).
struct DramConfig {
    SOLIDTLM_KEYS(DramConfig);
    SOLIDTLM_KEY_AS("size", std::uint64_t, size_bytes, 512ULL << 20,
                    key.size(4 * hal::kKiB, 1024 * hal::kGiB),
                    "Buffer memory: map table, write buffer, read windows, garbage collection.");
    SOLIDTLM_KEY(double, data_rate_mt_per_s, 1600.0, key.number(1.0, 20'000.0, "MT/s"),
                 "Transfers per second on the data bus.");
    SOLIDTLM_KEY(std::uint32_t, bus_bytes, 2, key.integer(1, 16, "bytes"),
                 "Width of the data bus, a power of two.");
    SOLIDTLM_KEY(std::uint32_t, burst_length, 8, key.integer(1, 32, "transfers"),
                 "Transfers of a burst, a power of two.");
    SOLIDTLM_KEY(std::uint32_t, banks, 8, key.integer(1, 64), "Banks, a power of two.");
    SOLIDTLM_KEY_AS("row_size", std::uint32_t, row_bytes, 2048, key.size(512, 64 * hal::kKiB),
                    "Row of a bank, a power of two.");
    SOLIDTLM_KEY(hal::Ps, t_cas, 13'750, key.duration(Ps{0}, 1us), "CL.");
    SOLIDTLM_KEY(hal::Ps, t_rcd, 13'750, key.duration(Ps{0}, 1us), "Activate to read or write.");
    SOLIDTLM_KEY(hal::Ps, t_rp, 13'750, key.duration(Ps{0}, 1us), "Precharge to activate.");
    SOLIDTLM_KEY_AS(
        "quantum", std::uint32_t, quantum_bytes, 512, key.size(16, 64 * hal::kKiB),
        "A long transfer gives way to the firmware's core after this much; a multiple of a burst.");
    SOLIDTLM_KEY(std::string, arbitration, "round_robin", key.dram_arbitration(), "Who is served next.");
    hal::ContentMode content = hal::ContentMode::tags;
    std::size_t most_requests = 1'048'576;  ///< that may wait at once; set by the platform
};

}  // namespace solidtlm::hw
