// SPDX-License-Identifier: Apache-2.0
//
// Requests arrive at the source's times divided by `speed`, whether the device keeps up or not.
#pragma once

#include "fw/hal/check.h"
#include "fw/hal/horizon.h"
#include "testbench/sim/host/pacing.h"

namespace solidtlm::testbench {

class OpenLoop : public Pacing {
  public:
    /// REQUIRES: speed > 0.
    explicit OpenLoop(double speed = 1.0) : speed_(speed) { SOLIDTLM_CHECK(speed > 0.0, "speed is above 0"); }
    [[nodiscard]] std::optional<Ps> due(const Request& request, Ps base) const override {
        if (request.arrival > hal::kHorizon) {
            return hal::kBeyondHorizon;  // how far beyond is not known
        }
        // at the recorded speed times stay exact integers
        return hal::instant_after(
            base, speed_ == 1.0
                      ? request.arrival
                      : hal::nearest_instant(static_cast<double>(request.arrival.count()) / speed_));
    }

  private:
    double speed_;
};

}  // namespace solidtlm::testbench
