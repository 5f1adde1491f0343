// SPDX-License-Identifier: Apache-2.0
//
// For tests: the memory that a run needs.
#pragma once

#include <unistd.h>

#include <cstdint>
#include <fstream>
#include <map>
#include <memory>
#include <vector>

#include "testbench/sim/host/request.h"

namespace solidtlm::testbench {

/// Resident set of this process in bytes (proc(5), statm).
inline std::uint64_t resident_bytes() {
    std::uint64_t total = 0;
    std::uint64_t resident = 0;
    std::ifstream("/proc/self/statm") >> total >> resident;
    return resident * static_cast<std::uint64_t>(sysconf(_SC_PAGESIZE));
}

/// Measures memory when the number of requests taken from a source reaches each value of `looks`.
class MemoryProbe : public RequestSource {
  public:
    MemoryProbe(std::unique_ptr<RequestSource> source, std::vector<std::uint64_t> looks)
        : source_(std::move(source)), looks_(std::move(looks)) {}

    bool next(Request& request) override {
        if (bytes.size() < looks_.size() && taken_ == looks_[bytes.size()]) {
            bytes.push_back(resident_bytes());
        }
        ++taken_;
        return source_->next(request);
    }

    std::vector<std::uint64_t> bytes;  ///< one value per look

  private:
    std::unique_ptr<RequestSource> source_;
    std::vector<std::uint64_t> looks_;
    std::uint64_t taken_ = 0;
};

}  // namespace solidtlm::testbench
