// SPDX-License-Identifier: Apache-2.0
#include "testbench/watch/fio_log.h"

#include <spdlog/fmt/fmt.h>

#include <iterator>

#include "testbench/watch/command_table.h"
#include "testbench/watch/settings.h"

namespace solidtlm::testbench {
namespace {

std::array<StreamedFile, 3> opened(const std::array<std::filesystem::path, 3>& paths) {
    return {StreamedFile(paths[0]), StreamedFile(paths[1]), StreamedFile(paths[2])};
}

/// fio's number for the data direction.
int direction(Operation operation) {
    return operation == Operation::read ? 0 : operation == Operation::write ? 1 : 2;
}

}  // namespace

FioLog::FioLog(const std::filesystem::path& prefix) : files_(opened(fio_log_paths(prefix))) {}

void FioLog::completed(Command& command) {
    if (command.operation == Operation::flush || command.status == CommandStatus::failed) {
        return;
    }
    using std::chrono::duration_cast;
    const std::array<Ps, 3> latencies{command.completed_at - command.arrival,
                                      command.issued_at - command.arrival,
                                      command.completed_at - command.issued_at};
    for (std::size_t i = 0; i < files_.size(); ++i) {
        fmt::memory_buffer line;
        fmt::format_to(std::back_inserter(line), "{}, {}, {}, {}, {}, 0\n",
                       duration_cast<std::chrono::milliseconds>(command.completed_at).count(),
                       duration_cast<std::chrono::nanoseconds>(latencies[i]).count(),
                       direction(command.operation), all_sectors(command) * hal::kSectorBytes,
                       first_lba(command).value * hal::kSectorBytes);
        files_[i].write({line.data(), line.size()});
    }
}

void FioLog::finish() {
    for (StreamedFile& file : files_) {
        file.finish();
    }
}

}  // namespace solidtlm::testbench
