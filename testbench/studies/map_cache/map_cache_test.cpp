// SPDX-License-Identifier: Apache-2.0
//
// How tb_map_cache evaluates its numbers: claims, tables and figures from hand-made inputs. Also the caches
// without time against the whole drive.
#include <gtest/gtest.h>

#include <algorithm>
#include <random>

#include "testbench/studies/map_cache/map_cache.h"

namespace solidtlm::testbench::map_cache {
namespace {

Measured measured(const std::string& load, const std::string& policy, std::uint64_t kib, double penalty_us,
                  double hit_ratio = 0.5) {
    return {{{"workload", load}, {"policy", policy}, {"cache_bytes", kib * hal::kKiB}},
            {{"hit_ratio", hit_ratio}, {"penalty_entries_us", penalty_us}, {"penalty_bus_us", penalty_us}}};
}

const Claim& claim(const std::vector<Claim>& claims, const std::string& id) {
    return *std::ranges::find(claims, id, &Claim::id);
}

/// Penalties that yield exactly table 3: bsb costs 1000 us, the others 1000 / (1 - reduction).
std::vector<Measured> as_published() {
    std::vector<Measured> all;
    for (const PublishedLoad& load : kPublishedLoads) {
        for (const PublishedReduction& row : kPublishedReductions) {
            if (row.trace == load.trace) {
                const std::string name(load.name);
                const std::uint64_t kib = row.size_bytes / hal::kKiB;
                all.push_back(measured(name, "half_page", kib, 1000.0 / (1.0 - row.against_half / 100.0)));
                all.push_back(measured(name, "full_page", kib, 1000.0 / (1.0 - row.against_full / 100.0)));
                all.push_back(measured(name, "bsb", kib, 1000.0));
            }
        }
    }
    return all;
}

TEST(MapCachePolicies, AreReadByName) {
    for (const std::string& name : policy_names()) {
        const auto settings = settings_of(name);
        ASSERT_TRUE(settings) << name;
        EXPECT_EQ(settings->front(),
                  "firmware.map_cache.policy=" + (name.starts_with("tafp_") ? "tafp" : name));
    }
    EXPECT_EQ(settings_of("tafp_48")->at(1), "firmware.map_cache.tafp_bytes=48");
    for (const char* wrong : {"", "full", "full_table", "tafp", "tafp_", "tafp_8x", "tafp_-8", "lru"}) {
        EXPECT_FALSE(settings_of(wrong)) << wrong;
    }
    EXPECT_TRUE(fixed_window("tafp_8"));
    EXPECT_TRUE(fixed_window("dftl"));
    EXPECT_FALSE(fixed_window("bsb"));
    EXPECT_FALSE(fixed_window("sftl"));
}

/// Smallest caches by docs/map-cache.md: full 4,108 bytes, tafp_N N + 14.
TEST(MapCachePolicies, AllImpossibleCachesAreReportedTogether) {
    platform::ConfigurationSources sources;
    sources.preset = "study_b";
    const platform::Configuration base = platform::load_configuration(sources);
    try {
        (void)caches_of({"full_page", "tafp_10", "tafp_64", "tafp_512"}, {77, 4107, 4108}, base);
        FAIL() << "nothing was found";
    } catch (const platform::ConfigurationError& error) {
        const std::string text = error.what();
        for (const char* wanted :
             {"full_page: found a map cache of 77 bytes", "full_page: found a map cache of 4107 bytes",
              "tafp_10: found a window of 10 bytes", "tafp_64: found a map cache of 77 bytes", "tafp_512"}) {
            EXPECT_NE(text.find(wanted), std::string::npos) << wanted << " is not in:\n" << text;
        }
        EXPECT_EQ(text.find("4108 bytes;"), std::string::npos) << "is enough for a full page\n" << text;
    }
    EXPECT_EQ(caches_of({"full_page", "tafp_64"}, {4108, 8216}, base).size(), 4U);
}

TEST(MapCacheClaims, AReductionIsTheShareOfThePenaltyThatIsSaved) {
    const std::vector<Measured> all{measured("pc", "bsb", 16, 85.0), measured("pc", "full_page", 16, 100.0),
                                    measured("pc", "half_page", 16, 50.0), measured("pc", "dftl", 16, 0.0)};
    EXPECT_NEAR(*reduction(all, "pc", 16 * hal::kKiB, "full_page"), 15.0, 1e-9);
    EXPECT_NEAR(*reduction(all, "pc", 16 * hal::kKiB, "half_page"), -70.0, 1e-9);
    EXPECT_FALSE(reduction(all, "pc", 16 * hal::kKiB, "dftl")) << "of nothing";
    EXPECT_FALSE(reduction(all, "pc", 32 * hal::kKiB, "full_page")) << "was not run";
}

TEST(MapCacheClaims, ANumberIsNearOrOnTheSameSide) {
    EXPECT_TRUE(near(15, 24.9));
    EXPECT_FALSE(near(15, 4.9));
    EXPECT_TRUE(same_direction(70, 5.1));
    EXPECT_FALSE(same_direction(70, 4.9)) << "hardly a difference";
    EXPECT_FALSE(same_direction(-24, 24));
    EXPECT_TRUE(same_direction(3, -2)) << "both hardly a difference";
}

TEST(MapCacheClaims, ThePublishedNumbersReproduceThemselves) {
    const std::vector<Measured> all = as_published();
    const std::vector<Measured> table = table_three(all);
    ASSERT_EQ(table.size(), 24U) << "three sizes, four workloads, two policies";
    for (const Measured& each : table) {
        EXPECT_NEAR(each.value("measured"), each.value("published"), 1e-9) << each.parameters;
    }
    const std::vector<Claim> claims = claims_of(all, {}, false);
    for (const char* id : {"B1", "B2", "B3", "B4"}) {
        EXPECT_EQ(claim(claims, id).verdict, Verdict::reproduced) << id;
        EXPECT_EQ(claim(claims, id).reason, "") << id;
    }
}

TEST(MapCacheClaims, AFailedClaimIsReported) {
    std::vector<Measured> all = as_published();
    for (Measured& each : all) {
        if (each.text("policy") == "bsb") {
            each.derived["penalty_entries_us"] = 2000.0;
        }
    }
    // Financial: 70 % becomes 40 %, in the same direction but not near; the others are reversed.
    const Claim b1 = claim(claims_of(all, {}, false), "B1");
    EXPECT_EQ(b1.verdict, Verdict::not_reproduced);
    EXPECT_NE(b1.reason.find("0 of 8 numbers within 10 points, 2 on the same side"), std::string::npos)
        << b1.reason;
    EXPECT_EQ(claim(claims_of(all, {}, false), "B4").verdict, Verdict::not_reproduced);
}

TEST(MapCacheClaims, AnIncompleteClaimIsMarked) {
    std::vector<Measured> all = as_published();
    std::erase_if(all, [](const Measured& each) { return each.text("workload") != "pc"; });
    const std::vector<Claim> claims = claims_of(all, {}, true);
    EXPECT_NE(claim(claims, "B1").reason.find("not all"), std::string::npos);
    EXPECT_NE(claim(claims, "B1").reason.find("--limit"), std::string::npos);
    EXPECT_EQ(std::ranges::find(claims, "B5", &Claim::id), claims.end()) << "one workload is not enough";
    EXPECT_TRUE(claims_of({}, {}, false).empty());
    const std::vector<Measured> trace{measured("desktop", "bsb", 16, 10),
                                      measured("desktop", "full_page", 16, 20)};
    EXPECT_TRUE(claims_of(trace, {}, false).empty()) << "the user's own trace is not in table 3";
}

TEST(MapCacheClaims, B4LooksAtEveryFixedPolicy) {
    std::vector<Measured> all = as_published();
    all.push_back(measured("pc", "tafp_64", 16, 1050.0));  // bsb saves 4.8 %
    Claim b4 = claim(claims_of(all, {}, false), "B4");
    EXPECT_EQ(b4.verdict, Verdict::partly) << "half and full alone are within";
    EXPECT_EQ(b4.measured, "5 % (pc, tafp_64) to 70 % (financial, half_page)");
    all.back() = measured("pc", "tpftl", 16, 10.0);
    b4 = claim(claims_of(all, {}, false), "B4");
    EXPECT_EQ(b4.verdict, Verdict::reproduced) << "tpftl has no fixed window";
}

TEST(MapCacheClaims, B5WantsGrowthAndDifferentBests) {
    std::vector<Measured> all{
        measured("pc", "full_page", 16, 10, 0.5),   measured("pc", "full_page", 32, 9, 0.6),
        measured("pc", "dftl", 16, 20, 0.4),        measured("pc", "dftl", 32, 19, 0.5),
        measured("financial", "full_page", 16, 30), measured("financial", "full_page", 32, 29),
        measured("financial", "dftl", 16, 3),       measured("financial", "dftl", 32, 2)};
    EXPECT_EQ(claim(claims_of(all, {}, false), "B5").verdict, Verdict::reproduced);
    all[1].derived["hit_ratio"] = 0.45;
    const Claim shrinks = claim(claims_of(all, {}, false), "B5");
    EXPECT_EQ(shrinks.verdict, Verdict::partly);
    EXPECT_NE(shrinks.reason.find("pc full_page from 16 to 32 KB: 50.0 to 45.0 %"), std::string::npos);
    for (Measured& each : all) {
        each.derived["penalty_entries_us"] = each.text("policy") == "dftl" ? 1.0 : 2.0;
    }
    EXPECT_EQ(claim(claims_of(all, {}, false), "B5").verdict, Verdict::not_reproduced);
}

/// One page request each.
LoadProperties properties_of(const std::vector<std::uint32_t>& pages) {
    LoadProperties properties;
    Request request;
    for (const std::uint32_t page : pages) {
        request.lba = Lba{std::uint64_t{page} * 8};
        request.sectors = 8;
        properties.add(request);
    }
    return properties;
}

TEST(MapCacheClaims, ShapesAreDistinguished) {
    // Distance 0 three times, then 10, 20 and 80 entries ahead: one third is far, none is backwards.
    const Shape near = shape_of(properties_of({100, 100, 100, 110, 120, 180}));
    EXPECT_TRUE(near.zero_is_most_frequent);
    EXPECT_NEAR(near.near_ahead, 2.0 / 3.0, 1e-9);
    EXPECT_NEAR(near.far_ahead, 1.0 / 3.0, 1e-9);
    EXPECT_TRUE(near.is(Locality::short_forward));
    EXPECT_FALSE(near.is(Locality::long_forward));
    EXPECT_FALSE(near.is(Locality::both_ways));
    // One in each quarter of the translation page; three of four are beyond 63.
    const Shape far = shape_of(properties_of({0, 0, 0, 20, 300, 600, 900}));
    EXPECT_NEAR(far.least_quarter_ahead, 0.25, 1e-9);
    EXPECT_TRUE(far.is(Locality::long_forward));
    EXPECT_FALSE(far.is(Locality::short_forward));
    // Far in both directions; most requests go to the trigger.
    std::vector<std::uint32_t> pages(20, 500);
    pages.insert(pages.end(), {100, 200, 700, 800});
    const Shape both = shape_of(properties_of(pages));
    EXPECT_NEAR(both.negative, 0.5, 1e-9);
    EXPECT_TRUE(both.is(Locality::both_ways));
    EXPECT_FALSE(both.is(Locality::long_forward));
}

TEST(MapCacheMeasured, IsReadFromTheSectionOfAResult) {
    const Json penalty{{"rm", 1.0}, {"pf", 2.0}, {"rf", 3.0}, {"total", 6.0}};
    Json result;
    Json& section = result["map_cache"];
    section = {
        {"size_bytes", 65536},
        {"lookups", 100},
        {"hit_ratio", 0.25},
        {"windows", {{{"entries", 1024}, {"chosen", 30}}, {{"entries", 16}, {"chosen", 10}}}},
        {"penalty_us", {{"closed_form", penalty}, {"closed_form_entries", penalty}, {"measured", penalty}}}};
    section["penalty_us"]["closed_form"]["total"] = 7.0;
    section["penalty_us"]["measured"]["total"] = 8.0;
    Measured timed;
    measure(result, timed);
    EXPECT_EQ(timed.more["windows"][0]["entries"], 16U) << "shortest first";
    EXPECT_EQ(timed.value("measured_rf"), 3.0);
    EXPECT_EQ(timed.derived, Json({{"hit_ratio", 0.25},
                                   {"penalty_entries_us", 6.0},
                                   {"penalty_bus_us", 7.0},
                                   {"penalty_measured_us", 8.0},
                                   {"window_16_share", 0.25},
                                   {"window_1024_share", 0.75}}));
    section["penalty_us"]["measured"]["total"] = nullptr;
    Measured untimed;
    untimed.more = {{"windows_over_time", {{20, 10}, {4, 6}}}};
    measure(result, untimed);
    EXPECT_FALSE(untimed.find("penalty_measured_us")) << "no time was simulated";
    EXPECT_EQ(untimed.more["windows"][0]["over_time"], Json({4, 6})) << "of 16 entries";
}

TEST(MapCacheTables, MarkTheBestAndNameTheMissing) {
    std::vector<Measured> all{measured("pc", "full_page", 16, 31.0, 0.9674),
                              measured("pc", "full_page", 32, 28.6, 0.9716),
                              measured("pc", "tafp_8", 16, 296.3, 0.7178)};
    const std::string text = cache_tables(all, false, TextStyle{});
    EXPECT_NE(text.find("full_page     *96.74  *97.16"), std::string::npos) << text;
    EXPECT_NE(text.find("tafp_8         71.78  failed"), std::string::npos) << text;
    EXPECT_EQ(text.find("measured"), std::string::npos) << "no time was simulated";
    all[0].derived["penalty_measured_us"] = 6.0;
    all[0].more = {{"measured_rm", 1.0}, {"measured_pf", 2.0}, {"measured_rf", 3.0}};
    EXPECT_NE(cache_tables(all, true, TextStyle{}).find("measured: rm"), std::string::npos);
    const auto row = [](int kib, double published, double measured) {
        return Measured{{{"against", "pc, half_page"}, {"cache_bytes", kib * hal::kKiB}},
                        {{"published", published}, {"measured", measured}}};
    };
    const std::string table = reduction_table({row(16, 15, -0.04), row(32, 3, 4.26)}, TextStyle{});
    EXPECT_NE(table.find("pc, half_page  +0.0 (+15)  +4.3 (+3)"), std::string::npos) << table;
    EXPECT_EQ(reduction_table({}, TextStyle{}), "");
}

TEST(MapCacheFigures, ShowEveryLoadAndAddUp) {
    std::vector<Load> loads(1);
    loads[0].name = "a/b.c,d=1";
    loads[0].properties = properties_of({100, 100, 90, 1000, 2000, 2001});
    std::vector<Measured> all{measured(loads[0].name, "full_page", 16, 31.0),
                              measured(loads[0].name, "bsb", 16, 30.0),
                              measured(loads[0].name, "bsb", 32, 29.0)};
    all[1].more["windows"] = {{{"entries", 16}, {"chosen", 3}, {"over_time", {3, 0}}},
                              {{"entries", 1024}, {"chosen", 1}, {"over_time", {1, 0}}}};
    Json result = Json::object();
    const std::vector<Figure> figures = figures_of(all, loads, 1024);
    add_figures(result, figures);  // checks names and lengths
    ASSERT_EQ(result["figures"].size(), 6U) << "SLE, hits and penalty twice each, windows";
    const Json& sle = result["figures"][0];
    double sum = 0.0;  // each value stands for all distances in its bucket
    for (std::size_t i = 0; i + 1 < sle["edges"].size(); ++i) {
        sum += sle["series"][0]["values"][i].get<double>() *
               (sle["edges"][i + 1].get<double>() - sle["edges"][i].get<double>());
    }
    EXPECT_NEAR(sum, 100.0, 1e-9);
    EXPECT_EQ(sle["edges"].front(), -1023);
    EXPECT_EQ(sle["edges"].back(), 1024);
    const Json& windows = result["figures"][5];
    EXPECT_EQ(windows["series"][0]["name"], "tafp_64");
    EXPECT_EQ(windows["series"][1]["name"], "full");
    EXPECT_EQ(windows["series"][0]["values"], Json({75.0, nullptr})) << "no miss in the second half";
}

constexpr std::uint32_t kPages = 16 * 1024;  ///< 16 translation pages

/// Forward runs with jumps, reads and writes. Every other page is left out, so that two pages that are
/// written beforehand never form one command.
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

/// The pages that run_timed() writes before it measures, one by one.
std::vector<Access> fill_of(const std::vector<Access>& accesses) {
    std::vector<Access> fill = accesses;
    std::ranges::sort(fill, {}, [](const Access& access) { return access.lba.value; });
    fill.erase(std::unique(fill.begin(), fill.end(),
                           [](const Access& a, const Access& b) { return a.lba.value == b.lba.value; }),
               fill.end());
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

/// With one-page requests, one at a time, both give the same counts.
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
    // Entries that the cache held at the end of the fill reach flash for the first time, so they need no
    // merge.
    EXPECT_LE(drive["flash"].at("merge_reads"), flash("merge_reads"));
    EXPECT_GE(drive["flash"].at("merge_reads"),
              flash("merge_reads") - std::min<std::uint64_t>(flash("merge_reads"), kPages / 1024));
    EXPECT_EQ(drive.at("lookups"), accesses.size());
    EXPECT_GT(drive.at("hits"), 0);
    EXPECT_GT(drive.at("evictions_dirty"), 0);
    EXPECT_TRUE(both["penalty_us"]["measured"]["total"].is_null());
    // Nothing waits: the measured time is the closed form (docs/map-cache.md).
    const double closed = drive["penalty_us"]["closed_form"]["total"];
    EXPECT_NEAR(drive["penalty_us"]["measured"]["total"].get<double>(), closed, 0.01 * closed);
}

INSTANTIATE_TEST_SUITE_P(Policies, UntimedAndTimed,
                         ::testing::Values("full_page", "half_page", "tafp", "dftl", "bsb"),
                         [](const auto& test) { return std::string(test.param); });

TEST(UntimedPoint, ShowsWindowsOverTime) {
    const platform::Configuration configuration = small_drive("bsb");
    const SimulationOutcome outcome = run_untimed(configuration, load_of(single_pages(5000)));
    const Json& windows = outcome.result.at("map_cache").at("windows");
    const Json& over_time = outcome.noted.at("windows_over_time");
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
