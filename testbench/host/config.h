// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>

#include "fw/hal/types.h"

namespace solidtlm::testbench {

struct HostConfig {
    std::uint32_t max_sectors =
        2560;                         ///< a read or write command carries, 1-65536; libata's default 1280 KiB
    std::uint32_t queue_depth = 32;   ///< tags the host uses, at least 1; no more than IDENTIFY allows
    std::optional<bool> write_cache;  ///< SET FEATURES at the start; nothing: as the drive powers on
    bool error_log_by_dma = false;    ///< READ LOG DMA EXT instead of READ LOG EXT, where IDENTIFY has it
    hal::ContentMode content = hal::ContentMode::tags;
    hal::Ps until = hal::Ps::max();  ///< requests that arrive from then on are not sent, and end the source
    hal::Ps submit_time{0};          ///< of the host's processor, before a command goes to the link
    hal::Ps complete_time{0};        ///< of the host's processor, for each command that an interrupt tells of
    /// Time that a host bus adapter with firmware of its own takes for each status. It serves statuses one
    /// after another, in order of arrival. Commands other than reads count as writes.
    hal::Ps hba_read_time{0};
    hal::Ps hba_write_time{0};
    /// From there until the processor is interrupted; occupies nothing.
    hal::Ps interrupt_latency{0};
    /// Command Completion Coalescing (AHCI 1.3.1, section 11): an interrupt after this time with commands
    /// outstanding (CCC_CTL.TV, there in ms), which counts from the last one; 0: one for each completion.
    hal::Ps coalesce_time{0};
    std::uint32_t coalesce_completions = 0;  ///< and after this many of them (CCC_CTL.CC); 0: by time alone
};

}  // namespace solidtlm::testbench
