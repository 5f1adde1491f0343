// SPDX-License-Identifier: Apache-2.0
//
// A host bus adapter with a SATA drive at port 0.
#pragma once

#include "hw/ahci/hba.h"
#include "platform/sata_front_end.h"
#include "testbench/doors/guest/pci_function.h"

namespace solidtlm::testbench {

class AhciFunction final : public PciFunction {
  public:
    /// `drive` must outlive this object and must have no other host.
    AhciFunction(const sc_core::sc_module_name& name, platform::SataFrontEnd& drive);

    void bind(GuestRam& memory) override { hba_.dma_init.bind(memory.target); }
    [[nodiscard]] bool line() const override { return line_.read(); }
    void reset() override;

  private:
    sc_core::sc_signal<bool> line_{"line"};
    hw::AhciHba hba_;
};

}  // namespace solidtlm::testbench
