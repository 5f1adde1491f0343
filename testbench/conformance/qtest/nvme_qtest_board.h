// SPDX-License-Identifier: Apache-2.0
//
// The qtest board with an NVMe drive, whose BAR0 is on the bus.
#pragma once

#include "platform/ssd.h"
#include "testbench/conformance/qtest/qtest_board.h"

namespace solidtlm::testbench {

class NvmeQtestBoard final : public QtestBoard {
  public:
    /// REQUIRES: the drive has NVMe. It stays in step with the kernel with any run_ahead, because the
    /// board does not share its agenda.
    NvmeQtestBoard(const sc_core::sc_module_name& name, const QtestSettings& settings, std::istream& in,
                   std::ostream& out);

  private:
    platform::Ssd drive_;
};

}  // namespace solidtlm::testbench
