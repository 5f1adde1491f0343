// SPDX-License-Identifier: Apache-2.0
//
// Who uses the drive: programs outside the simulation, in wall time.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <optional>

#include "testbench/disk/channel.h"

namespace solidtlm::testbench::disk {

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
    /// Sleeps until there is a request or nobody comes any more, and no longer than `at_most`.
    virtual void wait(std::optional<Wall> at_most) = 0;
    /// Sleeps for so long, whatever comes.
    virtual void sleep(Wall time) = 0;
    /// Nobody comes any more.
    [[nodiscard]] virtual bool ended() const = 0;
    /// Since some instant.
    [[nodiscard]] virtual Wall wall() const = 0;
};

}  // namespace solidtlm::testbench::disk
