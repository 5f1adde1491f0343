// SPDX-License-Identifier: Apache-2.0
//
// Every pair of options that the configuration accepts, on drives that lose power.
#include "testbench/sim/option_pairs_test_support.h"

namespace solidtlm::testbench {
namespace {

// Two options of 3 values and one of 2 make 9 + 6 + 6 pairs. One is refused; 9 rows are the minimum.
TEST(CoveringArray, HoldsEveryLegalPairInFewRows) {
    const std::vector<Option> options{
        {"a", {{"0"}, {"1"}, {"2"}}}, {"b", {{"0"}, {"1"}, {"2"}}}, {"c", {{"0"}, {"1"}}}};
    const std::function<bool(const Row&)> legal = [](const Row& row) { return row[0] != 2 || row[1] != 1; };
    const CoveringArray array(options, legal, 1);
    EXPECT_EQ(array.refused(), (std::set<Pair>{{0, 2, 1, 1}}));
    EXPECT_EQ(array.legal_pairs().size(), 9U - 1 + 6 + 6);
    EXPECT_GE(array.rows().size(), 8U);
    EXPECT_LE(array.rows().size(), 12U);
    for (const Row& row : array.rows()) {
        EXPECT_TRUE(legal(row));
    }
    for (const Pair& pair : array.legal_pairs()) {
        EXPECT_TRUE(std::any_of(array.rows().begin(), array.rows().end(),
                                [&pair](const Row& row) { return CoveringArray::holds(row, pair); }));
    }
}

TEST(OptionPairs, LoseNothingWhenPowerIsCut) {
    run_rows(1, 8);
}

}  // namespace
}  // namespace solidtlm::testbench
