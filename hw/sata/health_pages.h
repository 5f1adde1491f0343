// SPDX-License-Identifier: Apache-2.0
//
// Makes the pages in which the host reads the firmware's report of the drive's health: SMART data (ACS-3,
// SMART READ DATA and READ THRESHOLDS) and the Device Statistics log 04h (ACS-3, annex A).
// docs/reliability.md lists the attributes.
#pragma once

#include <cstdint>

#include "fw/hal/health.h"
#include "hw/sata/log_page.h"

namespace solidtlm::hw {

/// Pages of log 04h: 00h-07h; 02h, 03h, 05h and 06h are empty.
constexpr std::uint32_t kStatisticsPages = 8;

/// What SMART data say of off-line routine and self-tests.
struct SmartTests {
    std::uint8_t off_line_status = 0;    ///< byte 362: 00h never started, 02h completed
    std::uint8_t execution_status = 0;   ///< byte 363
    std::uint32_t extended_minutes = 0;  ///< after which a host looks whether the extended test has ended
};

/// The device SMART data structure, its checksum included.
LogPage smart_data(const hal::HealthReport& report, const SmartTests& tests);
/// The answer to SMART READ THRESHOLDS (ATA-3 7.36; obsolete since): entries as in smart_data().
LogPage smart_thresholds(const hal::HealthReport& report);
/// True if a pre-failure attribute has reached its threshold, for SMART RETURN STATUS.
bool threshold_exceeded(const hal::HealthReport& report);
/// REQUIRES: page < kStatisticsPages.
LogPage statistics_page(std::uint32_t page, const hal::HealthReport& report);

}  // namespace solidtlm::hw
