// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>

namespace solidtlm::testbench {

/// While it lives, no other run can claim the file: a run that reads a file, continues from it and replaces
/// it in the end would undo what another run did meanwhile. The claim is a lock on a file beside it, which
/// the kernel releases however a process ends.
class FileClaim {
  public:
    /// Throws OutputError: "FILE is in use by another run".
    explicit FileClaim(const std::filesystem::path& path);
    ~FileClaim();
    FileClaim(const FileClaim&) = delete;
    FileClaim& operator=(const FileClaim&) = delete;

  private:
    std::filesystem::path lock_;
    int file_ = -1;
};

}  // namespace solidtlm::testbench
