// SPDX-License-Identifier: Apache-2.0
//
// The arrival times of requests that wait until others have ended. The host gets to a request when the port
// has room for its command, which may be long after the request has arrived. Arrivals are therefore computed
// from the ends of requests, in order of time, and cost no event. State: the number of requests outstanding
// at the latest arrival, and the ends since then.
#pragma once

#include <cstdint>
#include <optional>

#include "fw/hal/types.h"
#include "hw/tlm/ring.h"
#include "testbench/host/pacing.h"

namespace solidtlm::testbench {

class Admission {
  public:
    /// The next request arrives at `at`, or later: the source had none before.
    void not_before(Ps at);
    /// The next request arrives as soon as fewer than `depth` others are outstanding, no earlier than the
    /// request before it. Nothing: too many still are. REQUIRES: depth 1 to kMostOutstanding.
    [[nodiscard]] std::optional<Ps> admit(std::uint32_t depth);
    /// The next request arrives at `at`, no matter how many are outstanding.
    void admit_at(Ps at);
    /// A request has ended, no earlier than those that ended before.
    void ended(Ps at) { ends_.push(at); }

  private:
    Ps latest_{0};                         // arrival
    std::uint32_t outstanding_ = 0;        // after it
    hw::Ring<Ps> ends_{kMostOutstanding};  // of these, in order
};

}  // namespace solidtlm::testbench
