// SPDX-License-Identifier: Apache-2.0
//
// Requests arrive at the source's times divided by `speed`, whether the device keeps up or not.
#pragma once

#include <cmath>

#include "fw/hal/check.h"
#include "testbench/host/pacing.h"

namespace solidtlm::testbench {

class OpenLoop : public Pacing {
  public:
    /// REQUIRES: speed > 0.
    explicit OpenLoop(double speed = 1.0) : speed_(speed) { SOLIDTLM_CHECK(speed > 0.0, "speed is above 0"); }
    [[nodiscard]] std::optional<Ps> due(const Request& request, Ps base) const override {
        // at the recorded speed times stay exact integers
        return base + (speed_ == 1.0
                           ? request.arrival
                           : Ps{std::llround(static_cast<double>(request.arrival.count()) / speed_)});
    }

  private:
    double speed_;
};

}  // namespace solidtlm::testbench
