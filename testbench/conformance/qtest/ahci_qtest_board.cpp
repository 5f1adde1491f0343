// SPDX-License-Identifier: Apache-2.0
#include "testbench/conformance/qtest/ahci_qtest_board.h"

#include <string>

namespace solidtlm::testbench {

AhciQtestBoard::AhciQtestBoard(const sc_core::sc_module_name& name, const QtestSettings& settings,
                               const hw::AhciConfig& adapter, const std::vector<std::uint32_t>& drives,
                               std::istream& in, std::ostream& out)
    : QtestBoard(name, settings, hw::ahci::kRegisterBytes, in, out), hba_("hba", adapter) {
    checkers_.join(bus_.register_init, hba_.register_target);
    checkers_.join(hba_.dma_init, memory_.dma_target);
    hba_.interrupt.bind(line_);
    interrupt_.bind(line_);
    drives_.reserve(drives.size());
    for (const std::uint32_t port : drives) {
        drives_.push_back(std::make_unique<platform::Ssd>(
            ("drive_" + std::to_string(port)).c_str(), settings.configuration, platform::ProtocolChecks::on));
        drives_.back()->sata().bind_host(hba_.link_init[port], hba_.link_target[port]);
    }
}

}  // namespace solidtlm::testbench
