// SPDX-License-Identifier: Apache-2.0
#include "testbench/sim/age/repeated_tests.h"

namespace solidtlm::testbench {

bool RepeatedTests::next(Request& request) {
    while (test_ < tests_.size() && done_ == tests_[test_].writes) {
        ++test_;
        done_ = 0;
        threads_.clear();
    }
    if (test_ == tests_.size()) {
        return false;
    }
    const std::uint64_t thread = done_ % tests_[test_].jobs;
    if (thread == threads_.size()) {
        WorkloadConfig load = load_;
        load.seed += thread;
        threads_.push_back(make_workload(load));
    }
    ++done_;
    return threads_[thread]->next(request);
}

}  // namespace solidtlm::testbench
