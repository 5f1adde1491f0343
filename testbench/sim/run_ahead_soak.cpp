// SPDX-License-Identifier: Apache-2.0
//
// About 340 drives, more than in run_ahead_test.cpp, with more power cuts; three runs of each.
#include "testbench/sim/run_ahead_test_support.h"

namespace solidtlm::testbench {
namespace {

class RunAheadSoak : public ::testing::TestWithParam<int> {};

TEST_P(RunAheadSoak, ChangesNoResultWaveformOrTimeline) {
    compare_rows(static_cast<std::uint64_t>(GetParam()), 10);
}

INSTANTIATE_TEST_SUITE_P(Seeds, RunAheadSoak, ::testing::Range(2, 6));

}  // namespace
}  // namespace solidtlm::testbench
