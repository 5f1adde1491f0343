// SPDX-License-Identifier: Apache-2.0
#include "testbench/record/decision_table.h"

namespace solidtlm::testbench {

DecisionTable::DecisionTable(const std::filesystem::path& path)
    : file_(path, "at_ps,decision,why,area,unit,block,page,count,erases,free\n") {}

void DecisionTable::decided(const hal::Decision& decision) {
    TableLine line(file_);
    line.numbers(decision.at);
    line.text(hal::kDeedNames[static_cast<std::size_t>(decision.deed)]);
    line.text(hal::kReasonNames[static_cast<std::size_t>(decision.reason)]);
    line.text(hal::kAreaNames[static_cast<std::size_t>(decision.area)]);
    for (const std::uint32_t value :
         {decision.unit, decision.block, decision.page, decision.count, decision.erases, decision.free}) {
        if (value == hal::Decision::kNotTold) {
            line.text("");
        } else {
            line.numbers(value);
        }
    }
    line.end();
}

}  // namespace solidtlm::testbench
