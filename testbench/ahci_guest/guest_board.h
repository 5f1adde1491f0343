// SPDX-License-Identifier: Apache-2.0
//
// A host bus adapter with a drive at port 0, as a PCI device of a QEMU guest (docs/ahci-guest.md).
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <systemc>

#include <tlm_utils/simple_initiator_socket.h>

#include "hw/ahci/hba.h"
#include "hw/ahci/registers.h"
#include "platform/ssd.h"
#include "testbench/ahci_guest/guest_ram.h"
#include "testbench/pci_proxy/server.h"

namespace solidtlm::testbench {

/// The guest's processor and the drive do not share a clock: each access of the guest, and each
/// millisecond in which it makes none, takes kTimeStep of simulated time.
class GuestBoard : public sc_core::sc_module, private pci_proxy::Device {
  public:
    /// `image`: what is on the drive from sector 0 on, written without time (platform::Ssd::age). REQUIRES:
    /// it fits.
    GuestBoard(const sc_core::sc_module_name& name, const platform::Configuration& configuration,
               std::span<const std::byte> image, Descriptor socket);

    /// Why serving has ended; empty: QEMU has.
    [[nodiscard]] const std::string& fault() const { return fault_; }
    [[nodiscard]] const hw::AhciStatistics& statistics() const { return hba_.statistics(); }

  private:
    void guest_thread();

    // pci_proxy::Device
    std::uint64_t read(unsigned bar, std::uint64_t offset, unsigned bytes) override;
    void write(unsigned bar, std::uint64_t offset, std::uint64_t value, unsigned bytes) override;
    void reset() override;

    bool access(tlm::tlm_command command, std::uint64_t offset, std::span<std::byte> data);

    pci_proxy::Server server_;
    tlm_utils::simple_initiator_socket<GuestBoard> processor_init_{"processor_init"};
    sc_core::sc_signal<bool> line_{"line"};
    GuestRam memory_;
    hw::AhciHba hba_;
    platform::Ssd drive_;
    std::string fault_;
};

}  // namespace solidtlm::testbench
