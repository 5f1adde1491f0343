// SPDX-License-Identifier: Apache-2.0
//
// A file in memory, for a reader that needs a path.
#pragma once

#include <sys/mman.h>
#include <unistd.h>

#include <string>
#include <string_view>

#include "fw/hal/check.h"

namespace solidtlm::fuzz {

/// A file in memory: millions of rewrites neither wear out nor wait for a drive.
class MemoryFile {
  public:
    MemoryFile() { SOLIDTLM_CHECK(descriptor_ >= 0, "memory for a file"); }
    ~MemoryFile() { close(descriptor_); }
    MemoryFile(const MemoryFile&) = delete;
    MemoryFile& operator=(const MemoryFile&) = delete;

    /// Replaces the file's contents.
    void replace(std::string_view bytes) const {
        const bool written =
            ftruncate(descriptor_, 0) == 0 &&
            pwrite(descriptor_, bytes.data(), bytes.size(), 0) == static_cast<ssize_t>(bytes.size());
        SOLIDTLM_CHECK(written, "a file in memory takes an input");
    }
    [[nodiscard]] int descriptor() const { return descriptor_; }
    [[nodiscard]] std::string path() const { return "/proc/self/fd/" + std::to_string(descriptor_); }

  private:
    int descriptor_ = memfd_create("input", MFD_CLOEXEC);
};

}  // namespace solidtlm::fuzz
