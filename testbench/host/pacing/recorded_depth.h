// SPDX-License-Identifier: Apache-2.0
//
// The queue depth of the recording: a request begins as soon as no more are outstanding than when it was
// recorded, itself included. An unknown depth does not hold it back.
#pragma once

#include "testbench/host/pacing.h"

namespace solidtlm::testbench {

class RecordedDepth : public Pacing {
  public:
    [[nodiscard]] bool admits(const Request& request, std::uint32_t outstanding) const override {
        return request.queue_depth == 0 || outstanding < request.queue_depth;
    }
};

}  // namespace solidtlm::testbench
