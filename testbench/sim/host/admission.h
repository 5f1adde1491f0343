// SPDX-License-Identifier: Apache-2.0
//
// The arrival times of requests that wait until others have ended. The host takes up a request when the port
// has room for its command, possibly long after the request's arrival. Arrivals are therefore computed from
// the ends of requests, in time order, and cost no event. The state is the number of requests outstanding at
// the latest arrival, and the ends since then.
#pragma once

#include <cstdint>
#include <optional>

#include "fw/hal/types.h"
#include "hw/tlm/ring.h"
#include "testbench/sim/host/pacing.h"

namespace solidtlm::testbench {

class Admission {
  public:
    /// The next request arrives at `at` or later, because the source had none before.
    void not_before(Ps at);
    /// Arrival of the next request: as soon as fewer than `depth` others are outstanding, but not before the
    /// previous request. Nothing: too many are still outstanding. REQUIRES: depth 1 to kMostOutstanding.
    [[nodiscard]] std::optional<Ps> admit(std::uint32_t depth);
    /// The next request arrives at `at`, however many are outstanding.
    void admit_at(Ps at);
    /// A request has ended. Ends must be reported in time order.
    void ended(Ps at) { ends_.push(at); }

  private:
    Ps latest_{0};                         // the latest arrival
    std::uint32_t outstanding_ = 0;        // requests outstanding after it
    hw::Ring<Ps> ends_{kMostOutstanding};  // ends since then, in order
};

}  // namespace solidtlm::testbench
