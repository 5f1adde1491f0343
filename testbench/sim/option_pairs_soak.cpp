// SPDX-License-Identifier: Apache-2.0
//
// The pairs of OptionPairs in other combinations, with more power cuts.
#include "testbench/sim/option_pairs_test_support.h"

namespace solidtlm::testbench {
namespace {

class OptionPairsSoak : public ::testing::TestWithParam<int> {};

TEST_P(OptionPairsSoak, LoseNothingWhenPowerIsCut) {
    run_rows(static_cast<std::uint64_t>(GetParam()), 40);
}

INSTANTIATE_TEST_SUITE_P(Seeds, OptionPairsSoak, ::testing::Range(2, 22));

}  // namespace
}  // namespace solidtlm::testbench
