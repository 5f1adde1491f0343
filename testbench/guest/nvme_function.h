// SPDX-License-Identifier: Apache-2.0
//
// An NVMe drive. Configuration space of pci_proxy has no capabilities, so interrupts come by the pin.
#pragma once

#include "platform/nvme_front_end.h"
#include "testbench/guest/pci_function.h"

namespace solidtlm::testbench {

class NvmeFunction final : public PciFunction {
  public:
    /// `drive` must outlive it, and has no other host.
    NvmeFunction(const sc_core::sc_module_name& name, platform::NvmeFrontEnd& drive);

    void bind(GuestRam& memory) override { drive_.bind_host(processor_init_, memory.target); }
    [[nodiscard]] bool line() const override { return drive_.interrupt.read(); }
    void reset() override;

  private:
    platform::NvmeFrontEnd& drive_;
};

}  // namespace solidtlm::testbench
