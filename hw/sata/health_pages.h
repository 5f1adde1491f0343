// SPDX-License-Identifier: Apache-2.0
//
// Makes the pages in which the host reads the firmware's report of the drive's health: SMART data (ACS-3,
// SMART READ DATA) and the Device Statistics log 04h (ACS-3, annex A). docs/reliability.md lists the
// attributes.
#pragma once

#include <cstdint>

#include "fw/hal/health.h"
#include "hw/sata/log_page.h"

namespace solidtlm::hw {

/// Pages of log 04h: 00h-07h; 02h, 03h, 05h and 06h are empty.
constexpr std::uint32_t kStatisticsPages = 8;

/// The device SMART data structure, its checksum included.
LogPage smart_data(const hal::HealthReport& report);
/// True if a pre-failure attribute has reached its threshold, for SMART RETURN STATUS.
bool threshold_exceeded(const hal::HealthReport& report);
/// REQUIRES: page < kStatisticsPages.
LogPage statistics_page(std::uint32_t page, const hal::HealthReport& report);

}  // namespace solidtlm::hw
