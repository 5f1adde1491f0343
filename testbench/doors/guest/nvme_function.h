// SPDX-License-Identifier: Apache-2.0
//
// An NVMe drive as a PCI function. The configuration space of pci_proxy has no capabilities, so interrupts
// use the INTA pin.
#pragma once

#include "platform/nvme_front_end.h"
#include "testbench/doors/guest/pci_function.h"

namespace solidtlm::testbench {

class NvmeFunction final : public PciFunction {
  public:
    /// `drive` must outlive this object and must have no other host.
    NvmeFunction(const sc_core::sc_module_name& name, platform::NvmeFrontEnd& drive);

    void bind(GuestRam& memory) override { drive_.bind_host(processor_init_, memory.target); }
    [[nodiscard]] bool line() const override { return drive_.interrupt.read(); }
    void reset() override;

  private:
    platform::NvmeFrontEnd& drive_;
};

}  // namespace solidtlm::testbench
