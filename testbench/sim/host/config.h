// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>

#include "fw/hal/types.h"

namespace solidtlm::testbench {

struct HostConfig {
    std::uint32_t max_sectors =
        2560;  ///< most sectors per read or write command, 1-65536; libata's default is 1280 KiB
    std::uint32_t queue_depth = 32;   ///< tags that the host uses, at least 1; IDENTIFY may reduce the number
    std::optional<bool> write_cache;  ///< SET FEATURES at the start; nothing: as after power-on
    bool error_log_by_dma = false;    ///< use READ LOG DMA EXT instead of READ LOG EXT if IDENTIFY offers it
    hal::ContentMode content = hal::ContentMode::tags;
    /// requests that arrive at this time or later are not sent, and end the source
    hal::Ps until = hal::Ps::max();
    hal::Ps submit_time{0};    ///< processor time before a command goes to the link
    hal::Ps complete_time{0};  ///< processor time for each completion that an interrupt reports
    /// Time per status of a host bus adapter with its own firmware. The adapter serves statuses one after
    /// another, in order of arrival. Commands other than reads count as writes.
    hal::Ps hba_read_time{0};
    hal::Ps hba_write_time{0};
    /// From the end of that time until the processor is interrupted; occupies no resource.
    hal::Ps interrupt_latency{0};
    /// Command Completion Coalescing (AHCI 1.3.1, section 11): an interrupt is raised when commands have been
    /// outstanding for this time since the last interrupt (CCC_CTL.TV, which is in ms); 0: one interrupt per
    /// completion.
    hal::Ps coalesce_time{0};
    /// an interrupt is also raised after this many completions (CCC_CTL.CC); 0: never
    std::uint32_t coalesce_completions = 0;
};

}  // namespace solidtlm::testbench
