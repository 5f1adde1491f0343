// SPDX-License-Identifier: Apache-2.0
#include "hw/sata/health_pages.h"

#include <algorithm>
#include <array>

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
constexpr std::uint16_t kCount = 0x0010;       // counts events
constexpr std::uint32_t kBest = 100;
constexpr std::uint32_t kWorst = 1;
constexpr std::uint32_t kReserveThreshold = 10;

std::uint32_t normalised(std::uint64_t left) {
    return static_cast<std::uint32_t>(std::clamp<std::uint64_t>(left, kWorst, kBest));
}

std::uint64_t less(std::uint64_t whole, std::uint64_t part) {
    return whole > part ? whole - part : 0;
}

class AttributeTable {
  public:
    explicit AttributeTable(LogPage& page) : page_(page) { put_bytes(page_, 0, 2, kSmartRevision); }
    /// Adds an attribute. Values never rise, so the worst one is the present one.
    void add(std::uint8_t number, std::uint16_t flags, std::uint32_t value, std::uint64_t raw) {
        put_bytes(page_, at_, 1, number);
        put_bytes(page_, at_ + 1, 2, flags);
        put_bytes(page_, at_ + 3, 1, value);
        put_bytes(page_, at_ + 4, 1, value);
        put_bytes(page_, at_ + 5, 6, raw);
        at_ += kAttributeBytes;
    }

  private:
    LogPage& page_;
    std::size_t at_ = 2;
};

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

LogPage smart_data(const HealthReport& report) {
    LogPage page{};
    AttributeTable attributes(page);
    attributes.add(5, kPreFailure | kOnline | kCount, normalised(report.reserve_percent),
                   report.retired_blocks);
    attributes.add(9, kOnline | kCount, kBest, hours(report));
    if (report.power_on_resets) {
        attributes.add(12, kOnline | kCount, kBest, *report.power_on_resets);
    }
    attributes.add(187, kOnline | kCount, normalised(less(kBest, report.uncorrectable_errors)),
                   report.uncorrectable_errors);
    const std::uint64_t life = less(kBest, report.percentage_used);
    attributes.add(231, kOnline, normalised(life), life);
    attributes.add(241, kOnline | kCount, kBest, report.sectors_written);
    attributes.add(242, kOnline | kCount, kBest, report.sectors_read);
    put_checksum(page);  // no off-line data collection, self-test, error log or autosave: zeros
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
