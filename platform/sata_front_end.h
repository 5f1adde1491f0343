// SPDX-License-Identifier: Apache-2.0
//
// A SATA interface: a link, and a device at its end.
#pragma once

#include "hw/sata/device.h"
#include "hw/sata/link.h"
#include "hw/tlm/protocol_checker.h"
#include "platform/configuration.h"
#include "platform/front_end.h"

namespace solidtlm::platform {

class SataFrontEnd final : public FrontEnd {
  public:
    hw::SataLink link;
    hw::SataDevice device;

    SataFrontEnd(const Configuration& configuration, hw::ProtocolCheckers& checkers);

    /// Binds the host: its socket to the link, and its socket from the link. Once, before the simulation
    /// starts. A host that is an AgendaModule may share the drive's agenda; for any other host, the link's
    /// calls carry the delay by which the drive is ahead of the kernel.
    template <class Initiator, class Target>
    void bind_host(Initiator& to_link, Target& from_link) {
        const auto* host = dynamic_cast<const hw::AgendaModule*>(to_link.get_parent_object());
        if (host == nullptr || &host->agenda() != &device.agenda()) {
            link.host.set_border();
        }
        checkers_.join(to_link, link.host.target);
        checkers_.join(link.host.init, from_link);
    }
    /// As above. If the host shares the drive's agenda, it and the link call each other, unless protocols are
    /// checked.
    void bind_host(hw::LinkPlug& host);

    // FrontEnd.
    hal::Host& host() override { return device; }
    hw::DramSocket& dram_init() override { return device.dram_init; }
    void power_cut() override;
    void power_on() override { device.power_on(); }
    void set_probe(hal::Probe* probe) override;
    void tell_commands(hal::Metrics& metrics) const override {
        device.statistics().tell(metrics);
        device.power().tell(metrics, hw::now());
    }
    void tell_link(hal::Metrics& metrics) const override { link.statistics().tell(metrics); }
    [[nodiscard]] hal::Ps link_busy() const override { return link.statistics().busy(); }
    [[nodiscard]] std::optional<hw::LinkSleep> link_sleep() const override { return link.statistics().sleep; }
    [[nodiscard]] std::array<hal::Ps, hw::kPowerModes> power_modes() const override {
        return device.power().spent(hw::now());
    }
    [[nodiscard]] std::uint64_t written_bytes() const override { return device.statistics().written_bytes; }
    [[nodiscard]] bool in_data_phase() const override { return device.in_data_phase(); }
    /// `slot`: an NCQ tag, or 32 for the non-queued command.
    [[nodiscard]] const hal::HostCommand* command(std::uint16_t slot) const override {
        return device.command(static_cast<std::uint8_t>(slot));
    }
    [[nodiscard]] std::string queues() const override;

  private:
    hw::ProtocolCheckers& checkers_;
};

}  // namespace solidtlm::platform
