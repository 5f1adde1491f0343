// SPDX-License-Identifier: Apache-2.0
//
// Log pages (Get Log Page): error information, SMART / health, firmware slots.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

#include "fw/hal/health.h"
#include "fw/hal/temperature.h"
#include "hw/nvme/config.h"
#include "hw/nvme/entries.h"
#include "hw/tlm/little_endian.h"

namespace solidtlm::hw::nvme {

enum class LogId : std::uint8_t { errors = 0x01, health = 0x02, firmware_slots = 0x03 };
constexpr std::uint32_t kErrorEntryBytes = 64;
constexpr std::uint32_t kErrorEntries = 4;  ///< ELPE + 1
constexpr std::uint32_t kErrorLogBytes = kErrorEntries * kErrorEntryBytes;
constexpr std::uint32_t kHealthBytes = 512;

/// Errors that no command reports, the newest first: doorbells.
class ErrorLog {
  public:
    void add(std::uint16_t queue);
    [[nodiscard]] std::uint64_t count() const { return count_; }
    [[nodiscard]] std::array<std::byte, kErrorLogBytes> page() const;

  private:
    std::uint64_t count_ = 0;  ///< over the controller's life
    std::array<std::uint16_t, kErrorEntries> queues_{};
};

// Composite temperatures in kelvin. The warning is at the value that NVMe 1.4 recommends (Identify
// Controller, WCTEMP); 85 degrees is the end of the range of most client drives.
constexpr std::uint32_t kCompositeKelvin = hal::kCaseCelsius + 273;
constexpr std::uint32_t kWarningKelvin = 0x157;
constexpr std::uint32_t kCriticalKelvin = 85 + 273;

/// Thresholds of the composite temperature (feature 04h), in kelvin.
struct TemperatureThresholds {
    std::uint32_t over = kWarningKelvin;
    std::uint32_t under = 0;
};

/// Fields that the firmware does not know (busy time, unsafe shutdowns) are 0.
[[nodiscard]] std::array<std::byte, kHealthBytes> health_page(const hal::HealthReport& report,
                                                              const TemperatureThresholds& thresholds,
                                                              std::uint64_t errors);
[[nodiscard]] std::array<std::byte, kHealthBytes> firmware_slot_page(const NvmeConfig& config);

// Fields of data that the host reads, from byte `at` on.
inline void put(std::span<std::byte> page, std::size_t at, std::size_t bytes, std::uint64_t value) {
    put_little_endian(page.subspan(at, bytes), value);
}
/// A text of a fixed length, with spaces at its end.
void put_text(std::span<std::byte> page, std::size_t at, std::size_t bytes, std::string_view text);

}  // namespace solidtlm::hw::nvme
