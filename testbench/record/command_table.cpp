// SPDX-License-Identifier: Apache-2.0
#include "testbench/record/command_table.h"

#include <charconv>
#include <string>
#include <string_view>

#include "fw/hal/ledger.h"
#include "testbench/results/host_metrics.h"

namespace solidtlm::testbench {
namespace {

constexpr std::array<std::string_view, 14> kColumns{
    "number", "request", "operation",  "lba",       "sectors",      "fua",        "queued",
    "tag",    "retries", "arrival_ps", "issued_ps", "completed_ps", "latency_ps", "failed"};

/// Room for every value of a line with its comma.
constexpr std::size_t kCellBytes = 21;
constexpr std::size_t kLineBytes = (kColumns.size() + hal::kStages) * kCellBytes;

/// A line as it grows.
class Line {
  public:
    void number(std::uint64_t value) {
        if (value == 0) {  // most stages
            *at_++ = '0';
        } else {
            at_ = std::to_chars(at_, bytes_.data() + bytes_.size(), value).ptr;
        }
        *at_++ = ',';
    }
    void time(Ps value) { number(static_cast<std::uint64_t>(value.count())); }
    void text(std::string_view value) {
        at_ += value.copy(at_, kCellBytes);
        *at_++ = ',';
    }
    /// The last comma becomes the end of the line.
    [[nodiscard]] std::string_view end() {
        at_[-1] = '\n';
        return {bytes_.data(), static_cast<std::size_t>(at_ - bytes_.data())};
    }

  private:
    std::array<char, kLineBytes> bytes_;
    char* at_ = bytes_.data();
};

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

CommandTable::CommandTable(const std::filesystem::path& path) : file_(path) {
    if (path.extension() == ".zst") {
        compressed_ = std::make_unique<ZstdOutput>([this](std::string_view bytes) { file_.write(bytes); },
                                                   ZstdOutput::On::another_thread);
    }
    write(heading());
}

CommandTable::~CommandTable() = default;

void CommandTable::write(std::string_view text) {
    if (compressed_ != nullptr) {
        compressed_->sputn(text.data(), static_cast<std::streamsize>(text.size()));
    } else {
        file_.write(text);
    }
}

void CommandTable::completed(Command& command) {
    std::uint64_t sectors = command.sectors;
    Lba lba = command.lba;
    if (!command.ranges.empty()) {
        lba = command.ranges.front().lba;
        sectors = 0;
        for (const TrimRange& range : command.ranges) {
            sectors += range.sectors;
        }
    }
    Line line;
    line.number(command.sequence);
    line.number(command.request);
    line.text(kOperationNames[static_cast<std::size_t>(command.operation)]);
    line.number(lba.value);
    line.number(sectors);
    line.number(command.fua ? 1 : 0);
    line.number(command.queued ? 1 : 0);
    line.number(command.tag);
    line.number(command.retries);
    line.time(command.arrival);
    line.time(command.issued_at);
    line.time(command.completed_at);
    line.time(command.completed_at - command.arrival);
    line.number(command.status == CommandStatus::failed ? 1 : 0);
    for (std::size_t stage = 0; stage < hal::kStages; ++stage) {
        line.time(command.ledger[static_cast<hal::Stage>(stage)]);
    }
    write(line.end());
}

void CommandTable::finish() {
    if (compressed_ != nullptr) {
        compressed_->finish();
    }
    file_.finish();
}

}  // namespace solidtlm::testbench
