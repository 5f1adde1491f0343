// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>

namespace solidtlm::testbench {

/// While a FileClaim exists, no other run can claim the file. Otherwise, of two runs that read a file,
/// continue from it and replace it at the end, one would undo the other's work. The claim is a lock on a file
/// beside it, which the kernel releases however a process ends.
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
