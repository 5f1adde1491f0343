// SPDX-License-Identifier: Apache-2.0
#include "hw/nvme/logs.h"

#include <algorithm>

#include "hw/tlm/little_endian.h"

namespace solidtlm::hw::nvme {
namespace {

constexpr std::uint16_t kNoLocation = 0xFFFF;
constexpr std::uint64_t kDataUnit = 1000;  // sectors, rounded up
constexpr std::uint32_t kMostUsed = 255;
constexpr std::uint32_t kSpareThreshold = 10;  // percent
constexpr std::int64_t kPsInAnHour = 3'600'000'000'000'000;

// Critical warnings.
constexpr unsigned kSpareLow = 1U << 0U;
constexpr unsigned kReadOnly = 1U << 3U;

}  // namespace

void put_text(std::span<std::byte> field, std::string_view text) {
    std::ranges::fill(field, std::byte{' '});
    const std::size_t count = std::min(field.size(), text.size());
    std::ranges::copy(std::as_bytes(std::span(text.substr(0, count))), field.begin());
}

void ErrorLog::add(std::uint16_t queue) {
    std::ranges::move_backward(queues_.begin(), queues_.end() - 1, queues_.end());
    queues_[0] = queue;
    ++count_;
}

std::array<std::byte, kErrorLogBytes> ErrorLog::page() const {
    std::array<std::byte, kErrorLogBytes> result{};
    for (std::uint32_t i = 0; i < std::min<std::uint64_t>(count_, kErrorEntries); ++i) {
        const std::span entry =
            std::span(result).subspan(std::size_t{i} * kErrorEntryBytes, kErrorEntryBytes);
        put_little_endian(entry.first<8>(), count_ - i);
        put_little_endian(entry.subspan<8, 2>(), queues_.at(i));
        put_little_endian(entry.subspan<10, 2>(), kNoCommand);
        put_little_endian(entry.subspan<14, 2>(), kNoLocation);
    }
    return result;
}

std::array<std::byte, kHealthBytes> health_page(const hal::HealthReport& report, std::uint64_t errors) {
    std::array<std::byte, kHealthBytes> page{};
    const auto put = [&](std::size_t at, std::size_t bytes, std::uint64_t value) {
        put_little_endian(std::span(page).subspan(at, bytes), value);
    };
    put(0, 1,
        (report.reserve_percent < kSpareThreshold ? kSpareLow : 0) | (report.read_only ? kReadOnly : 0));
    put(3, 1, std::min(report.reserve_percent, std::uint32_t{100}));
    put(4, 1, kSpareThreshold);
    put(5, 1, std::min(report.percentage_used, kMostUsed));
    put(32, 8, (report.sectors_read + kDataUnit - 1) / kDataUnit);
    put(48, 8, (report.sectors_written + kDataUnit - 1) / kDataUnit);
    put(64, 8, report.read_commands);
    put(80, 8, report.write_commands);
    put(112, 8, report.power_on_resets.value_or(0));
    put(128, 8, static_cast<std::uint64_t>(report.powered.count() / kPsInAnHour));
    put(160, 8, report.uncorrectable_errors);
    put(176, 8, errors);
    return page;
}

std::array<std::byte, kHealthBytes> firmware_slot_page(const NvmeConfig& config) {
    std::array<std::byte, kHealthBytes> page{};
    page[0] = std::byte{1};  // slot 1 is active
    put_text(std::span(page).subspan<8, 8>(), config.firmware_revision);
    return page;
}

}  // namespace solidtlm::hw::nvme
