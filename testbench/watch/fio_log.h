// SPDX-License-Identifier: Apache-2.0
//
// Latencies of commands in the format of fio's write_lat_log with log_offset ("Log File Formats" in its
// documentation), for scripts that read and plot such logs.
#pragma once

#include <array>
#include <filesystem>

#include "testbench/sim/files/streamed_file.h"
#include "testbench/sim/host/command.h"

namespace solidtlm::testbench {

/// Leaves out what fio does not log: flushes, and commands that failed.
class FioLog : public CommandObserver {
  public:
    /// Throws OutputError.
    explicit FioLog(const std::filesystem::path& prefix);

    void issued(Command& /*command*/) override {}
    void completed(Command& command) override;
    void finished() override {}

    /// Moves the files to their places. Throws OutputError.
    void finish();

  private:
    std::array<StreamedFile, 3> files_;  ///< in the order of fio_log_paths()
};

}  // namespace solidtlm::testbench
