// SPDX-License-Identifier: Apache-2.0
#include "hw/nvme/logs.h"

#include <algorithm>

namespace solidtlm::hw::nvme {
namespace {

constexpr std::uint16_t kNoLocation = 0xFFFF;
constexpr std::uint64_t kDataUnit = 1000;  // sectors, rounded up
constexpr std::uint32_t kMostUsed = 255;
constexpr std::uint32_t kSpareThreshold = 10;  // percent
constexpr std::int64_t kPsInAnHour = 3'600'000'000'000'000;

// Critical warnings.
constexpr unsigned kSpareLow = 1U << 0U;
constexpr unsigned kTemperature = 1U << 1U;
constexpr unsigned kReadOnly = 1U << 3U;

}  // namespace

void put_text(std::span<std::byte> page, std::size_t at, std::size_t bytes, std::string_view text) {
    const auto field = page.subspan(at, bytes);
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
        put(entry, 0, 8, count_ - i);
        put(entry, 8, 2, queues_.at(i));
        put(entry, 10, 2, kNoCommand);
        put(entry, 14, 2, kNoLocation);
    }
    return result;
}

std::array<std::byte, kHealthBytes> health_page(const hal::HealthReport& report,
                                                const TemperatureThresholds& thresholds,
                                                std::uint64_t errors) {
    std::array<std::byte, kHealthBytes> page{};
    const bool beyond = kCompositeKelvin >= thresholds.over || kCompositeKelvin <= thresholds.under;
    put(page, 0, 1,
        (report.reserve_percent < kSpareThreshold ? kSpareLow : 0) | (beyond ? kTemperature : 0) |
            (report.read_only ? kReadOnly : 0));
    put(page, 1, 2, kCompositeKelvin);
    put(page, 3, 1, std::min(report.reserve_percent, std::uint32_t{100}));
    put(page, 4, 1, kSpareThreshold);
    put(page, 5, 1, std::min(report.percentage_used, kMostUsed));
    put(page, 32, 8, (report.sectors_read + kDataUnit - 1) / kDataUnit);
    put(page, 48, 8, (report.sectors_written + kDataUnit - 1) / kDataUnit);
    put(page, 64, 8, report.read_commands);
    put(page, 80, 8, report.write_commands);
    put(page, 112, 8, report.power_on_resets.value_or(0));
    put(page, 128, 8, static_cast<std::uint64_t>(report.powered.count() / kPsInAnHour));
    put(page, 160, 8, report.uncorrectable_errors);
    put(page, 176, 8, errors);
    return page;
}

std::array<std::byte, kHealthBytes> firmware_slot_page(const NvmeConfig& config) {
    std::array<std::byte, kHealthBytes> page{};
    page[0] = std::byte{1};  // slot 1 is active
    put_text(page, 8, 8, config.firmware_revision);
    return page;
}

}  // namespace solidtlm::hw::nvme
