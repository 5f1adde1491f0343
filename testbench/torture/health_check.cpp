// SPDX-License-Identifier: Apache-2.0
#include "testbench/torture/health_check.h"

#include <fmt/format.h>

#include <cstring>

#include "hw/sata/ata.h"
#include "hw/sata/log_page.h"

namespace solidtlm::testbench {
namespace {

namespace ata = hw::ata;

constexpr std::uint64_t kSmartLba = std::uint64_t{ata::kSmartSignature} << 8U;
constexpr std::uint32_t kStatisticsPages = 8;
constexpr std::uint8_t kSupported = 0x80;
constexpr std::uint8_t kValid = 0x40;

std::uint64_t number(const std::vector<std::byte>& data, std::size_t at, std::size_t bytes) {
    std::uint64_t value = 0;
    std::memcpy(&value, data.data() + at, bytes);
    return value;
}

/// Raw value of a SMART attribute, if it is present (12 bytes each, from byte 2 on).
std::optional<std::uint64_t> attribute(const std::vector<std::byte>& data, std::uint8_t wanted) {
    constexpr std::size_t kBytes = 12;
    constexpr std::size_t kEnd = 2 + (30 * kBytes);
    for (std::size_t at = 2; at < kEnd; at += kBytes) {
        if (data[at] == std::byte{wanted}) {
            return number(data, at + 5, 6);
        }
    }
    return std::nullopt;
}

}  // namespace

hw::RegisterH2d HealthCheck::ask(std::mt19937_64& random) {
    constexpr std::array kKinds{Kind::smart_data, Kind::smart_status, Kind::smart_off, Kind::smart_on,
                                Kind::log,        Kind::log,          Kind::log,       Kind::log,
                                Kind::idle,       Kind::standby,      Kind::mode};
    kind_ = smart_ ? kKinds.at(random() % kKinds.size()) : Kind::smart_on;
    hw::RegisterH2d fis;
    fis.device = ata::kDeviceLba;
    fis.command = static_cast<std::uint8_t>(ata::Opcode::smart);
    fis.lba = hal::Lba{kSmartLba};
    switch (kind_) {
        case Kind::smart_data:
            fis.features = ata::kSmartReadData;
            break;
        case Kind::smart_status:
            fis.features = ata::kSmartReturnStatus;
            break;
        case Kind::smart_off:
            fis.features = ata::kSmartDisable;
            break;
        case Kind::smart_on:
            fis.features = ata::kSmartEnable;
            break;
        case Kind::log:
            ask_for_log(random, fis);
            break;
        case Kind::idle:
            fis.command = static_cast<std::uint8_t>(ata::Opcode::idle_immediate);
            break;
        case Kind::standby:
            fis.command = static_cast<std::uint8_t>(ata::Opcode::standby_immediate);
            break;
        case Kind::mode:
            fis.command = static_cast<std::uint8_t>(ata::Opcode::check_power_mode);
            break;
    }
    return fis;
}

/// One question in eight asks for a log or a page that does not exist.
void HealthCheck::ask_for_log(std::mt19937_64& random, hw::RegisterH2d& fis) {
    constexpr std::array kLogs{
        ata::kLogDeviceStatistics, ata::kLogDeviceStatistics, ata::kLogDeviceStatistics, ata::kLogDirectory,
        ata::kLogNcqError,         ata::kLogSendReceive,      ata::kLogIdentify,         std::uint8_t{0x05}};
    log_ = kLogs.at(random() % kLogs.size());
    const bool statistics = log_ == ata::kLogDeviceStatistics;
    first_page_ = statistics ? static_cast<std::uint32_t>(random() % (kStatisticsPages + 1)) : 0;
    pages_ = statistics ? 1 + static_cast<std::uint32_t>(random() % (kStatisticsPages - 1)) : 1;
    known_log_ = log_ != kLogs.back() && (!statistics || first_page_ + pages_ <= kStatisticsPages);
    fis.command = static_cast<std::uint8_t>(random() % 2 == 0 ? ata::Opcode::read_log_ext
                                                              : ata::Opcode::read_log_dma_ext);
    fis.lba = hal::Lba{log_ | std::uint64_t{first_page_} << 8U};
    fis.count = static_cast<std::uint16_t>(pages_);
}

bool HealthCheck::answer_expected() const {
    switch (kind_) {
        case Kind::log:
            return known_log_;
        case Kind::smart_data:
        case Kind::smart_status:
        case Kind::smart_off:
            return smart_.value_or(true);
        default:
            return true;
    }
}

std::optional<std::string> HealthCheck::judge(const PassThrough& answered, std::uint64_t reissued) {
    if (answered.answer.status == 0) {  // power was lost meanwhile
        if (kind_ == Kind::smart_on || kind_ == Kind::smart_off) {
            smart_.reset();
        }
        return std::nullopt;
    }
    exact_ = exact_ && reissued == reissued_before_;
    const bool faulty = kind_ == Kind::standby && flash_may_fail_ &&
                        (answered.answer.status & ata::kDeviceFault) != 0;  // the cache cannot be written
    if (!faulty && answered.ok() != answer_expected()) {
        return fmt::format("it was {}", answered.ok() ? "answered, not refused" : "refused");
    }
    if (!answered.ok()) {
        return std::nullopt;
    }
    const std::size_t bytes = kind_ == Kind::smart_data ? hal::kSectorBytes
                              : kind_ == Kind::log      ? pages_ * std::size_t{hal::kSectorBytes}
                                                        : 0;
    if (answered.data.size() != bytes) {
        return fmt::format("{} bytes came, not {}", answered.data.size(), bytes);
    }
    switch (kind_) {
        case Kind::smart_data:
            return judge_smart(answered.data);
        case Kind::smart_status:
            return judge_status(answered);
        case Kind::smart_off:
        case Kind::smart_on:
            smart_ = kind_ == Kind::smart_on;
            return std::nullopt;
        case Kind::idle:
        case Kind::standby:
            mode_ = kind_ == Kind::idle ? kIdle : kStandby;
            return std::nullopt;
        case Kind::mode:
            return judge_mode(answered);
        case Kind::log:
            break;
    }
    if (log_ == ata::kLogNcqError && hw::byte_sum(answered.data) != 0) {
        return "the checksum of log 10h is wrong";
    }
    return log_ == ata::kLogDeviceStatistics ? judge_statistics(answered.data) : std::nullopt;
}

HealthCheck::Verdict HealthCheck::judge_status(const PassThrough& answered) const {
    const std::uint64_t status = answered.answer.lba.value >> 8U & 0xFFFFU;
    const bool right =
        status == ata::kSmartSignature || (flash_may_fail_ && status == ata::kSmartThresholdExceeded);
    return right ? std::nullopt : Verdict(fmt::format("SMART status {:04X}h", status));
}

HealthCheck::Verdict HealthCheck::judge_mode(const PassThrough& answered) const {
    const auto mode = static_cast<std::uint8_t>(answered.answer.count);
    const bool right = mode_ ? mode == *mode_ : mode == kActive || mode == kIdle || mode == kStandby;
    return right ? std::nullopt : Verdict(fmt::format("power mode {:02X}h", mode));
}

HealthCheck::Verdict HealthCheck::judge_smart(const std::vector<std::byte>& data) {
    if (hw::byte_sum(data) != 0) {
        return "the checksum of SMART data is wrong";
    }
    if (attribute(data, 12).has_value() == had_cut_) {
        return "attribute 12 is there after a power cut, or missing before";
    }
    return compare({{sectors_written, attribute(data, 241).value_or(0)},
                    {sectors_read, attribute(data, 242).value_or(0)},
                    {uncorrectable, attribute(data, 187).value_or(0)}});
}

HealthCheck::Verdict HealthCheck::judge_statistics(const std::vector<std::byte>& data) {
    const auto of_life = static_cast<std::uint8_t>(had_cut_ ? kSupported : kSupported | kValid);
    std::vector<Found> found;
    for (std::uint32_t i = 0; i < pages_; ++i) {
        const std::uint32_t page = first_page_ + i;
        const std::size_t at = i * std::size_t{hal::kSectorBytes};
        const bool there = page == 0 || page == 1 || page == 4 || page == 7;
        if (number(data, at + 2, 1) != (there ? page : 0)) {
            return fmt::format("page {} of log 04h says that it is another one", page);
        }
        if ((page == 1 || page == 4) && number(data, at + 15, 1) != of_life) {
            return fmt::format("flags {:02X}h of page {} of log 04h", number(data, at + 15, 1), page);
        }
        if (page == 1) {
            found.push_back({sectors_written, number(data, at + 24, 6)});
            found.push_back({writes, number(data, at + 32, 6)});
            found.push_back({sectors_read, number(data, at + 40, 6)});
            found.push_back({reads, number(data, at + 48, 6)});
        } else if (page == 4) {
            found.push_back({uncorrectable, number(data, at + 8, 4)});
        }
    }
    return compare(found);
}

HealthCheck::Verdict HealthCheck::compare(const std::vector<Found>& found) {
    constexpr std::array<const char*, counters> kNames{"sectors written", "write commands", "sectors read",
                                                       "read commands", "uncorrectable errors"};
    for (const auto& [counter, count] : found) {
        std::optional<std::uint64_t>& before = before_.at(counter);
        const std::uint64_t seen = seen_.at(counter);
        if (before) {
            const std::uint64_t expected = *before + seen;
            if (exact_ ? count != expected : count < expected) {
                return fmt::format("{} {}, not {}{}", count, kNames.at(counter), exact_ ? "" : "at least ",
                                   expected);
            }
        } else if (count < seen) {
            return fmt::format("{} {}, not at least {}", count, kNames.at(counter), seen);
        }
        before = count - seen;
    }
    return std::nullopt;
}

void HealthCheck::completed(const Command& command) {
    if (command.operation != Operation::flush) {
        // A command that is refused does not end Standby, nor does a trim of nothing.
        const bool moved = command.status == CommandStatus::ok && command.operation != Operation::trim;
        mode_ = moved ? std::optional(kActive) : std::nullopt;
    }
    if (command.status == CommandStatus::ok) {
        if (command.operation == Operation::write) {
            seen_[sectors_written] += command.sectors;
            ++seen_[writes];
        } else if (command.operation == Operation::read) {
            seen_[sectors_read] += command.sectors;
            ++seen_[reads];
        }
    } else if (command.failure == FailureKind::uncorrectable) {
        ++seen_[uncorrectable];
    }
}

/// The drive keeps its counters in DRAM.
void HealthCheck::power_cut(std::uint64_t reissued) {
    had_cut_ = true;
    mode_ = kActive;
    seen_.fill(0);
    before_.fill(0);
    exact_ = true;
    reissued_before_ = reissued;
}

}  // namespace solidtlm::testbench
