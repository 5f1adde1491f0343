// SPDX-License-Identifier: Apache-2.0
#include "hw/sata/error_log.h"

#include <algorithm>
#include <limits>

#include "fw/hal/check.h"

namespace solidtlm::hw {
namespace {

constexpr std::int64_t kPsPerMs = 1'000'000'000;
constexpr std::uint8_t kActive = 0x03;  // state: executing a command

std::uint64_t byte_of(std::uint64_t value, unsigned index) {
    return value >> 8U * index & 0xFFU;
}

/// Milliseconds since power-on; wraps.
std::uint64_t milliseconds(hal::Ps at) {
    return static_cast<std::uint64_t>(at.count() / kPsPerMs);
}

/// The register pairs of 48-bit commands: COUNT, LBA low, mid and high, each the present byte, then the
/// earlier one.
void put_pairs(LogPage& page, std::size_t at, std::uint16_t count, hal::Lba lba) {
    put_bytes(page, at, 2, count);
    for (unsigned i = 0; i < 3; ++i) {
        const std::size_t pair = at + 2 + std::size_t{2} * i;
        put_bytes(page, pair, 1, byte_of(lba.value, i));
        put_bytes(page, pair + 1, 1, byte_of(lba.value, i + 3));
    }
}

}  // namespace

void ErrorLog::command(const RegisterH2d& fis, hal::Ps at) {
    recent_[seen_ % kRecent] = {fis, at - power_on_, seen_};
    ++seen_;
}

void ErrorLog::error(const CommandSeen& command, const RegisterD2h& answer, hal::Ps at) {
    Error error;
    error.commands.back() = command;
    for (std::uint64_t before = 1; before < kCommands && before <= command.number; ++before) {
        const CommandSeen& seen = recent_[(command.number - before) % kRecent];
        if (seen.number == command.number - before) {  // not yet forgotten
            error.commands[kCommands - 1 - before] = seen;
        }
    }
    error.answer = answer;
    error.hours = life_hours(at);
    errors_.push_back(error);
    if (errors_.size() > kMost) {
        errors_.pop_front();
    }
    count_ = static_cast<std::uint16_t>(
        std::min<std::uint32_t>(count_ + 1U, std::numeric_limits<std::uint16_t>::max()));
}

/// Version 1, index of the newest error from 1 on in byte 1, five errors of five commands of 12 bytes and 30
/// bytes of error, count in bytes 452 and 453.
LogPage ErrorLog::summary() const {
    constexpr std::size_t kOfSummary = 5;
    constexpr std::size_t kBytes = 90;
    constexpr std::size_t kCommandBytes = 12;
    LogPage page{};
    page[0] = std::byte{1};
    const std::size_t held = std::min(errors_.size(), kOfSummary);
    put_bytes(page, 1, 1, held);
    for (std::size_t i = 0; i < held; ++i) {
        const Error& error = errors_[errors_.size() - held + i];
        std::size_t at = 2 + i * kBytes;
        for (std::size_t j = 0; j < kCommands; ++j, at += kCommandBytes) {
            const RegisterH2d& fis = error.commands[j].fis;
            put_bytes(page, at, 1, fis.control);
            put_bytes(page, at + 1, 1, fis.features);
            put_bytes(page, at + 2, 1, fis.count);
            put_bytes(page, at + 3, 3, fis.lba.value);
            put_bytes(page, at + 6, 1, fis.device);
            put_bytes(page, at + 7, 1, fis.command);
            put_bytes(page, at + 8, 4, milliseconds(error.commands[j].at));
        }
        put_bytes(page, at + 1, 1, error.answer.error);
        put_bytes(page, at + 2, 1, error.answer.count);
        put_bytes(page, at + 3, 3, error.answer.lba.value);
        put_bytes(page, at + 6, 1, error.answer.device);
        put_bytes(page, at + 7, 1, error.answer.status);
        put_bytes(page, at + 27, 1, kActive);
        put_bytes(page, at + 28, 2, error.hours);
    }
    put_bytes(page, 452, 2, count_);
    put_checksum(page);
    return page;
}

/// Version 1, index of the newest error over all pages from 1 on in bytes 2 and 3 of the first page, four
/// errors of five commands of 18 bytes and 34 bytes of error, count in bytes 500 and 501.
LogPage ErrorLog::comprehensive(std::uint32_t page_number) const {
    SOLIDTLM_CHECK(page_number < kPages, "the log has such a page");
    constexpr std::size_t kBytes = 124;
    constexpr std::size_t kCommandBytes = 18;
    LogPage page{};
    page[0] = std::byte{1};
    if (page_number == 0) {
        put_bytes(page, 2, 2, errors_.size());
        put_bytes(page, 500, 2, count_);
    }
    for (std::size_t i = 0; i < kOfPage && page_number * kOfPage + i < errors_.size(); ++i) {
        const Error& error = errors_[page_number * kOfPage + i];
        std::size_t at = 4 + i * kBytes;
        for (std::size_t j = 0; j < kCommands; ++j, at += kCommandBytes) {
            const RegisterH2d& fis = error.commands[j].fis;
            put_bytes(page, at, 1, fis.control);
            put_bytes(page, at + 1, 2, fis.features);
            put_pairs(page, at + 3, fis.count, fis.lba);
            put_bytes(page, at + 11, 1, fis.device);
            put_bytes(page, at + 12, 1, fis.command);
            put_bytes(page, at + 14, 4, milliseconds(error.commands[j].at));
        }
        put_bytes(page, at + 1, 1, error.answer.error);
        put_pairs(page, at + 2, error.answer.count, error.answer.lba);
        put_bytes(page, at + 10, 1, error.answer.device);
        put_bytes(page, at + 11, 1, error.answer.status);
        put_bytes(page, at + 31, 1, kActive);
        put_bytes(page, at + 32, 2, error.hours);
    }
    put_checksum(page);
    return page;
}

}  // namespace solidtlm::hw
