// SPDX-License-Identifier: Apache-2.0
//
// An NVMe interface: a device at the end of a PCI Express link.
#pragma once

#include "hw/nvme/device.h"
#include "hw/tlm/protocol_checker.h"
#include "platform/configuration.h"
#include "platform/front_end.h"

namespace solidtlm::platform {

class NvmeFrontEnd final : public FrontEnd {
  public:
    hw::NvmeDevice device;
    sc_core::sc_signal<bool> interrupt{"interrupt"};  ///< the interrupt pin, used if MSI-X is off

    NvmeFrontEnd(const Configuration& configuration, hw::ProtocolCheckers& checkers);

    /// Binds the memory of the host, once, before the simulation starts. The host shares the drive's agenda,
    /// and calls NvmeDevice::load() and store().
    template <class Target>
    void bind_host(Target& memory) {
        join_memory(memory);
    }
    /// As above, for a host with a processor that uses NvmeDevice::register_target. Memory answers at the
    /// kernel's time, and the pin cannot carry delays, so the drive stays in step with the kernel.
    template <class Initiator, class Target>
    void bind_host(Initiator& processor, Target& memory) {
        device.agenda().set_quantum(hal::Ps{0});
        checkers_.join(processor, device.register_target);
        join_memory(memory);
    }

    // FrontEnd.
    hal::Host& host() override { return device; }
    hw::DramSocket& dram_init() override { return device.dram_init; }
    void power_cut() override { device.power_cut(); }
    void power_on() override { device.power_on(); }
    void set_probe(hal::Probe* probe) override { device.set_probe(probe); }
    void tell_commands(hal::Metrics& metrics) const override { device.tell(metrics); }
    void tell_link(hal::Metrics& metrics) const override { device.link().tell(metrics); }
    [[nodiscard]] hal::Ps link_busy() const override;
    [[nodiscard]] std::optional<hw::LinkSleep> link_sleep() const override { return std::nullopt; }
    [[nodiscard]] std::array<hal::Ps, hw::kPowerModes> power_modes() const override { return {}; }
    [[nodiscard]] std::uint64_t written_bytes() const override { return device.statistics().written_bytes; }
    [[nodiscard]] bool in_data_phase() const override { return device.in_data_phase(); }
    [[nodiscard]] const hal::HostCommand* command(std::uint16_t slot) const override {
        return device.command(slot);
    }
    [[nodiscard]] std::string queues() const override;

  private:
    template <class Target>
    void join_memory(Target& memory) {
        checkers_.join(device.dma_init, memory, hw::TimeOrder::socket, hw::PowerOf::initiator);
    }

    hw::ProtocolCheckers& checkers_;
};

}  // namespace solidtlm::platform
