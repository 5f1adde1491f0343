// SPDX-License-Identifier: Apache-2.0
//
// The health of the drive as its firmware knows it. The device derives SMART data and the Device Statistics
// log from it.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "fw/hal/types.h"

namespace solidtlm::hal {

struct HealthReport {
    // Counts since the drive was made, or if power_on_resets is unknown, since power came back.
    std::uint64_t read_commands = 0;  ///< commands that ended without an error, like the following counts
    std::uint64_t write_commands = 0;
    std::uint64_t sectors_read = 0;
    std::uint64_t sectors_written = 0;
    std::uint64_t uncorrectable_errors = 0;  ///< commands that ended with this error
    Ps powered{0};
    std::uint64_t retired_blocks = 0;  ///< NAND blocks taken out of service

    /// None once power was lost, because the count was in DRAM.
    std::optional<std::uint32_t> power_on_resets = 1;
    /// Superblocks that remain in reserve, in percent of those beyond what the exported capacity needs.
    std::uint32_t reserve_percent = 100;
    std::uint32_t percentage_used = 0;  ///< of the rated erases, on average; may exceed 100
    bool read_only = false;             ///< the drive takes no more writes
    std::string_view read_only_why;     ///< the reason in words; empty if it takes writes
    /// By the firmware's clock; none if the drive takes writes, or did not when its state was loaded.
    std::optional<Ps> read_only_since;
};

}  // namespace solidtlm::hal
