// SPDX-License-Identifier: Apache-2.0
//
// What a guest finds in a PCI slot: registers in one BAR, an interrupt line, and DMA of the drive's
// controller or adapter to the guest's memory.
#pragma once

#include <cstdint>
#include <span>
#include <systemc>

#include <tlm_utils/simple_initiator_socket.h>

#include "testbench/doors/guest/guest_ram.h"
#include "testbench/doors/pci_proxy/server.h"

namespace solidtlm::testbench {

/// Accesses of the guest take simulated time, so they must be made from an SC_THREAD.
class PciFunction : public sc_core::sc_module, public pci_proxy::Device {
  public:
    [[nodiscard]] const pci_proxy::PciIdentity& identity() const { return identity_; }
    /// Binds the guest's memory. Call it once, before the simulation starts.
    virtual void bind(GuestRam& memory) = 0;
    /// Level of the interrupt line.
    [[nodiscard]] virtual bool line() const = 0;

    // pci_proxy::Device
    std::uint64_t read(unsigned bar, std::uint64_t offset, unsigned bytes) override;
    void write(unsigned bar, std::uint64_t offset, std::uint64_t value, unsigned bytes) override;

  protected:
    tlm_utils::simple_initiator_socket<PciFunction> processor_init_{"processor_init"};

    PciFunction(const sc_core::sc_module_name& name, const pci_proxy::PciIdentity& identity)
        : sc_module(name), identity_(identity) {}

  private:
    bool access(tlm::tlm_command command, std::uint64_t offset, std::span<std::byte> data);

    const pci_proxy::PciIdentity identity_;
};

}  // namespace solidtlm::testbench
