// SPDX-License-Identifier: Apache-2.0
#include "hw/sata/health_pages.h"

#include <algorithm>
#include <array>
#include <vector>

#include "fw/hal/check.h"

namespace solidtlm::hw {
namespace {

using hal::HealthReport;

constexpr std::int64_t kPsPerHour = 3'600'000'000'000'000;

std::uint64_t hours(const HealthReport& report) {
    return static_cast<std::uint64_t>(report.powered.count() / kPsPerHour);
}

// SMART data. The vendor-specific part has the customary layout: a revision, then up to 30 attributes of 12
// bytes (number, flags, value, worst value, six bytes of raw value, reserved).
constexpr std::uint64_t kSmartRevision = 0x0010;
constexpr std::size_t kAttributeBytes = 12;
constexpr std::uint16_t kPreFailure = 0x0001;  // at its threshold the drive is about to fail
constexpr std::uint16_t kOnline = 0x0002;      // kept up to date while the drive works
constexpr std::uint16_t kEventCount = 0x0010;  // counts events
constexpr std::uint32_t kBest = 100;
constexpr std::uint32_t kWorst = 1;
constexpr std::uint8_t kReserveThreshold = 10;

std::uint32_t normalised(std::uint64_t left) {
    return static_cast<std::uint32_t>(std::clamp<std::uint64_t>(left, kWorst, kBest));
}

std::uint64_t less(std::uint64_t whole, std::uint64_t part) {
    return whole > part ? whole - part : 0;
}

struct Attribute {
    std::uint8_t number = 0;
    std::uint16_t flags = 0;
    std::uint8_t threshold = 0;  ///< 0: no failure
    std::uint32_t value = 0;     ///< never rises, so the worst one is the present one
    std::uint64_t raw = 0;
};

std::vector<Attribute> attributes(const HealthReport& report) {
    std::vector<Attribute> result;
    result.push_back({5, kPreFailure | kOnline | kEventCount, kReserveThreshold,
                      normalised(report.reserve_percent), report.retired_blocks});
    result.push_back({9, kOnline | kEventCount, 0, kBest, hours(report)});
    if (report.power_on_resets) {
        result.push_back({12, kOnline | kEventCount, 0, kBest, *report.power_on_resets});
    }
    result.push_back({187, kOnline | kEventCount, 0, normalised(less(kBest, report.uncorrectable_errors)),
                      report.uncorrectable_errors});
    const std::uint64_t life = less(kBest, report.percentage_used);
    result.push_back({231, kOnline, 0, normalised(life), life});
    result.push_back({241, kOnline | kEventCount, 0, kBest, report.sectors_written});
    result.push_back({242, kOnline | kEventCount, 0, kBest, report.sectors_read});
    return result;
}

// The rest of SMART data (ACS-3 7.48.7.2).
constexpr std::uint8_t kExecuteOffLine = 0x01;  // byte 367: EXECUTE OFF-LINE IMMEDIATE
constexpr std::uint8_t kSelfTests = 0x10;       // byte 367: short and extended self-test
constexpr std::uint16_t kAutosave = 0x0002;     // bytes 368-369: the command is there; the data is in DRAM
constexpr std::uint8_t kErrorLogging = 0x01;    // byte 370
constexpr std::uint32_t kShortMinutes = 1;
constexpr std::uint32_t kMoreMinutes = 0xFF;  // byte 373: see bytes 375 and 376

// Device Statistics: one qword per statistic, the value in the low bytes, the flags in the highest one.
constexpr std::size_t kFlagByte = 7;
constexpr std::uint8_t kSupported = 0x80;
constexpr std::uint8_t kValid = 0x40;
constexpr std::uint8_t kNormalized = 0x20;
constexpr std::uint8_t kPageList = 0x00;
constexpr std::uint8_t kGeneral = 0x01;
constexpr std::uint8_t kGeneralErrors = 0x04;
constexpr std::uint8_t kSolidState = 0x07;
constexpr std::array<std::uint8_t, 4> kPages{kPageList, kGeneral, kGeneralErrors, kSolidState};
constexpr std::uint32_t kMostPercent = 255;

/// Header: the page's number in byte 2, its revision in bytes 0 and 1.
LogPage statistics_header(std::uint32_t page, std::uint16_t revision) {
    LogPage result{};
    put_bytes(result, 0, 2, revision);
    put_bytes(result, 2, 1, page);
    return result;
}

void put_statistic(LogPage& page, std::size_t at, std::size_t bytes, std::uint64_t value,
                   std::uint8_t flags) {
    put_bytes(page, at, bytes, value);
    page[at + kFlagByte] = std::byte{flags};
}

LogPage page_list() {
    LogPage page = statistics_header(kPageList, 1);
    put_bytes(page, 8, 1, kPages.size());
    for (std::size_t i = 0; i < kPages.size(); ++i) {
        page[9 + i] = std::byte{kPages[i]};
    }
    return page;
}

/// Flags of counts over the drive's life, which are not valid once the firmware has lost its counters.
std::uint8_t of_life(const HealthReport& report) {
    return report.power_on_resets ? kSupported | kValid : kSupported;
}

LogPage general_statistics(const HealthReport& report) {
    const std::uint8_t flags = of_life(report);
    LogPage page = statistics_header(kGeneral, 2);
    put_statistic(page, 8, 4, report.power_on_resets.value_or(0), flags);
    put_statistic(page, 16, 4, hours(report), flags);
    put_statistic(page, 24, 6, report.sectors_written, flags);
    put_statistic(page, 32, 6, report.write_commands, flags);
    put_statistic(page, 40, 6, report.sectors_read, flags);
    put_statistic(page, 48, 6, report.read_commands, flags);
    return page;
}

}  // namespace

LogPage smart_data(const HealthReport& report, const SmartTests& tests) {
    LogPage page{};
    put_bytes(page, 0, 2, kSmartRevision);
    std::size_t at = 2;
    for (const Attribute& attribute : attributes(report)) {
        put_bytes(page, at, 1, attribute.number);
        put_bytes(page, at + 1, 2, attribute.flags);
        put_bytes(page, at + 3, 1, attribute.value);
        put_bytes(page, at + 4, 1, attribute.value);
        put_bytes(page, at + 5, 6, attribute.raw);
        at += kAttributeBytes;
    }
    put_bytes(page, 362, 1, tests.off_line_status);
    put_bytes(page, 363, 1, tests.execution_status);
    put_bytes(page, 367, 1, kExecuteOffLine | kSelfTests);
    put_bytes(page, 368, 2, kAutosave);
    put_bytes(page, 370, 1, kErrorLogging);
    put_bytes(page, 372, 1, kShortMinutes);
    put_bytes(page, 373, 1, std::min(tests.extended_minutes, kMoreMinutes));
    if (tests.extended_minutes >= kMoreMinutes) {
        put_bytes(page, 375, 2, std::min<std::uint32_t>(tests.extended_minutes, 0xFFFF));
    }
    put_checksum(page);
    return page;
}

LogPage smart_thresholds(const HealthReport& report) {
    LogPage page{};
    put_bytes(page, 0, 2, kSmartRevision);
    std::size_t at = 2;
    for (const Attribute& attribute : attributes(report)) {
        put_bytes(page, at, 1, attribute.number);
        put_bytes(page, at + 1, 1, attribute.threshold);
        at += kAttributeBytes;
    }
    put_checksum(page);
    return page;
}

bool threshold_exceeded(const HealthReport& report) {
    return report.reserve_percent <= kReserveThreshold || report.read_only;
}

LogPage statistics_page(std::uint32_t page, const HealthReport& report) {
    SOLIDTLM_CHECK(page < kStatisticsPages, "the log has such a page");
    switch (page) {
        case kPageList:
            return page_list();
        case kGeneral:
            return general_statistics(report);
        case kGeneralErrors: {
            LogPage result = statistics_header(kGeneralErrors, 1);
            put_statistic(result, 8, 4, report.uncorrectable_errors, of_life(report));
            return result;
        }
        case kSolidState: {
            LogPage result = statistics_header(kSolidState, 1);
            put_statistic(result, 8, 1, std::min(report.percentage_used, kMostPercent),
                          kSupported | kValid | kNormalized);
            return result;
        }
        default:
            return LogPage{};
    }
}

}  // namespace solidtlm::hw
