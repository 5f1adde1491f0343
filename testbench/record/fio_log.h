// SPDX-License-Identifier: Apache-2.0
//
// Latencies of commands as fio logs them with write_lat_log and log_offset ("Log File Formats" of its
// documentation), for the scripts that read and plot such logs.
#pragma once

#include <array>
#include <filesystem>

#include "testbench/files/streamed_file.h"
#include "testbench/host/command.h"

namespace solidtlm::testbench {

/// What fio takes no account of is left out: flushes, and commands that failed.
class FioLog : public CommandObserver {
  public:
    /// Throws OutputError.
    explicit FioLog(const std::filesystem::path& prefix);

    void issued(Command& /*command*/) override {}
    void completed(Command& command) override;
    void finished() override {}

    /// Puts the files in their places. Throws OutputError.
    void finish();

  private:
    std::array<StreamedFile, 3> files_;  ///< as fio_log_paths() names them
};

}  // namespace solidtlm::testbench
