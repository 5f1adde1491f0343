// SPDX-License-Identifier: Apache-2.0
#include "hw/sata/log_pages.h"

#include <algorithm>
#include <array>

#include "fw/hal/check.h"
#include "fw/hal/temperature.h"
#include "hw/sata/ata.h"
#include "hw/sata/error_log.h"
#include "hw/sata/health_pages.h"

namespace solidtlm::hw {
namespace {

constexpr std::uint8_t kNonQueued = 0x80;
constexpr std::array<std::uint8_t, 2> kIdentifyPages{0, 1};

struct Log {
    std::uint8_t address;
    std::uint32_t pages;
    bool general;  ///< READ LOG EXT and READ LOG DMA EXT have it
    bool smart;    ///< SMART READ LOG has it
};
/// ACS-3 table A.1 says by which commands a log can be read.
constexpr std::array kLogs{Log{ata::kLogDirectory, 1, true, true},
                           Log{ata::kLogSummaryError, 1, false, true},
                           Log{ata::kLogComprehensiveError, ErrorLog::kPages, true, false},
                           Log{ata::kLogDeviceStatistics, kStatisticsPages, true, true},
                           Log{ata::kLogSelfTest, 1, false, true},
                           Log{ata::kLogExtendedSelfTest, 1, true, false},
                           Log{ata::kLogNcqError, 1, true, false},
                           Log{ata::kLogPhyEvents, 1, true, false},
                           Log{ata::kLogSendReceive, 1, true, false},
                           Log{ata::kLogIdentify, kIdentifyPages.size(), true, true},
                           Log{ata::kLogSctStatus, 1, true, true}};

// ACS-3 A.2: word 0 version 1, word n the number of pages of log n. In that of SMART READ LOG version 1 says
// that logs have more than one page, too.
LogPage directory(LogAccess access) {
    LogPage page{};
    page[0] = std::byte{1};
    for (const Log& log : kLogs) {
        if (log.address != ata::kLogDirectory) {
            put_bytes(page, std::size_t{2} * log.address, 2, log_pages(log.address, access));
        }
    }
    return page;
}

// ACS-3 A.13: dword 0 bit 0 SEND DATA SET MANAGEMENT, dword 1 bit 0 its TRIM.
LogPage send_receive() {
    LogPage page{};
    page[0] = std::byte{1};
    page[4] = std::byte{1};
    return page;
}

// ACS-3 A.11.2: header qword (bit 63 set, page number, revision 1), then the supported pages.
LogPage identify_list() {
    LogPage page{};
    page[0] = std::byte{1};
    page[7] = std::byte{0x80};
    put_bytes(page, 8, 1, kIdentifyPages.size());
    for (std::size_t i = 0; i < kIdentifyPages.size(); ++i) {
        page[9 + i] = std::byte{kIdentifyPages[i]};
    }
    return page;
}

}  // namespace

std::uint32_t log_pages(std::uint8_t address, LogAccess access) {
    const auto* log = std::ranges::find(kLogs, address, &Log::address);
    const bool readable = log != kLogs.end() && (access == LogAccess::smart ? log->smart : log->general);
    return readable ? log->pages : 0;
}

/// Serial ATA 3.x 13.8.1: each counter has a word with its number and, in bits 14:12, its length in words.
LogPage phy_events_log(std::uint16_t signatures) {
    constexpr std::uint16_t kOneWord = 0x1000;
    constexpr std::uint16_t kCrcErrors = 0x001;
    constexpr std::uint16_t kSignatures = 0x00A;
    LogPage page{};
    put_bytes(page, 4, 2, kOneWord | kCrcErrors);
    put_bytes(page, 8, 2, kOneWord | kSignatures);
    put_bytes(page, 10, 2, signatures);
    put_checksum(page);
    return page;
}

/// ACS-3 8.2: format 3, SCT level 1; bytes 200 to 204 are temperatures: now, lowest and highest since
/// power-on and in the device's life.
LogPage sct_status_log(SctDevice state) {
    constexpr std::size_t kTemperatures = 200;
    constexpr std::size_t kCount = 5;
    LogPage page{};
    put_bytes(page, 0, 2, 3);
    put_bytes(page, 2, 2, 1);
    put_bytes(page, 4, 2, 1);
    put_bytes(page, 10, 1, static_cast<std::uint8_t>(state));
    for (std::size_t i = 0; i < kCount; ++i) {
        put_bytes(page, kTemperatures + i, 1, hal::kCaseCelsius);
    }
    return page;
}

LogPage ncq_error_log(const std::optional<NcqError>& error) {
    LogPage page{};
    if (error) {
        page[0] = error->non_queued ? std::byte{kNonQueued} : std::byte(error->tag & ata::kTagMask);
        page[2] = std::byte{error->status};
        page[3] = std::byte{error->error};
        put_bytes(page, 4, 3, error->lba.value);
        put_bytes(page, 8, 3, error->lba.value >> 24U);
        page[7] = std::byte{error->device};
        put_bytes(page, 12, 2, error->count);
    }
    put_checksum(page);
    return page;
}

std::optional<NcqError> parse_ncq_error_log(std::span<const std::byte> page) {
    if (page.size() != hal::kSectorBytes || byte_sum(page) != 0) {
        return std::nullopt;
    }
    const auto number = [page](std::size_t at, std::size_t bytes) {
        return get_little_endian(page.subspan(at, bytes));
    };
    NcqError error;
    error.non_queued = (number(0, 1) & kNonQueued) != 0;
    error.tag = static_cast<std::uint8_t>(number(0, 1) & ata::kTagMask);
    error.status = static_cast<std::uint8_t>(number(2, 1));
    error.error = static_cast<std::uint8_t>(number(3, 1));
    error.lba = hal::Lba{number(4, 3) | number(8, 3) << 24U};
    error.device = static_cast<std::uint8_t>(number(7, 1));
    error.count = static_cast<std::uint16_t>(number(12, 2));
    return error;
}

LogPage general_log(std::uint8_t address, std::uint32_t page, const LogPage& identify, LogAccess access) {
    SOLIDTLM_CHECK(page < log_pages(address, access), "the log has such a page");
    switch (address) {
        case ata::kLogSendReceive:
            return send_receive();
        case ata::kLogIdentify:
            return page == 0 ? identify_list() : identify;
        default:
            return directory(access);
    }
}

}  // namespace solidtlm::hw
