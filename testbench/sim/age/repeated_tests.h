// SPDX-License-Identifier: Apache-2.0
//
// Random writes as fio's randrepeat gives them: every test begins its threads with the same seeds again, so
// the n-th thread of each test writes the same places in the same order, as far as the test comes.
#pragma once

#include <cstddef>
#include <memory>
#include <vector>

#include "testbench/sim/host/request.h"
#include "testbench/sim/load/workload.h"

namespace solidtlm::testbench {

/// Threads of a test take turns: a write each.
class RepeatedTests : public RequestSource {
  public:
    struct Test {
        std::uint64_t jobs = 1;
        std::uint64_t writes = 0;  ///< of all threads together
    };
    /// The first thread does what `load` with its seed does, the n-th what it does with `seed` + n - 1.
    RepeatedTests(WorkloadConfig load, std::vector<Test> tests)
        : load_(std::move(load)), tests_(std::move(tests)) {}

    bool next(Request& request) override;

  private:
    WorkloadConfig load_;
    std::vector<Test> tests_;
    std::size_t test_ = 0;                                 ///< that is going on
    std::uint64_t done_ = 0;                               ///< writes of it
    std::vector<std::unique_ptr<RequestSource>> threads_;  ///< of it
};

}  // namespace solidtlm::testbench
