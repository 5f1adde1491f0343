// SPDX-License-Identifier: Apache-2.0
//
// The users of the drive: programs outside the simulation, in wall time.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <optional>

#include "fw/hal/types.h"
#include "testbench/disk/channel.h"

namespace solidtlm::testbench::disk {

/// An order to the program itself.
struct Order {
    enum class Kind : std::uint8_t { cut_power, report };
    Kind kind = Kind::report;
    hal::Ps after{0};  ///< cut_power: after this simulated time
};

class Clients {
  public:
    using Wall = std::chrono::nanoseconds;

    virtual ~Clients() = default;

    /// The next request, by its slot, which is the caller's until answer(); nothing: there is none now.
    [[nodiscard]] virtual std::optional<std::uint32_t> take() = 0;
    [[nodiscard]] virtual Slot& slot(std::uint32_t index) = 0;
    /// kSlotBytes.
    [[nodiscard]] virtual std::byte* data(std::uint32_t index) = 0;
    /// `error`: of errno, or 0.
    virtual void answer(std::uint32_t index, int error) = 0;
    /// Sleeps until there is a request or no client comes any more, and no longer than `at_most`.
    virtual void wait(std::optional<Wall> at_most) = 0;
    /// Sleeps for `time`, even if requests come.
    virtual void sleep(Wall time) = 0;
    /// No client comes any more.
    [[nodiscard]] virtual bool ended() const = 0;
    /// Each of them once.
    [[nodiscard]] virtual std::optional<Order> order() = 0;
    /// The drive has lost its power: disconnects all clients and fails what is under way. With `come_back`
    /// they may connect again once all of it was answered; otherwise no client comes any more.
    virtual void cut_off(bool come_back) = 0;
    /// Since some instant.
    [[nodiscard]] virtual Wall wall() const = 0;
};

}  // namespace solidtlm::testbench::disk
