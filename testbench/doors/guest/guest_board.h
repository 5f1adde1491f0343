// SPDX-License-Identifier: Apache-2.0
//
// A drive as a PCI device of a QEMU guest (docs/guest.md).
#pragma once

#include <memory>
#include <span>
#include <string>
#include <systemc>

#include "platform/ssd.h"
#include "testbench/doors/guest/guest_ram.h"
#include "testbench/doors/guest/pci_function.h"
#include "testbench/doors/pci_proxy/server.h"

namespace solidtlm::testbench {

/// The guest's processor and the drive do not share a clock: each access of the guest, and each
/// millisecond in which it makes none, takes kTimeStep of simulated time.
class GuestBoard : public sc_core::sc_module {
  public:
    /// `configuration` selects the interface. `image`: contents of the drive from sector 0 on, written in
    /// zero simulated time (platform::Ssd::age). REQUIRES: the image fits on the drive.
    GuestBoard(const sc_core::sc_module_name& name, const platform::Configuration& configuration,
               std::span<const std::byte> image, Descriptor socket);

    /// Why serving ended; empty if QEMU itself ended.
    [[nodiscard]] const std::string& fault() const { return fault_; }

  private:
    void guest_thread();

    platform::Ssd drive_;
    std::unique_ptr<PciFunction> function_;
    pci_proxy::Server server_;
    GuestRam memory_;
    std::string fault_;
};

}  // namespace solidtlm::testbench
