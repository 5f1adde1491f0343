// SPDX-License-Identifier: Apache-2.0
#include "testbench/watch/command_table.h"

#include <array>
#include <string>

#include "fw/hal/ledger.h"
#include "testbench/show/host_metrics.h"

namespace solidtlm::testbench {
namespace {

const std::array<std::string, hal::kStages>& stage_columns() {
    static const auto names = [] {
        std::array<std::string, hal::kStages> result;
        for (std::size_t i = 0; i < hal::kStages; ++i) {
            result[i] = std::string(hal::kStageNames[i]) + "_ps";
        }
        return result;
    }();
    return names;
}

TableColumns columns() {
    TableColumns result{{"number"},     {"request"},   {"operation", kOperationNames},
                        {"lba"},        {"sectors"},   {"fua"},
                        {"queued"},     {"tag"},       {"retries"},
                        {"arrival_ps"}, {"issued_ps"}, {"completed_ps"},
                        {"latency_ps"}, {"failed"}};
    for (const std::string& stage : stage_columns()) {
        result.push_back({stage});
    }
    return result;
}

}  // namespace

CommandTable::CommandTable(const std::filesystem::path& path) : file_(path, columns()) {}

void CommandTable::completed(Command& command) {
    TableLine line(file_);
    line.numbers(command.sequence, command.request, command.operation, first_lba(command).value,
                 all_sectors(command), command.fua, command.queued, command.tag, command.retries,
                 command.arrival, command.issued_at, command.completed_at,
                 command.completed_at - command.arrival, command.status == CommandStatus::failed);
    for (std::size_t stage = 0; stage < hal::kStages; ++stage) {
        line.numbers(command.ledger[static_cast<hal::Stage>(stage)]);
    }
    line.end();
}

}  // namespace solidtlm::testbench
