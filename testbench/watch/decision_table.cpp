// SPDX-License-Identifier: Apache-2.0
#include "testbench/watch/decision_table.h"

namespace solidtlm::testbench {

DecisionTable::DecisionTable(const std::filesystem::path& path)
    : file_(path, {{"at_ps"},
                   {"decision", hal::kDeedNames},
                   {"why", hal::kReasonNames},
                   {"area", hal::kAreaNames},
                   {"unit", {}, true},
                   {"block", {}, true},
                   {"page", {}, true},
                   {"count", {}, true},
                   {"erases", {}, true},
                   {"free", {}, true}}) {}

void DecisionTable::decided(const hal::Decision& decision) {
    TableLine line(file_);
    line.numbers(decision.at, decision.deed, decision.reason, decision.area);
    for (const std::uint32_t value :
         {decision.unit, decision.block, decision.page, decision.count, decision.erases, decision.free}) {
        line.numbers(value == hal::Decision::kNotTold ? TableColumn::kAbsent : value);
    }
    line.end();
}

}  // namespace solidtlm::testbench
