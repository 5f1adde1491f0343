// SPDX-License-Identifier: Apache-2.0
//
// Features of the controller (Get and Set Features). None is saved: a reset restores the defaults.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <vector>

#include "fw/hal/types.h"
#include "hw/nvme/config.h"
#include "hw/nvme/entries.h"
#include "hw/nvme/logs.h"

namespace solidtlm::hw::nvme {

enum class Feature : std::uint8_t {
    arbitration = 0x01,
    power = 0x02,
    temperature = 0x04,
    error_recovery = 0x05,
    write_cache = 0x06,
    queues = 0x07,
    coalescing = 0x08,
    vector = 0x09,
    write_atomicity = 0x0A,
    events = 0x0B,
    timestamp = 0x0E,
};

class Features {
  public:
    explicit Features(const NvmeConfig& config) : config_(config) { reset(); }

    [[nodiscard]] static bool known(std::uint8_t id);
    /// The value now or after a reset. None: `selector` (dword 11) names nothing. REQUIRES: known(id).
    [[nodiscard]] std::optional<Word> get(Feature feature, Word selector, bool default_value) const;
    /// Sets it to `value` (dword 11). False: there is no such value. REQUIRES: known(id).
    [[nodiscard]] bool set(Feature feature, Word value);
    [[nodiscard]] Word operator[](Feature feature) const {
        return values_.at(static_cast<std::size_t>(feature));
    }

    /// I/O submission (false: completion) queues that the host may create.
    [[nodiscard]] std::uint32_t granted(bool submission) const;
    /// Feature 09h, bit CD of the vector: no coalescing.
    [[nodiscard]] bool at_once(std::uint32_t vector) const { return vector == 0 || at_once_.at(vector); }

    [[nodiscard]] const TemperatureThresholds& temperature() const { return temperature_; }

    /// Feature 0Eh: milliseconds that the host has set, going on since.
    void set_timestamp(std::uint64_t milliseconds, hal::Ps now);
    /// The 8 bytes of the data structure, as a number.
    [[nodiscard]] std::uint64_t timestamp(hal::Ps now) const;

    void reset();

  private:
    [[nodiscard]] Word initial(Feature feature) const;

    static constexpr std::size_t kFeatures = 0x0F;
    NvmeConfig config_;
    std::array<Word, kFeatures> values_{};
    TemperatureThresholds temperature_;
    std::vector<bool> at_once_;
    std::uint64_t timestamp_ = 0;
    hal::Ps timestamp_set_{0};
    bool timestamp_of_host_ = false;
};

}  // namespace solidtlm::hw::nvme
