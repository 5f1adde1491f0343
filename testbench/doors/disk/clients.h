// SPDX-License-Identifier: Apache-2.0
//
// The clients of the drive: programs outside the simulation, in wall time.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <optional>

#include "fw/hal/types.h"
#include "testbench/doors/disk/channel.h"

namespace solidtlm::testbench::disk {

/// An order to the program, not to the drive.
struct Order {
    enum class Kind : std::uint8_t { cut_power, report };
    Kind kind = Kind::report;
    hal::Ps after{0};  ///< cut_power: cut after this simulated time
};

class Clients {
  public:
    using Wall = std::chrono::nanoseconds;

    virtual ~Clients() = default;

    /// The slot of the next request, which belongs to the caller until answer(); nothing: no request is
    /// waiting.
    [[nodiscard]] virtual std::optional<std::uint32_t> take() = 0;
    [[nodiscard]] virtual Slot& slot(std::uint32_t index) = 0;
    /// The slot's data, kSlotBytes long.
    [[nodiscard]] virtual std::byte* data(std::uint32_t index) = 0;
    /// `error`: an errno value, or 0.
    virtual void answer(std::uint32_t index, int error) = 0;
    /// Sleeps until a request comes, until no client can come any more, or for `at_most`.
    virtual void wait(std::optional<Wall> at_most) = 0;
    /// Sleeps for `time`, even if requests come.
    virtual void sleep(Wall time) = 0;
    /// No client can come any more.
    [[nodiscard]] virtual bool ended() const = 0;
    /// The next order; each is returned once.
    [[nodiscard]] virtual std::optional<Order> order() = 0;
    /// The drive has lost power: disconnects all clients and fails their requests. With `come_back`, clients
    /// may connect again once all requests were answered; otherwise no client comes any more.
    virtual void cut_off(bool come_back) = 0;
    /// Wall time since an arbitrary origin.
    [[nodiscard]] virtual Wall wall() const = 0;
};

}  // namespace solidtlm::testbench::disk
