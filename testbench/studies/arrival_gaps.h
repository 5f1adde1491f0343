// SPDX-License-Identifier: Apache-2.0
//
// Lengths of the gaps between arrivals: the time in which a device can do idle work.
#pragma once

#include <cstdint>

#include "testbench/sim/host/request.h"

namespace solidtlm::testbench {

/// Statistics of the gaps that are longer than a limit.
class ArrivalGaps {
  public:
    explicit ArrivalGaps(Ps limit) : limit_(limit) {}

    void add(const Request& request) {
        const Ps gap = request.arrival - last_;
        last_ = request.arrival;
        ++requests_;
        if (gap > limit_) {
            ++gaps_;
            idle_ += gap;
        }
    }

    /// Share of the time from the first to the last arrival that is in gaps longer than the limit.
    [[nodiscard]] double idle_share() const {
        return last_ > Ps{0} ? static_cast<double>(idle_.count()) / static_cast<double>(last_.count()) : 0;
    }
    [[nodiscard]] Ps mean_gap() const {
        return gaps_ > 0 ? Ps{idle_.count() / static_cast<std::int64_t>(gaps_)} : Ps{0};
    }
    /// Average number of requests between two such gaps.
    [[nodiscard]] double mean_burst() const {
        return static_cast<double>(requests_) / static_cast<double>(gaps_ + 1);
    }

  private:
    Ps limit_;
    Ps last_{0};
    Ps idle_{0};
    std::uint64_t requests_ = 0;
    std::uint64_t gaps_ = 0;
};

}  // namespace solidtlm::testbench
