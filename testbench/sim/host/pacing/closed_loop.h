// SPDX-License-Identifier: Apache-2.0
//
// A fixed number of requests outstanding: a request arrives when another one ends.
#pragma once

#include "fw/hal/check.h"
#include "testbench/sim/host/pacing.h"

namespace solidtlm::testbench {

class ClosedLoop : public Pacing {
  public:
    /// REQUIRES: depth 1 to kMostOutstanding.
    explicit ClosedLoop(std::uint32_t depth) : depth_(depth) {
        SOLIDTLM_CHECK(depth >= 1 && depth <= kMostOutstanding,
                       "some requests are outstanding, not too many");
    }
    [[nodiscard]] std::optional<std::uint32_t> loop() const override { return depth_; }

  private:
    std::uint32_t depth_;
};

}  // namespace solidtlm::testbench
