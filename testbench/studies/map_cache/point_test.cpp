// SPDX-License-Identifier: Apache-2.0
//
// The caches without time against the whole drive. With requests of one page each and one at a time, both
// count the same.
#include <gtest/gtest.h>

#include <algorithm>
#include <random>

#include "platform/configuration.h"
#include "testbench/studies/map_cache/point.h"

namespace solidtlm::testbench::map_cache {
namespace {

constexpr std::uint32_t kPages = 16 * 1024;  ///< 16 translation pages

/// Runs forward with jumps, reads and writes. Every other page is left out, so that no two pages that are
/// written beforehand are one command.
std::vector<Access> single_pages(std::size_t count) {
    std::mt19937_64 random(11);
    std::vector<Access> accesses;
    std::uint64_t page = 0;
    while (accesses.size() < count) {
        page = random() % 8 == 0 ? random() % (kPages / 2) * 2 : (page + 2) % kPages;
        accesses.push_back(Access{Lba{page * 8}, 8, random() % 3 == 0});
    }
    return accesses;
}

/// What run_timed() writes before it measures, page by page.
std::vector<Access> fill_of(const std::vector<Access>& accesses) {
    std::vector<Access> fill = accesses;
    std::ranges::sort(fill, {}, [](const Access& access) { return access.lba.value; });
    const auto rest = std::ranges::unique(fill, {}, [](const Access& access) { return access.lba.value; });
    fill.erase(rest.begin(), rest.end());
    for (Access& access : fill) {
        access.write = true;
    }
    return fill;
}

Load load_of(std::vector<Access> accesses) {
    Load load;
    load.name = "made by hand";
    load.page_requests = accesses.size();
    load.accesses = std::move(accesses);
    return load;
}

platform::Configuration small_drive(const std::string& policy) {
    platform::ConfigurationSources sources;
    sources.preset = "study_b";
    sources.settings = {"nand.geometry.blocks=64", "firmware.gc.background_threshold=2",
                        "firmware.map_cache.size=12KiB", "firmware.map_cache.policy=" + policy};
    return platform::load_configuration(sources);
}

class UntimedAndTimed : public ::testing::TestWithParam<const char*> {};

TEST_P(UntimedAndTimed, CountTheSameOnePageAtATime) {
    const platform::Configuration configuration = small_drive(GetParam());
    const std::vector<Access> accesses = single_pages(6000);
    std::vector<Access> before = fill_of(accesses);
    const Json fill = run_untimed(configuration, load_of(before)).result.at("map_cache");
    before.insert(before.end(), accesses.begin(), accesses.end());
    const Json both = run_untimed(configuration, load_of(before)).result.at("map_cache");
    const SimulationOutcome timed = run_timed(configuration, load_of(accesses), 1);
    ASSERT_TRUE(timed.faults.empty()) << timed.faults.front();
    EXPECT_EQ(timed.result.at("verify").at("mismatches"), 0);
    const Json& drive = timed.result.at("map_cache");
    for (const char* name : {"lookups", "hits", "misses", "evictions", "evictions_dirty"}) {
        EXPECT_EQ(drive.at(name), both.at(name).get<std::uint64_t>() - fill.at(name).get<std::uint64_t>())
            << name;
    }
    const auto flash = [&](const char* name) {
        return both["flash"].at(name).get<std::uint64_t>() - fill["flash"].at(name).get<std::uint64_t>();
    };
    EXPECT_EQ(drive["flash"].at("miss_reads"), flash("miss_reads"));
    EXPECT_EQ(drive["flash"].at("write_backs"), flash("write_backs"));
    // What the cache held when the fill ended reaches flash for the first time: nothing to merge with.
    EXPECT_LE(drive["flash"].at("merge_reads"), flash("merge_reads"));
    EXPECT_GE(drive["flash"].at("merge_reads"),
              flash("merge_reads") - std::min<std::uint64_t>(flash("merge_reads"), kPages / 1024));
    EXPECT_EQ(drive.at("lookups"), accesses.size());
    EXPECT_GT(drive.at("hits"), 0);
    EXPECT_GT(drive.at("evictions_dirty"), 0);
    EXPECT_TRUE(both["penalty_us"]["measured"]["total"].is_null());
    // Nothing waits for anything: the time that passed is the closed form (docs/map-cache.md).
    const double closed = drive["penalty_us"]["closed_form"]["total"];
    EXPECT_NEAR(drive["penalty_us"]["measured"]["total"].get<double>(), closed, 0.01 * closed);
}

INSTANTIATE_TEST_SUITE_P(Policies, UntimedAndTimed,
                         ::testing::Values("full_page", "half_page", "tafp", "dftl", "bsb"),
                         [](const auto& test) { return std::string(test.param); });

TEST(UntimedPoint, TellsWhichWindowsWereChosenWhen) {
    const platform::Configuration configuration = small_drive("bsb");
    const SimulationOutcome outcome = run_untimed(configuration, load_of(single_pages(5000)));
    const Json& windows = outcome.result.at("map_cache").at("windows");
    const Json& over_time = outcome.result.at("windows_over_time");
    ASSERT_EQ(over_time.size(), windows.size());
    std::uint64_t chosen = 0;
    for (std::size_t i = 0; i < windows.size(); ++i) {
        ASSERT_EQ(over_time[i].size(), kIntervals);
        std::uint64_t sum = 0;
        for (const Json& count : over_time[i]) {
            sum += count.get<std::uint64_t>();
        }
        EXPECT_EQ(windows[i]["chosen"], sum) << "all parts together";
        chosen += sum;
    }
    EXPECT_EQ(outcome.result.at("map_cache").at("misses"), chosen) << "a window for each miss";
}

}  // namespace
}  // namespace solidtlm::testbench::map_cache
