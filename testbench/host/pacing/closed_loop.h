// SPDX-License-Identifier: Apache-2.0
//
// A fixed number of requests outstanding: a request arrives when another one ends.
#pragma once

#include "testbench/host/pacing.h"

namespace solidtlm::testbench {

class ClosedLoop : public Pacing {
  public:
    explicit ClosedLoop(std::uint32_t depth) : depth_(depth) {}
    [[nodiscard]] bool admits(const Request&, std::uint32_t outstanding) const override {
        return outstanding < depth_;
    }

  private:
    std::uint32_t depth_;
};

}  // namespace solidtlm::testbench
