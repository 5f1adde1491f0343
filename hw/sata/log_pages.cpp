// SPDX-License-Identifier: Apache-2.0
#include "hw/sata/log_pages.h"

#include "fw/hal/check.h"
#include "hw/sata/ata.h"
#include "hw/sata/health_pages.h"

namespace solidtlm::hw {
namespace {

constexpr std::uint8_t kNonQueued = 0x80;
constexpr std::array<std::uint8_t, 5> kLogs{ata::kLogDirectory, ata::kLogDeviceStatistics, ata::kLogNcqError,
                                            ata::kLogSendReceive, ata::kLogIdentify};
constexpr std::array<std::uint8_t, 2> kIdentifyPages{0, 1};

// ACS-3 A.2: word 0 version 1, word n the number of pages of log n.
LogPage directory() {
    LogPage page{};
    page[0] = std::byte{1};
    for (const std::uint8_t log : kLogs) {
        if (log != ata::kLogDirectory) {
            put_bytes(page, std::size_t{2} * log, 2, log_pages(log));
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

std::uint32_t log_pages(std::uint8_t address) {
    switch (address) {
        case ata::kLogDirectory:
        case ata::kLogNcqError:
        case ata::kLogSendReceive:
            return 1;
        case ata::kLogDeviceStatistics:
            return kStatisticsPages;
        case ata::kLogIdentify:
            return static_cast<std::uint32_t>(kIdentifyPages.size());
        default:
            return 0;
    }
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

LogPage general_log(std::uint8_t address, std::uint32_t page, const LogPage& identify) {
    SOLIDTLM_CHECK(page < log_pages(address), "the log has such a page");
    switch (address) {
        case ata::kLogSendReceive:
            return send_receive();
        case ata::kLogIdentify:
            return page == 0 ? identify_list() : identify;
        default:
            return directory();
    }
}

}  // namespace solidtlm::hw
