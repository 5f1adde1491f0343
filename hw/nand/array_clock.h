// SPDX-License-Identifier: Apache-2.0
//
// For how long the array of a die is busy (R/B# or ARDY low): counted when the end is known.
#pragma once

#include <algorithm>
#include <array>

#include "hw/nand/flash_statistics.h"

namespace solidtlm::hw {

class ArrayClock {
  public:
    /// Adds to `busy` the part of `from` to `until` for which the array was not known to be busy anyway.
    void add(hal::Ps from, hal::Ps until, hal::Cause cause, TimeByCause& busy) {
        from = std::max(from, this->until());
        if (until > from) {
            busy[static_cast<std::size_t>(cause)] += until - from;
            spans_ = {Span{from, until, cause}, spans_[0]};
        }
    }
    /// The array works no longer than until `at`: takes what lies behind it off `busy`.
    void end(hal::Ps at, TimeByCause& busy) {
        for (Span& span : spans_) {
            if (span.until > at) {
                busy[static_cast<std::size_t>(span.cause)] -= span.until - std::max(span.from, at);
                span = Span{};
            }
        }
    }
    [[nodiscard]] hal::Ps until() const { return spans_[0].until; }

  private:
    struct Span {
        hal::Ps from{0};
        hal::Ps until{0};
        hal::Cause cause = hal::Cause::host;
    };
    std::array<Span, 2> spans_{};  ///< counted last, newest first; two with cache program
};

}  // namespace solidtlm::hw
