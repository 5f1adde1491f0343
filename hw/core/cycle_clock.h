// SPDX-License-Identifier: Apache-2.0
//
// Turns clock cycles into whole picoseconds without drift.
#pragma once

#include <cmath>
#include <cstdint>
#include <numeric>

#include "fw/hal/check.h"
#include "fw/hal/types.h"

namespace solidtlm::hw {

/// Carries the fraction of a picosecond that is left over from one number of cycles to the next, so that N
/// cycles in parts take as long as N cycles at once, rounded down. The frequency is rounded to 1 kHz.
class CycleClock {
  public:
    /// REQUIRES: frequency_mhz at least 0.001, at most 10^6.
    explicit CycleClock(double frequency_mhz) {
        SOLIDTLM_CHECK(frequency_mhz >= 1e-3 && frequency_mhz <= 1e6, "the frequency is in 1 kHz ... 1 THz");
        const auto khz = static_cast<std::uint64_t>(std::llround(frequency_mhz * 1e3));
        const std::uint64_t divisor = std::gcd(kPsPerMs, khz);
        ps_ = kPsPerMs / divisor;
        cycles_ = khz / divisor;
    }

    /// Time of the next `cycles` cycles.
    hal::Ps advance(std::uint64_t cycles) {
        if (cycles_ == 1) {  // a cycle is a whole number of picoseconds: no division, no remainder
            return hal::Ps{static_cast<std::int64_t>(cycles * ps_)};
        }
        const std::uint64_t rest = cycles % cycles_ * ps_ + carry_;  // below 10^18 + 10^9
        carry_ = rest % cycles_;
        return hal::Ps{static_cast<std::int64_t>(cycles / cycles_ * ps_ + rest / cycles_)};
    }

    /// Forgets that fraction.
    void restart() { carry_ = 0; }

  private:
    static constexpr std::uint64_t kPsPerMs = 1'000'000'000;
    std::uint64_t ps_;  ///< ps_ picoseconds are exactly cycles_ cycles
    std::uint64_t cycles_;
    std::uint64_t carry_ = 0;  ///< in units of 1/cycles_ ps
};

}  // namespace solidtlm::hw
