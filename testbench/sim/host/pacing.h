// SPDX-License-Identifier: Apache-2.0
//
// When the host begins a request. pacing/ has one file per policy.
#pragma once

#include <cstdint>
#include <optional>

#include "testbench/sim/host/request.h"

namespace solidtlm::testbench {

/// Requests outstanding, including those that wait in the host for a command slot.
constexpr std::uint32_t kMostOutstanding = 65536;

class Pacing {
  public:
    virtual ~Pacing() = default;
    /// When the request arrives, if time decides it; the latency counts from then, even if the host takes the
    /// request up later. `base` is the instant of the source's time 0. Nothing: see depth().
    [[nodiscard]] virtual std::optional<Ps> due(const Request& request, Ps base) const {
        (void)request;
        (void)base;
        return std::nullopt;
    }
    /// The request arrives as soon as fewer than this many others are outstanding (1 to kMostOutstanding).
    /// Nothing: others do not hold it back, and it arrives when the host takes it up.
    [[nodiscard]] virtual std::optional<std::uint32_t> depth(const Request& request) const {
        (void)request;
        return loop();
    }
    /// The depth that all requests share; nothing: they do not share one.
    [[nodiscard]] virtual std::optional<std::uint32_t> loop() const { return std::nullopt; }
};

}  // namespace solidtlm::testbench
