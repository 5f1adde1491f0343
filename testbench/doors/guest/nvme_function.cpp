// SPDX-License-Identifier: Apache-2.0
#include "testbench/doors/guest/nvme_function.h"

#include "hw/nvme/registers.h"

namespace solidtlm::testbench {
namespace {

constexpr pci_proxy::PciIdentity kNvmeIdentity{.vendor = hw::nvme::kPciVendor,
                                               .device = hw::nvme::kPciDevice,
                                               .class_code = hw::nvme::kPciClass,
                                               .revision = 1,
                                               .bar_bytes = {hw::nvme::kBarBytes, 0, 0, 0, 0, 0}};
constexpr auto kStatus = static_cast<std::uint32_t>(hw::nvme::Register::csts);
const sc_core::sc_time kResetStep(1, sc_core::SC_US);  // between two reads of CSTS

}  // namespace

NvmeFunction::NvmeFunction(const sc_core::sc_module_name& name, platform::NvmeFrontEnd& drive)
    : PciFunction(name, kNvmeIdentity), drive_(drive) {}

/// Returns when no DMA is under way any more, because the guest's firmware then reuses the memory.
void NvmeFunction::reset() {
    drive_.device.reset_function();
    while ((drive_.device.load(kStatus) & hw::nvme::kCstsReady) != 0) {
        wait(kResetStep);
    }
}

}  // namespace solidtlm::testbench
