// SPDX-License-Identifier: Apache-2.0
//
// Every command of the host as a line of comma-separated values, in the order of completion.
#pragma once

#include <array>
#include <filesystem>
#include <memory>

#include "testbench/files/streamed_file.h"
#include "testbench/files/zstd_stream.h"
#include "testbench/host/command.h"

namespace solidtlm::testbench {

/// Columns: docs/commands.md. Times are whole picoseconds of simulated time since power-on.
class CommandTable : public CommandObserver {
  public:
    /// Compressed where the name ends with .zst. Throws OutputError.
    explicit CommandTable(const std::filesystem::path& path);
    ~CommandTable() override;
    CommandTable(const CommandTable&) = delete;
    CommandTable& operator=(const CommandTable&) = delete;

    void issued(Command& /*command*/) override {}
    void completed(Command& command) override;
    void finished() override {}

    /// Puts the file in its place. Throws OutputError.
    void finish();

  private:
    void write(std::string_view text);

    StreamedFile file_;
    std::unique_ptr<ZstdOutput> compressed_;  ///< on its way to file_; null: not compressed
};

}  // namespace solidtlm::testbench
