// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "fw/hal/check.h"

namespace solidtlm::fw {

/// Divides by a number that is known only at run time, by multiplying with its reciprocal in fixed point
/// (Granlund and Montgomery 1994): exact for every 32-bit dividend, because the reciprocal is rounded up by
/// less than divisor / 2^63.
class Divider {
  public:
    /// REQUIRES: 0 < divisor <= 2^31.
    explicit Divider(std::uint32_t divisor) : divisor_(divisor), reciprocal_(reciprocal_of(divisor)) {}

    [[nodiscard]] std::uint32_t quotient(std::uint32_t dividend) const {
        return static_cast<std::uint32_t>((Wide{reciprocal_} * dividend) >> 63U);
    }
    [[nodiscard]] std::uint32_t remainder(std::uint32_t dividend) const {
        return dividend - quotient(dividend) * divisor_;
    }

  private:
    __extension__ using Wide = unsigned __int128;
    static constexpr std::uint64_t kOne = std::uint64_t{1} << 63U;
    static std::uint64_t reciprocal_of(std::uint32_t divisor) {
        SOLIDTLM_CHECK(divisor > 0 && divisor <= 1U << 31U, "the divisor is in 1 ... 2^31");
        return (kOne + divisor - 1) / divisor;
    }
    std::uint32_t divisor_;
    std::uint64_t reciprocal_;
};

}  // namespace solidtlm::fw
