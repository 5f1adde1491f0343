// SPDX-License-Identifier: Apache-2.0
#include "testbench/torture/golden/recorded_numbers.h"

#include <gtest/gtest.h>

#include <sstream>

namespace solidtlm::testbench {
namespace {

using Lines = std::vector<std::string>;

TEST(RecordedNumbers, AreFlatAndIndependentOfTheMachine) {
    const Json result = {{"wall_time_s", 0.5},
                         {"host", {{"requests", 7}, {"share", 0.1}, {"wall_time_s", 3}}},
                         {"config", {{"seed", 1}}},
                         {"dies", {4, 5}},
                         {"precondition", {{"wall_time_s", 0.25}, {"erases", 2}}}};
    const Numbers expected{{"dies.0", "4"},       {"dies.1", "5"},           {"host.requests", "7"},
                           {"host.share", "0.1"}, {"host.wall_time_s", "3"}, {"precondition.erases", "2"}};
    EXPECT_EQ(numbers_of(result), expected);
}

TEST(RecordedNumbers, ReadBackAsWritten) {
    const Numbers numbers{{"a.b", "0.1"}, {"policy", "\"x = y\""}};
    std::stringstream file;
    write_numbers(numbers, file);
    EXPECT_EQ(file.str(), "a.b = 0.1\npolicy = \"x = y\"\n");
    EXPECT_EQ(read_numbers(file), numbers);
}

TEST(RecordedNumbers, ALineWithoutANumberIsAnError) {
    std::stringstream file("a = 1\n<<<<<<<\n");
    EXPECT_THROW((void)read_numbers(file), std::runtime_error);
}

TEST(RecordedNumbers, ChangedAndMissingOnesAreFaultsAddedOnesAreNot) {
    const NumberDifferences found = differences({{"gone", "1"}, {"moved", "3"}, {"same", "2"}},
                                                {{"moved", "4"}, {"new", "5"}, {"same", "2"}});
    EXPECT_EQ(found.faults, (Lines{"gone: 1 recorded, missing now", "moved: 3 recorded, 4 now"}));
    EXPECT_EQ(found.added, (Lines{"new: 5, not recorded yet"}));
    EXPECT_TRUE(differences({{"same", "2"}}, {{"same", "2"}}).faults.empty());
}

}  // namespace
}  // namespace solidtlm::testbench
