// SPDX-License-Identifier: Apache-2.0
//
// A benchmark program on the file system.
#pragma once

#include <cstdint>
#include <memory>

#include "testbench/sim/load/fs/filesystem.h"

namespace solidtlm::testbench::fs {

struct BenchmarkTimes {
    /// what the benchmark counts, e.g. PostMark's transactions, or files deleted
    std::uint64_t operations = 0;
    Ps begin{0};  ///< of the measured part
    Ps end{0};
    Ps synced{0};  ///< when everything is on disk, including trims
};

class FsBenchmark {
  public:
    virtual ~FsBenchmark() = default;
    /// Runs the program from start to end, then sync().
    virtual Task<void> run() = 0;
    [[nodiscard]] virtual const BenchmarkTimes& times() const = 0;
};

/// All references must outlive the benchmark.
[[nodiscard]] std::unique_ptr<FsBenchmark> make_postmark(const PostmarkConfig& config, std::uint64_t seed,
                                                         Filesystem& filesystem, HostScheduler& scheduler);
[[nodiscard]] std::unique_ptr<FsBenchmark> make_filebench_delete(const FilebenchConfig& config,
                                                                 std::uint64_t seed, Filesystem& filesystem,
                                                                 HostScheduler& scheduler);

}  // namespace solidtlm::testbench::fs
