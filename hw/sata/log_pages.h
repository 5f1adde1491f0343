// SPDX-License-Identifier: Apache-2.0
//
// The logs that READ LOG EXT, READ LOG DMA EXT and SMART READ LOG return (ACS-3 clause 9 and annex A), and
// pages of some: directory 00h, NCQ Command Error 10h, PHY Event Counters 11h, NCQ Send and Receive 13h,
// Identify Device Data 30h, SCT Status E0h. Device Statistics 04h is in health_pages.h, errors in
// error_log.h, self-tests in self_test.h.
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

/// By which command a log is read: READ LOG EXT and READ LOG DMA EXT, or SMART READ LOG.
enum class LogAccess : std::uint8_t { general, smart };

/// Number of pages of the log; 0 if this command cannot read it.
std::uint32_t log_pages(std::uint8_t address, LogAccess access = LogAccess::general);

/// Log 10h; all zeros except the checksum if nothing has failed since the last reset.
LogPage ncq_error_log(const std::optional<NcqError>& error);
/// Reads log 10h as a host; nothing if the checksum is wrong.
std::optional<NcqError> parse_ncq_error_log(std::span<const std::byte> page);

/// Log 11h: no CRC errors, and how many signatures followed COMRESET.
LogPage phy_events_log(std::uint16_t signatures);

/// What the device does (ACS-3 8.2, SCT Status response, device state).
enum class SctDevice : std::uint8_t { active = 0, standby = 1, self_test = 3 };
/// Log E0h: no SCT command has been carried out, and the temperature is always the same.
LogPage sct_status_log(SctDevice state);

/// Log 00h, 13h or 30h. REQUIRES: page < log_pages(address, access). `identify`: the IDENTIFY DEVICE data.
LogPage general_log(std::uint8_t address, std::uint32_t page, const LogPage& identify,
                    LogAccess access = LogAccess::general);

}  // namespace solidtlm::hw
