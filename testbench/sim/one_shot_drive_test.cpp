// SPDX-License-Identifier: Apache-2.0
//
// The write speed of one die against closed forms: page by page, and a word line at once.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <array>

#include "testbench/sim/one_die_test_support.h"
#include "testbench/sim/test_support.h"

namespace solidtlm::testbench::one_shot {
namespace {

constexpr double kPageBytes = 4096.0;
constexpr double kPageInUs = (kPageBytes + 7) * 0.025;  // 80h-5A, data, 10h or 11h or 1Ah
constexpr double kStatusUs = 2 * 0.025;
constexpr double kPlaneBusyUs = 2.0;
constexpr double kProgramUs = 900.0;
constexpr double kTolerance = 0.005;

struct Way {
    bool at_once;
    int planes;
    int word_line;

    [[nodiscard]] int pages() const { return planes * (at_once ? word_line : 1); }
    /// All pages cross the bus; between them the die is busy for tDBSY, after them for tPROG.
    [[nodiscard]] double us_per_page() const {
        return kPageInUs + ((pages() - 1) * kPlaneBusyUs + kProgramUs + kStatusUs) / pages();
    }
};

void PrintTo(const Way& way, std::ostream* out) {
    *out << (way.at_once ? "at once, " : "by page, ") << way.planes << " planes, " << way.word_line
         << " pages";
}

platform::Configuration drive(const Way& way) {
    constexpr std::array kCells{"mlc", "tlc", "qlc"};
    std::vector<std::string> settings = one_die_settings(way.planes);
    settings.push_back(fmt::format("nand.timing.program={}us", kProgramUs));
    if (way.at_once) {
        settings.emplace_back("nand.programming=one_shot");
        settings.push_back(fmt::format("nand.cell={}", kCells.at(way.word_line - 2)));
    }
    return preset("agrawal", settings);
}

class WriteSpeed : public testing::TestWithParam<Way> {};

TEST_P(WriteSpeed, EqualsThatOfTheDie) {
    const Way& way = GetParam();
    constexpr double kBytes = 40e6;
    const Json result =
        run_workload(drive(way), fmt::format("sequential,read=0,size=4k,bytes={:.0f}", kBytes));
    const double written = result["firmware"]["ftl.written_units"];
    EXPECT_GT(written, 0.99 * kBytes / kPageBytes);
    const double us = kBytes / result["host"]["write"]["mb_per_s"].get<double>();
    EXPECT_NEAR(us / written, way.us_per_page(), way.us_per_page() * kTolerance);
    EXPECT_EQ(result["firmware"]["ftl.padded_units"], 0.0);
}

INSTANTIATE_TEST_SUITE_P(Ways, WriteSpeed,
                         testing::Values(Way{false, 1, 3}, Way{false, 2, 3}, Way{true, 1, 2}, Way{true, 1, 3},
                                         Way{true, 2, 3}, Way{true, 4, 3}, Way{true, 2, 4}));

}  // namespace
}  // namespace solidtlm::testbench::one_shot
