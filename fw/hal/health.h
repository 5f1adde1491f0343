// SPDX-License-Identifier: Apache-2.0
//
// What firmware knows of the drive's health. The device derives SMART data and the Device Statistics log
// from it.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "fw/hal/types.h"

namespace solidtlm::hal {

struct HealthReport {
    // Since the drive was made, as long as power_on_resets is known; else since power came back.
    std::uint64_t read_commands = 0;  ///< that ended without an error, as all of these
    std::uint64_t write_commands = 0;
    std::uint64_t sectors_read = 0;
    std::uint64_t sectors_written = 0;
    std::uint64_t uncorrectable_errors = 0;  ///< commands that ended with one
    Ps powered{0};
    std::uint64_t retired_blocks = 0;  ///< NAND blocks taken out of service

    /// Unknown once power was lost: the count was in DRAM.
    std::optional<std::uint32_t> power_on_resets = 1;
    /// What is left of the superblocks beyond those that the exported capacity needs.
    std::uint32_t reserve_percent = 100;
    std::uint32_t percentage_used = 0;  ///< of the rated erases, on average; may exceed 100
    bool read_only = false;             ///< takes no more writes
    std::string_view read_only_why;     ///< in words; empty: it is not
    /// By the firmware's clock; none: it is not, or it was when it was loaded.
    std::optional<Ps> read_only_since;
};

}  // namespace solidtlm::hal
