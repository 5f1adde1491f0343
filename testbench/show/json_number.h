// SPDX-License-Identifier: Apache-2.0
//
// Numbers in the form in which a result stores them.
#pragma once

#include <cmath>
#include <cstdint>

#include "testbench/show/result.h"

namespace solidtlm::testbench {

constexpr double kPsPerUs = 1e6;

[[nodiscard]] inline double ps_of(hal::Ps duration) {
    return static_cast<double>(duration.count());
}

/// The number, or null if it is not finite.
[[nodiscard]] inline Json finite(double value) {
    return std::isfinite(value) ? Json(value) : Json(nullptr);
}

/// A counter, without decimals if it is a whole number.
[[nodiscard]] inline Json counter(double value) {
    constexpr double kExactIntegers = 9007199254740992.0;  // 2^53
    if (std::trunc(value) == value && std::abs(value) < kExactIntegers) {
        return static_cast<std::int64_t>(value);
    }
    return finite(value);
}

}  // namespace solidtlm::testbench
