// SPDX-License-Identifier: Apache-2.0
//
// Makes the general purpose logs that READ LOG EXT and READ LOG DMA EXT return (ACS-3 clause 9 and annex A):
// directory 00h, NCQ Command Error 10h, NCQ Send and Receive 13h, Identify Device Data 30h; Device Statistics
// 04h is in health_pages.h.
#pragma once

#include <cstdint>
#include <optional>
#include <span>

#include "fw/hal/types.h"
#include "hw/sata/log_page.h"

namespace solidtlm::hw {

/// The error that halted the queue.
struct NcqError {
    bool non_queued = false;  ///< NQ: a non-queued command was the cause, `tag` is meaningless
    std::uint8_t tag = 0;
    std::uint8_t status = 0;
    std::uint8_t error = 0;
    hal::Lba lba;
    std::uint8_t device = 0;
    std::uint16_t count = 0;
};

/// Number of pages of the log; 0 if there is no such log.
std::uint32_t log_pages(std::uint8_t address);

/// Log 10h; all zeros except the checksum if nothing has failed since the last reset.
LogPage ncq_error_log(const std::optional<NcqError>& error);
/// Reads log 10h as a host; nothing if the checksum is wrong.
std::optional<NcqError> parse_ncq_error_log(std::span<const std::byte> page);

/// Any log but 04h and 10h. REQUIRES: page < log_pages(address). `identify` is the IDENTIFY DEVICE data.
LogPage general_log(std::uint8_t address, std::uint32_t page, const LogPage& identify);

}  // namespace solidtlm::hw
