// SPDX-License-Identifier: Apache-2.0
//
// Parts of the contention study: the arithmetic of its answers, bounds worked out by hand, the values that it
// reads from results, and points with known properties.
#include <gtest/gtest.h>

#include <limits>
#include <set>

#include "testbench/sim/test_support.h"
#include "testbench/studies/contention/contention.h"
#include "testbench/studies/kit/testing.h"

namespace solidtlm::testbench::contention {
namespace {

TEST(Knee, IsWhereNoFurtherDoublingGainsFivePercent) {
    const std::vector<double> sizes{1, 2, 4, 8};
    const auto knee = [&sizes](std::vector<double> values) { return knee_of(values, sizes); };
    // Steps of 100 %, 50 % and 4 %.
    ASSERT_TRUE(knee({100, 200, 300, 312}));
    EXPECT_EQ(knee({100, 200, 300, 312})->at, 2U);
    EXPECT_NEAR(knee({100, 200, 300, 312})->gain, 0.04, 1e-12);
    // A small step is not the end if a large one follows.
    EXPECT_EQ(knee({100, 101, 200, 202})->at, 2U);
    EXPECT_FALSE(knee({100, 101, 200, 300})) << "the last step is worth it";
    // All steps are small: 2 % and less, 5.1 % together.
    EXPECT_EQ(knee({100, 102, 104, 105.06})->at, 0U);
    EXPECT_NEAR(knee({100, 102, 104, 105.06})->rest, 0.0506, 1e-12);
    EXPECT_EQ(knee({100, 90, 80, 70})->at, 0U) << "losing is not gaining";
}

TEST(Knee, CountsLongerStepsAsDoublings) {
    // Four times the size gains 10 %, less than 5 % per doubling: 1.10^(1/2) = 1.0488.
    const std::vector<double> values{100, 110};
    EXPECT_TRUE(knee_of(values, std::vector<double>{2, 8}));
    EXPECT_FALSE(knee_of(values, std::vector<double>{2, 4}));
    EXPECT_NEAR(knee_of(values, std::vector<double>{2, 8})->gain, 0.048809, 1e-6);
    // The whole map counts as one doubling above the largest cache.
    EXPECT_FALSE(knee_of(values, std::vector<double>{1024, 0}));
}

/// A point with these shares of its time; all other values are 0.
Measured shared(std::initializer_list<std::pair<std::string, double>> some) {
    Measured point;
    for (const std::string& share : shares(0)) {
        point.more[share] = 0.0;
    }
    for (const auto& [part, share] : some) {
        point.more["share_" + part] = share;
    }
    add_sums(point.more);
    return point;
}

TEST(Limit, IsAFullResourceOrElseTheLongestStep) {
    Measured point = shared(
        {{"link", 0.1}, {"array", 0.2}, {"die_wait_map", 0.1}, {"miss_array", 0.4}, {"miss_queue", 0.2}});
    point.more["link_busy"] = 0.5;
    point.more["channels_busy"] = point.more["channels_most"] = 0.6;
    EXPECT_EQ(limit_of(point), "misses") << "0.6 of the time against 0.3";
    EXPECT_NE(limit_text(point).find("misses 60 % of the time, of these array 67, lock 33"),
              std::string::npos)
        << limit_text(point);
    point.more["dies_most"] = 0.97;
    EXPECT_EQ(limit_of(point), "one_die");
    point.more["channels_busy"] = 0.96;
    EXPECT_EQ(limit_of(point), "channels") << "all of them before a single die";
    point.more["link_busy"] = 0.99;
    EXPECT_EQ(limit_of(point), "link");
    EXPECT_EQ(limit_text(point), "link full (99 %)");
    EXPECT_EQ(limit_of(shared({{"array", 0.3}, {"link", 0.4}, {"die_wait_host", 0.3}})), "flash");
}

TEST(Shares, WaitsOfMissesAndOfDataAreSeparate) {
    const Measured point = shared({{"channel_wait_map", 0.1},
                                   {"miss_channel_wait_host", 0.2},
                                   {"die_wait_gc", 0.05},
                                   {"miss_die_wait_map", 0.25},
                                   {"link", 0.4}});
    EXPECT_NEAR(point.value("channel_wait_share"), 0.3, 1e-12);
    EXPECT_NEAR(point.value("die_wait_share"), 0.3, 1e-12);
    EXPECT_NEAR(point.value("miss_share"), 0.45, 1e-12);
}

/// Requests of 16 KiB: 28 us on the link, 60 us of bus, 110 us of die (100 of them for the map), 4 us of
/// core; a lone request takes 400 us.
TEST(Bounds, ByHand) {
    Demand demand;
    demand.bytes = 16384;
    demand.link_us = 28;
    demand.bus_us = 60;
    demand.die_us = 110;
    demand.core_us = 4;
    demand.map_us = 100;
    demand.miss_us = 200;
    demand.series_us = 400;
    demand.dies_wanted = std::numeric_limits<double>::infinity();
    demand.map_jobs = 16;
    const Bounds bounds = bounds_of(demand, 2, 8, 8);
    EXPECT_NEAR(bounds.mb_per_s[0], 16384.0 / 28, 1e-9) << "link";
    EXPECT_NEAR(bounds.mb_per_s[1], 2 * 16384.0 / 60, 1e-9) << "channels";
    EXPECT_NEAR(bounds.mb_per_s[2], 8 * 16384.0 / 110, 1e-9) << "dies";
    EXPECT_NEAR(bounds.mb_per_s[3], 16384.0 / 4, 1e-9) << "core";
    EXPECT_NEAR(bounds.mb_per_s[4], 16 * 16384.0 / 100, 1e-9) << "map";
    EXPECT_NEAR(bounds.mb_per_s[5], 8 * 16384.0 / 400, 1e-9) << "series: 327.68";
    EXPECT_EQ(bounds.binding(), "series");
    demand.map_us = 0;
    EXPECT_EQ(bounds_of(demand, 2, 8, 32).binding(), "channels");
    // Eight requests for one of eight dies each: Baskett and Smith, 15.5 - sqrt(15.5^2 - 128) = 4.9052.
    demand.dies_wanted = 8;
    EXPECT_NEAR(bounds_of(demand, 2, 8, 8).mb_per_s[2], 4.90519 * 16384.0 / 110, 0.01);
    demand.link_us = 0;
    EXPECT_EQ(bounds_of(demand, 2, 8, 8).mb_per_s[0], 1e9) << "an ideal link does not limit";
}

TEST(Sweep, PanelsAndNames) {
    Sweep sweep;
    sweep.channels = {1, 4};
    sweep.caches = {65536, kWholeMap};
    sweep.policies = {"dftl", "tafp"};
    const auto points =
        points_of(sweep, preset("default", {"ssd.capacity=256MiB", "nand.geometry.dies_per_way=4"}));
    ASSERT_EQ(points.size(), 2U * 2 * 2 * 2 * 2);
    EXPECT_EQ(points[0].name, "dftl, PCWD, 8 dies per channel, 8 outstanding, 1 channel, 64KiB");
    EXPECT_EQ(points[3].name, "dftl, PCWD, 8 dies per channel, 8 outstanding, 4 channels, whole map");
    EXPECT_EQ(points[0].configuration.firmware.map_cache.policy, "dftl");
    EXPECT_EQ(points[3].configuration.firmware.map_cache.policy, "full_table");
    EXPECT_EQ(points[3].parameters["cache_bytes"], "whole map");
    EXPECT_EQ(points[1].configuration.nand.geometry.channels, 4U);
    sweep.caches = {8};
    EXPECT_THROW((void)points_of(sweep, preset("default", {"ssd.capacity=256MiB"})),
                 platform::ConfigurationError)
        << "no entry fits";
}

/// A grid of 2 channels x 2 caches with this throughput; misses take the time.
std::vector<Measured> grid(std::array<double, 4> mb_per_s) {
    std::vector<Measured> points;
    for (const Json& cache : {Json(65536), Json(kWholeMap)}) {
        for (const int channels : {1, 2}) {
            Measured point = shared({{"link", 0.25}, {"miss_array", 0.75}});
            point.parameters = {{"order", "PCWD"},  {"policy", "dftl"},     {"dies_per_channel", 4},
                                {"queue_depth", 8}, {"channels", channels}, {"cache_bytes", cache}};
            point.more["mb_per_s"] = mb_per_s[points.size()];
            point.more["mean_us"] = 200.0;
            point.more["hit_ratio"] = cache == kWholeMap ? 1.0 : 0.5;
            Bounds bounds;
            bounds.mb_per_s.fill(500.0);
            add_bounds({}, bounds, point);
            points.push_back(std::move(point));
        }
    }
    return points;
}

TEST(Answers, AreMarkedAtTheirPoints) {
    // 64 KiB: a second channel gains 2 %. Whole map: it doubles throughput. 1 channel: the whole map gains
    // nothing.
    std::vector<Measured> points = grid({100, 102, 101, 202});
    mark_answers(points);
    const auto derived = [&points](std::size_t i) { return points[i].derived; };
    EXPECT_TRUE(derived(0).contains("enough_channels"));
    EXPECT_NEAR(derived(0)["more_channels_gain"], 0.02, 1e-12);
    EXPECT_FALSE(derived(2).contains("enough_channels"));
    EXPECT_TRUE(derived(0).contains("enough_cache"));
    EXPECT_FALSE(derived(1).contains("enough_cache"));
    EXPECT_EQ(derived(0)["limit"], "misses");
    EXPECT_EQ(derived(0)["share_miss_array"], 0.75);
    EXPECT_EQ(derived(3)["measured_of_bound"], 202.0 / 500.0);
    const std::string text = tables(points, true, TextStyle{});
    EXPECT_NE(text.find("dftl, PCWD, 4 dies per channel, 8 outstanding  64KiB from 1"), std::string::npos)
        << text;
    EXPECT_NE(text.find("above 2"), std::string::npos) << "the whole map still gains: " << text;
    EXPECT_NE(text.find("nowhere in this sweep"), std::string::npos) << "no resource is full: " << text;
}

TEST(Figures, SharesAddUpAndIdsAreUnique) {
    const std::vector<Measured> points = grid({100, 102, 101, 202});
    const std::vector<Figure> figures = figures_of(points);
    ASSERT_EQ(figures.size(), 6U);
    std::set<std::string> ids;
    for (const Figure& figure : figures) {
        ids.insert(to_json(figure)["id"].get<std::string>());
    }
    EXPECT_EQ(ids.size(), 6U);
    const Json bars = to_json(figures[4]);
    double sum = 0.0;
    for (const Json& series : bars["series"]) {
        sum += series["values"][0].get<double>();
    }
    EXPECT_NEAR(sum, 100.0, 1e-9);
    EXPECT_NEAR(to_json(figures[5])["series"][0]["values"][0], 150.0, 1e-9) << "0.75 of 200 us";
}

/// The study's NAND: tR 200 us, 25 ns per byte, no ECC, one die: only reads of 4 KiB at depth 1.
platform::Configuration study_nand(std::vector<std::string> more) {
    std::vector<std::string> settings{
        "nand.geometry.channels=1",   "nand.geometry.dies=1",    "nand.geometry.dies_per_way=1",
        "nand.geometry.planes=1",     "nand.geometry.blocks=64", "nand.timing.read=200us",
        "nand.timing.program=1600us", "ssd.capacity=8MiB",       "firmware.write_buffer.size=256KiB"};
    settings.insert(settings.end(), more.begin(), more.end());
    return preset("agrawal", settings);
}

Load load_of(const std::string& workload, std::uint64_t requests, const std::string& precondition) {
    return Load{workload, parse_preconditioning(precondition), 200, requests};
}

/// Measures points in child processes, and their results; faults fail the test.
std::vector<Measured> measured_of(const std::vector<platform::Configuration>& configurations,
                                  const Load& load, std::uint32_t depth, std::vector<Json>& results) {
    std::vector<StudyJob> jobs;
    for (const platform::Configuration& configuration : configurations) {
        jobs.push_back({"point",
                        {},
                        [settings = settings_of(configuration, load, depth), &load] {
                            DriveToRun drive(settings);
                            return run_point(settings, load, drive);
                        },
                        [](const Json& result, Measured& point) { measure(result, point); }});
    }
    return testing::measured_of(jobs, &results);
}

/// A lone request on an idle drive waits for its misses as long as the closed form says: the share of the
/// time is misses per request x (tR + bytes x tRC) over the mean latency, within 1 %.
TEST(Point, AtDepthOneTheShareOfMissesIsTheClosedForm) {
    std::vector<Json> results;
    const std::vector<Measured> points =
        measured_of({study_nand({"firmware.map_cache.policy=dftl", "firmware.map_cache.size=8KiB"}),
                     study_nand({"firmware.map_cache.policy=full_page", "firmware.map_cache.size=4200"})},
                    load_of("random,read=1,size=4k", 1500, "fill=1,random=0"), 1, results);
    // dftl moves a sector of 512 bytes, full_page a translation page.
    const std::array<double, 2> read_us{200.0 + 512 * 0.025, 200.0 + 4096 * 0.025};
    ASSERT_EQ(points.size(), 2U);
    for (std::size_t i = 0; i < results.size(); ++i) {
        const Measured& point = points[i];
        const double hits = point.value("hit_ratio");
        const double mean_us = point.value("mean_us");
        EXPECT_GT(hits, 0.1);
        EXPECT_LT(hits, 0.9);
        const double expected = (1.0 - hits) * read_us[i] / mean_us;
        EXPECT_NEAR(point.value("miss_share"), expected, 0.01 * expected) << i;
        EXPECT_NEAR(point.value("share_miss_array") * mean_us, (1.0 - hits) * 200.0, 0.1) << "tR";
        EXPECT_NEAR(point.value("channel_wait_share") + point.value("die_wait_share"), 0.0, 1e-9);
        EXPECT_NEAR(*sum_of(shares(0))(point), 1.0, 1e-9);
        EXPECT_EQ(results[i]["ledger"]["residual_ns"], 0);
        // A lone request never waits: its time is the bound in series.
        const auto bounds = bounds_of(demand_of(study_nand({}), results[i], 1), 1, 1, 1);
        EXPECT_EQ(bounds.binding(), "series");
        EXPECT_NEAR(point.value("mb_per_s"), bounds.least(), 0.02 * bounds.least());
    }
}

/// A cache that holds every entry never misses, and only costs the cycles for finding and ordering an entry:
/// 40 cycles at 500 MHz for each of 8 units of 32 KiB, 0.64 us of about 250. (With static allocation, so that
/// the data is on the same dies although the map has an area of its own.)
TEST(Point, WithACacheThatHoldsEverythingItIsTheWholeMap) {
    const std::vector<std::string> small{"ssd.capacity=64MiB", "nand.geometry.channels=2",
                                         "nand.geometry.blocks=32", "firmware.write_buffer.size=4MiB",
                                         "firmware.allocation.mode=static"};
    const auto with = [&small](std::initializer_list<const char*> more) {
        std::vector<std::string> settings = small;
        settings.insert(settings.end(), more.begin(), more.end());
        return preset("default", settings);
    };
    Load load;
    load.warm_up = 200;
    load.measured = 1500;
    std::vector<Json> results;
    const std::vector<Measured> points =
        measured_of({with({}), with({"firmware.map_cache.policy=dftl", "firmware.map_cache.size=512KiB"}),
                     with({"firmware.map_cache.policy=dftl", "firmware.map_cache.size=64KiB"})},
                    load, 4, results);
    ASSERT_EQ(points.size(), 3U);
    const double whole_mb_per_s = points[0].value("mb_per_s");
    const Measured& holds = points[1];
    const Measured& misses = points[2];
    EXPECT_EQ(holds.find("hit_ratio"), 1.0);
    EXPECT_EQ(holds.find("miss_share"), 0.0);
    EXPECT_EQ(holds.find("channels_of_map"), 0.0);
    EXPECT_NEAR(holds.value("mb_per_s"), whole_mb_per_s, 0.01 * whole_mb_per_s);
    EXPECT_GT(misses.value("miss_share"), 0.3);
    EXPECT_GT(misses.value("channels_of_map"), 0.0);
    EXPECT_LT(misses.value("mb_per_s"), 0.8 * whole_mb_per_s);
    for (const Json& result : results) {
        EXPECT_GT(result["verify"]["reads_checked"], 1500);
    }
}

/// A mix with garbage collection: no bound is exceeded, and the counters agree (run_point() checks that).
TEST(Point, AMixStaysBelowItsBounds) {
    std::vector<platform::Configuration> configurations;
    for (const char* policy : {"dftl", "bsb", "tpftl"}) {
        configurations.push_back(preset(
            "tiny", {"firmware.map_cache.policy=" + std::string(policy), "firmware.map_cache.size=3KiB",
                     "firmware.map_cache.translation_page=1KiB", "ssd.over_provisioning=0.45"}));
    }
    std::vector<Json> results;
    const std::vector<Measured> points =
        measured_of(configurations, load_of("random,read=0.5,size=8k", 1500, "random=1"), 8, results);
    ASSERT_EQ(points.size(), configurations.size());
    for (std::size_t i = 0; i < results.size(); ++i) {
        EXPECT_GT(results[i]["nand"]["by_cause"]["gc"]["programs"], 0);
        EXPECT_GT(results[i]["nand"]["by_cause"]["map"]["programs"], 0);
        const auto bounds = bounds_of(demand_of(configurations[i], results[i], 8), 2, 4, 8);
        EXPECT_LT(points[i].value("mb_per_s"), bounds.least()) << i;
        EXPECT_GT(points[i].value("mb_per_s"), 0.2 * bounds.least()) << i;
    }
}

}  // namespace
}  // namespace solidtlm::testbench::contention
