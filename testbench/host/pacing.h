// SPDX-License-Identifier: Apache-2.0
//
// When the host begins a request. One policy a file in pacing/.
#pragma once

#include <cstdint>
#include <optional>

#include "testbench/host/request.h"

namespace solidtlm::testbench {

class Pacing {
  public:
    virtual ~Pacing() = default;
    /// When the request arrives, if time decides it: the latency counts from then, even when the host gets to
    /// it later. `base` is the instant of the source's time 0. Nothing: it arrives when it is admitted.
    [[nodiscard]] virtual std::optional<Ps> due(const Request& request, Ps base) const {
        (void)request;
        (void)base;
        return std::nullopt;
    }
    /// May the request begin while `outstanding` others are not finished?
    [[nodiscard]] virtual bool admits(const Request& request, std::uint32_t outstanding) const {
        (void)request;
        (void)outstanding;
        return true;
    }
};

}  // namespace solidtlm::testbench
