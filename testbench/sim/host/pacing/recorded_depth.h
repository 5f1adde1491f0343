// SPDX-License-Identifier: Apache-2.0
//
// The queue depth of the recording: a request begins as soon as no more requests are outstanding than when it
// was recorded, itself included. An unknown depth does not hold it back.
#pragma once

#include <algorithm>

#include "testbench/sim/host/pacing.h"

namespace solidtlm::testbench {

class RecordedDepth : public Pacing {
  public:
    [[nodiscard]] std::optional<std::uint32_t> depth(const Request& request) const override {
        return request.queue_depth == 0 ? std::nullopt
                                        : std::optional(std::min(request.queue_depth, kMostOutstanding));
    }
};

}  // namespace solidtlm::testbench
