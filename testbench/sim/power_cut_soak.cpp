// SPDX-License-Identifier: Apache-2.0
//
// 20,000 more power cuts of the whole drive, at other instants and with other variants than in
// power_cut_drive_test.cpp.
#include "testbench/sim/power_cut_test_support.h"

namespace solidtlm::testbench {
namespace {

class PowerCutSoak : public ::testing::TestWithParam<int> {};

TEST_P(PowerCutSoak, LosesNothingDurable) {
    const auto seed = static_cast<std::uint64_t>(GetParam());
    survive_power_cuts(power_variant(seed), seed, 200);
}

INSTANTIATE_TEST_SUITE_P(Seeds, PowerCutSoak, ::testing::Range(101, 201));

}  // namespace
}  // namespace solidtlm::testbench
