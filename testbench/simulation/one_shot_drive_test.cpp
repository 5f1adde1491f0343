// SPDX-License-Identifier: Apache-2.0
//
// The write speed of one die against closed forms: page by page, and a word line at once, in one to three
// passes.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <array>

#include "testbench/simulation/one_die_test_support.h"
#include "testbench/simulation/test_support.h"

namespace solidtlm::testbench::one_shot {
namespace {

constexpr double kPageBytes = 4096.0;
constexpr double kPageInUs = (kPageBytes + 7) * 0.025;  // 80h-5A, data, 10h or 11h or 1Ah
constexpr double kStatusUs = 2 * 0.025;
constexpr double kPlaneBusyUs = 2.0;
constexpr std::array kProgramsUs{900.0, 600.0, 300.0};  // of the passes
constexpr double kTolerance = 0.005;

struct Way {
    int passes;  ///< over a word line; 0: page by page
    int planes;
    int word_line;

    [[nodiscard]] int pages() const { return planes * (passes > 0 ? word_line : 1); }
    /// In each pass all pages cross the bus; between them the die is busy for tDBSY, after them for tPROG.
    [[nodiscard]] double us_per_page() const {
        double us = 0.0;
        for (int pass = 0; pass < std::max(passes, 1); ++pass) {
            us += kPageInUs + ((pages() - 1) * kPlaneBusyUs + kProgramsUs.at(pass) + kStatusUs) / pages();
        }
        return us;
    }
};

void PrintTo(const Way& way, std::ostream* out) {
    *out << way.passes << " passes, " << way.planes << " planes, " << way.word_line << " pages";
}

platform::Configuration drive(const Way& way) {
    constexpr std::array kCells{"mlc", "tlc", "qlc"};
    std::vector<std::string> settings = one_die_settings(way.planes);
    constexpr std::array kProgramming{"page", "one_shot", "two_pass", "three_pass"};
    std::string times;
    for (int pass = 0; pass < std::max(way.passes, 1); ++pass) {
        times += fmt::format("{}{}us", pass > 0 ? "," : "", kProgramsUs.at(pass));
    }
    settings.push_back("nand.timing.program=" + times);
    if (way.passes > 1) {
        // One more than wait, so that the next word line is fetched meanwhile.
        settings.push_back(fmt::format("firmware.allocation.programs_per_die={}", way.passes + 1));
        settings.push_back(fmt::format("firmware.gc.pipeline_depth={}", way.passes));
    }
    if (way.passes > 0) {
        settings.push_back(fmt::format("nand.programming={}", kProgramming.at(way.passes)));
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
                         testing::Values(Way{0, 1, 3}, Way{0, 2, 3}, Way{1, 1, 2}, Way{1, 1, 3}, Way{1, 2, 3},
                                         Way{1, 4, 3}, Way{1, 2, 4}, Way{2, 1, 2}, Way{2, 1, 3}, Way{2, 2, 3},
                                         Way{2, 2, 4}, Way{3, 1, 3}, Way{3, 2, 3}, Way{3, 2, 4}));

}  // namespace
}  // namespace solidtlm::testbench::one_shot
