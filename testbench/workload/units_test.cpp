// SPDX-License-Identifier: Apache-2.0
#include "testbench/workload/units.h"

#include <gtest/gtest.h>

#include "testbench/workload/suggest.h"

namespace solidtlm::testbench {
namespace {

using namespace std::chrono_literals;

TEST(Units, SizesAreExact) {
    EXPECT_EQ(parse_size("0"), 0U);
    EXPECT_EQ(parse_size("512B"), 512U);
    EXPECT_EQ(parse_size("4k"), 4096U);
    EXPECT_EQ(parse_size("4KiB"), 4096U);
    EXPECT_EQ(parse_size("4kB"), 4000U);
    EXPECT_EQ(parse_size("1.5GiB"), 1610612736U);
    EXPECT_EQ(parse_size("8GB"), 8000000000U);
    EXPECT_EQ(parse_size("2TiB"), std::uint64_t{1} << 41);
    EXPECT_EQ(parse_size("0.1kB"), 100U);
    for (const char* bad :
         {"", "k", "4x", "-1", "4 k", "1.5", "0.1k", "1..5k", "99999999999t", "1e3", "4kk"}) {
        EXPECT_EQ(parse_size(bad), std::nullopt) << bad;
    }
}

TEST(Units, DurationsNeedAUnit) {
    EXPECT_EQ(parse_duration("250ns"), 250ns);
    EXPECT_EQ(parse_duration("1.5ms"), 1500us);
    EXPECT_EQ(parse_duration("2s"), 2s);
    EXPECT_EQ(parse_duration("1ps"), hal::Ps{1});
    for (const char* bad : {"", "5", "ms", "0.5ps", "99999999s", "1min"}) {
        EXPECT_EQ(parse_duration(bad), std::nullopt) << bad;
    }
}

TEST(Units, RatesCountsAndShares) {
    EXPECT_EQ(parse_rate("50k"), 50000.0);
    EXPECT_EQ(parse_rate("1.5M"), 1.5e6);
    EXPECT_EQ(parse_rate("0"), std::nullopt);
    EXPECT_EQ(parse_rate("k"), std::nullopt);
    EXPECT_EQ(parse_count("100k"), 100000U);
    EXPECT_EQ(parse_count("1.5"), std::nullopt);
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
