// SPDX-License-Identifier: Apache-2.0
#include "testbench/workload/units.h"

#include <gtest/gtest.h>

#include "testbench/workload/suggest.h"

namespace solidtlm::testbench {
namespace {

using namespace std::chrono_literals;

TEST(Units, RatesAndShares) {
    EXPECT_EQ(parse_rate("50k"), 50000.0);
    EXPECT_EQ(parse_rate("1.5M"), 1.5e6);
    EXPECT_EQ(parse_rate("0"), std::nullopt);
    EXPECT_EQ(parse_rate("2g"), 2e9);
    EXPECT_EQ(parse_rate("k"), std::nullopt);
    EXPECT_EQ(parse_rate(""), std::nullopt);
    EXPECT_EQ(parse_share("30%"), 0.3);
    EXPECT_EQ(parse_share("1"), 1.0);
    EXPECT_EQ(parse_share("1.01"), std::nullopt);
    EXPECT_EQ(parse_share("-0.1"), std::nullopt);
    EXPECT_EQ(parse_share("nan"), std::nullopt);
    EXPECT_EQ(parse_real("inf"), std::nullopt);
}

TEST(Suggest, EditDistanceOfKnownPairs) {
    EXPECT_EQ(edit_distance("kitten", "sitting"), 3U);
    EXPECT_EQ(edit_distance("", "abc"), 3U);
    EXPECT_EQ(edit_distance("same", "same"), 0U);
}

}  // namespace
}  // namespace solidtlm::testbench
