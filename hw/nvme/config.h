// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>

#include "fw/hal/key.h"
#include "fw/hal/types.h"

namespace solidtlm::hw {

/// An NVMe controller with one namespace of 512-byte sectors.
struct NvmeConfig {
    SOLIDTLM_KEYS(NvmeConfig);
    SOLIDTLM_KEY(std::uint32_t, queues, 64, key.integer(1, 64),
                 "Pairs of I/O queues that the controller has (nvme.md).");
    SOLIDTLM_KEY(std::uint32_t, queue_entries, 1024, key.integer(2, 65'536, "entries"),
                 "Of the largest queue (CAP.MQES + 1).");
    SOLIDTLM_KEY(std::uint32_t, command_slots, 64, key.integer(1, 4'096, "commands"),
                 "Commands that are fetched and not answered; firmware carries out as many at once, each "
                 "with two read windows of firmware.read_segment in DRAM.");
    SOLIDTLM_KEY(std::uint32_t, vectors, 65, key.integer(1, 65), "Of MSI-X.");
    SOLIDTLM_KEY(bool, write_cache, true, key.boolean(), "Power-on state of the volatile write cache.");
    SOLIDTLM_KEY(std::string, model, "SolidTLM NVMe SSD", key.printable(1, 40), "Identify Controller, MN.");
    SOLIDTLM_KEY(std::string, serial, "STLM0001", key.printable(1, 20), "Identify Controller, SN.");
    SOLIDTLM_KEY(std::string, firmware_revision, "0.2.0", key.printable(1, 8), "Identify Controller, FR.");
    std::uint64_t exported_sectors = 0;  ///< capacity
    hal::ContentMode content = hal::ContentMode::bytes;
};

}  // namespace solidtlm::hw
