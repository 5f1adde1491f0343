// SPDX-License-Identifier: Apache-2.0
//
// The qtest board with an AHCI host bus adapter and drives at some of its ports.
#pragma once

#include <memory>
#include <vector>

#include "hw/ahci/hba.h"
#include "platform/ssd.h"
#include "testbench/conformance/qtest/qtest_board.h"

namespace solidtlm::testbench {

class AhciQtestBoard final : public QtestBoard {
  public:
    /// `drives`: the ports that have a drive.
    AhciQtestBoard(const sc_core::sc_module_name& name, const QtestSettings& settings,
                   const hw::AhciConfig& adapter, const std::vector<std::uint32_t>& drives, std::istream& in,
                   std::ostream& out);

  private:
    sc_core::sc_signal<bool> line_{"line"};
    hw::AhciHba hba_;
    std::vector<std::unique_ptr<platform::Ssd>> drives_;
};

}  // namespace solidtlm::testbench
