// SPDX-License-Identifier: Apache-2.0
#include "testbench/conformance/qtest/nvme_qtest_board.h"

#include "hw/nvme/registers.h"

namespace solidtlm::testbench {

NvmeQtestBoard::NvmeQtestBoard(const sc_core::sc_module_name& name, const QtestSettings& settings,
                               std::istream& in, std::ostream& out)
    : QtestBoard(name, settings, hw::nvme::kBarBytes, in, out),
      drive_("drive", settings.configuration, platform::ProtocolChecks::on) {
    SOLIDTLM_CHECK(settings.configuration.has_nvme(), "a drive with NVMe");
    platform::NvmeFrontEnd& front_end = drive_.nvme();
    front_end.bind_host(bus_.register_init, memory_.dma_target);
    interrupt_.bind(front_end.interrupt);
}

}  // namespace solidtlm::testbench
