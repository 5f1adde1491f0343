// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>

#include "fw/hal/types.h"

namespace solidtlm::hw {

/// An NVMe controller with one namespace of 512-byte sectors.
struct NvmeConfig {
    std::uint32_t queues = 64;           ///< pairs of I/O queues, 1-64
    std::uint32_t queue_entries = 1024;  ///< of the largest queue, 2-65536 (CAP.MQES + 1)
    std::uint32_t command_slots = 64;    ///< commands that are fetched and not answered
    std::uint32_t vectors = 65;          ///< of MSI-X, 1-65
    bool write_cache = true;             ///< state of the volatile write cache after a reset
    std::uint64_t exported_sectors = 0;  ///< capacity
    hal::ContentMode content = hal::ContentMode::bytes;
    std::string model = "SolidTLM NVMe SSD";
    std::string serial = "STLM0001";
    std::string firmware_revision = "0.2.0";
};

}  // namespace solidtlm::hw
