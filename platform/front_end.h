// SPDX-License-Identifier: Apache-2.0
//
// The drive's side of its host interface, as the rest of the drive uses it. Sockets for hosts belong to the
// concrete front end, because their protocols differ.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>

#include "fw/hal/host.h"
#include "fw/hal/metrics.h"
#include "fw/hal/probe.h"
#include "hw/sata/link_power.h"
#include "hw/sata/power_mode.h"
#include "hw/tlm/dram_socket.h"

namespace solidtlm::platform {

class FrontEnd {
  public:
    virtual ~FrontEnd() = default;

    /// The interface that firmware uses.
    [[nodiscard]] virtual hal::Host& host() = 0;
    /// The socket to bind to the DRAM's host port.
    [[nodiscard]] virtual hw::DramSocket& dram_init() = 0;

    /// Power is lost: no command or frame is outstanding any longer, and firmware is not called.
    virtual void power_cut() = 0;
    /// Power is back. REQUIRES: firmware has called host().on_arrival() again.
    virtual void power_on() = 0;

    /// Null: no recorder watches.
    virtual void set_probe(hal::Probe* probe) = 0;
    virtual void tell_commands(hal::Metrics& metrics) const = 0;
    virtual void tell_link(hal::Metrics& metrics) const = 0;
    /// How long the link has been busy; for a link with two directions, the busier one.
    [[nodiscard]] virtual hal::Ps link_busy() const = 0;
    /// How the link has slept; none if it has no power states.
    [[nodiscard]] virtual std::optional<hw::LinkSleep> link_sleep() const = 0;
    /// Times in each power mode; a drive without power modes is always active.
    [[nodiscard]] virtual std::array<hal::Ps, hw::kPowerModes> power_modes() const = 0;
    /// Bytes of the write commands that have completed.
    [[nodiscard]] virtual std::uint64_t written_bytes() const = 0;
    /// True if data of a command is moving, or waits for link or DRAM.
    [[nodiscard]] virtual bool in_data_phase() const = 0;
    /// The command with HostCommand::slot `slot` if it was accepted and not answered yet, or null.
    [[nodiscard]] virtual const hal::HostCommand* command(std::uint16_t slot) const = 0;
    /// Describes what waits on the link and for firmware.
    [[nodiscard]] virtual std::string queues() const = 0;
};

}  // namespace solidtlm::platform
