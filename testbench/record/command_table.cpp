// SPDX-License-Identifier: Apache-2.0
#include "testbench/record/command_table.h"

#include <string>
#include <string_view>

#include "fw/hal/ledger.h"
#include "testbench/results/host_metrics.h"

namespace solidtlm::testbench {
namespace {

constexpr std::array<std::string_view, 14> kColumns{
    "number", "request", "operation",  "lba",       "sectors",      "fua",        "queued",
    "tag",    "retries", "arrival_ps", "issued_ps", "completed_ps", "latency_ps", "failed"};
static_assert(kColumns.size() + hal::kStages <= TableLine::kMostColumns);

std::string heading() {
    std::string text;
    for (const std::string_view column : kColumns) {
        text.append(column).append(",");
    }
    for (const std::string_view stage : hal::kStageNames) {
        text.append(stage).append("_ps,");
    }
    text.back() = '\n';
    return text;
}

}  // namespace

CommandTable::CommandTable(const std::filesystem::path& path) : file_(path, heading()) {}

void CommandTable::completed(Command& command) {
    TableLine line(file_);
    line.numbers(command.sequence, command.request);
    line.text(kOperationNames[static_cast<std::size_t>(command.operation)]);
    line.numbers(first_lba(command).value, all_sectors(command), command.fua, command.queued, command.tag,
                 command.retries, command.arrival, command.issued_at, command.completed_at,
                 command.completed_at - command.arrival, command.status == CommandStatus::failed);
    line.numbers_of(hal::kStages,
                    [&command](std::size_t stage) { return command.ledger[static_cast<hal::Stage>(stage)]; });
    line.end();
}

}  // namespace solidtlm::testbench
