// SPDX-License-Identifier: Apache-2.0
//
// The time for which the array of a die is busy (R/B# low): counted when the end is known.
#pragma once

#include <algorithm>

#include "fw/hal/check.h"
#include "hw/nand/flash_statistics.h"

namespace solidtlm::hw {

class ArrayClock {
  public:
    /// REQUIRES: the previous span has ended by `from`.
    void add(hal::Ps from, hal::Ps until, hal::Cause cause, TimeByCause& busy) {
        SOLIDTLM_CHECK(span_.until <= from, "an array does one thing at a time");
        busy[static_cast<std::size_t>(cause)] += until - from;
        span_ = Span{from, until, cause};
    }
    /// The array stops at `at`: subtracts the time after that, which has been counted already, from `busy`.
    void end(hal::Ps at, TimeByCause& busy) {
        if (span_.until > at) {
            busy[static_cast<std::size_t>(span_.cause)] -= span_.until - std::max(span_.from, at);
            span_ = Span{};
        }
    }

  private:
    struct Span {
        hal::Ps from{0};
        hal::Ps until{0};
        hal::Cause cause = hal::Cause::host;
    };
    Span span_;  ///< the span counted last
};

}  // namespace solidtlm::hw
