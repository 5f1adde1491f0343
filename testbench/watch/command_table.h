// SPDX-License-Identifier: Apache-2.0
//
// A table with one line per host command, in order of completion.
#pragma once

#include <filesystem>

#include "testbench/sim/host/command.h"
#include "testbench/watch/table_file.h"

namespace solidtlm::testbench {

/// The command's LBA; for a trim, that of its first range.
[[nodiscard]] inline Lba first_lba(const Command& command) {
    return command.ranges.empty() ? command.lba : command.ranges.front().lba;
}
/// The command's number of sectors; for a trim, the sum over its ranges.
[[nodiscard]] inline std::uint64_t all_sectors(const Command& command) {
    std::uint64_t sum = command.ranges.empty() ? command.sectors : 0;
    for (const TrimRange& range : command.ranges) {
        sum += range.sectors;
    }
    return sum;
}

/// Columns: docs/commands.md. Times are whole picoseconds of simulated time since power-on.
class CommandTable : public CommandObserver {
  public:
    /// Throws OutputError.
    explicit CommandTable(const std::filesystem::path& path);

    void issued(Command& /*command*/) override {}
    void completed(Command& command) override;
    void finished() override {}

    /// Moves the file to its place. Throws OutputError.
    void finish() { file_.finish(); }

  private:
    TableFile file_;
};

}  // namespace solidtlm::testbench
