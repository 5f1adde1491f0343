// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>

#include "fw/hal/types.h"

namespace solidtlm::testbench {

struct HostConfig {
    std::uint32_t max_sectors =
        2560;                         ///< a read or write command carries, 1-65536; libata's default 1280 KiB
    std::uint32_t queue_depth = 32;   ///< tags the host uses, 1-32; no more than IDENTIFY allows
    std::optional<bool> write_cache;  ///< SET FEATURES at the start; nothing: as the drive powers on
    bool error_log_by_dma = false;    ///< READ LOG DMA EXT instead of READ LOG EXT, where IDENTIFY has it
    hal::ContentMode content = hal::ContentMode::tags;
};

}  // namespace solidtlm::testbench
