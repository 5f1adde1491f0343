// SPDX-License-Identifier: Apache-2.0
#include "testbench/doors/guest/ahci_function.h"

#include "hw/ahci/registers.h"

namespace solidtlm::testbench {
namespace {

constexpr unsigned kAbar = 5;
constexpr pci_proxy::PciIdentity kAhciIdentity{.vendor = 0x1B36,  // Red Hat: virtual devices of QEMU

                                               .device = 0x0101,
                                               .class_code = 0x010601,  // AHCI 1.3.1, 2.1.5
                                               .revision = 1,
                                               .bar_bytes = {0, 0, 0, 0, 0, 8192}};
static_assert(kAhciIdentity.bar_bytes[kAbar] > 0);

}  // namespace

AhciFunction::AhciFunction(const sc_core::sc_module_name& name, platform::SataFrontEnd& drive)
    : PciFunction(name, kAhciIdentity), hba_("hba", hw::AhciConfig{}) {
    processor_init_.bind(hba_.register_target);
    hba_.interrupt.bind(line_);
    drive.bind_host(hba_.link_init[0], hba_.link_target[0]);
}

void AhciFunction::reset() {
    write(kAbar, static_cast<std::uint64_t>(hw::ahci::Global::ghc), hw::ahci::kGhcHr, sizeof(hw::ahci::Word));
}

}  // namespace solidtlm::testbench
