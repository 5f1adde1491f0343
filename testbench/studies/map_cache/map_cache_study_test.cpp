// SPDX-License-Identifier: Apache-2.0
//
// What tb_map_cache makes of its numbers: claims, tables and figures from inputs made by hand.
#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>

#include "testbench/studies/map_cache/claims.h"
#include "testbench/studies/map_cache/figures.h"
#include "testbench/studies/map_cache/policy.h"
#include "testbench/studies/map_cache/table.h"

namespace solidtlm::testbench::map_cache {
namespace {

Measured measured(const std::string& load, const std::string& policy, std::uint64_t kib, double penalty_us,
                  double hit_ratio = 0.5) {
    Measured point;
    point.load = load;
    point.policy = *parse_policy(policy);
    point.size_bytes = kib * hal::kKiB;
    point.hit_ratio = hit_ratio;
    point.entries.total = penalty_us;
    point.bus.total = penalty_us;
    return point;
}

const Claim& claim(const std::vector<Claim>& claims, const std::string& id) {
    return *std::ranges::find(claims, id, &Claim::id);
}

/// Penalties that give exactly table 3: bsb costs 1000 us, the others 1000 / (1 - reduction).
std::vector<Measured> as_published() {
    std::vector<Measured> all;
    for (const PublishedLoad& load : published_loads()) {
        for (const PublishedReduction& row : published_reductions()) {
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
        const auto policy = parse_policy(name);
        ASSERT_TRUE(policy) << name;
        EXPECT_EQ(policy->name, name);
    }
    EXPECT_EQ(parse_policy("tafp_48")->tafp_bytes, 48U);
    for (const char* wrong : {"", "full", "full_table", "tafp", "tafp_", "tafp_8x", "tafp_-8", "lru"}) {
        EXPECT_FALSE(parse_policy(wrong)) << wrong;
    }
    EXPECT_TRUE(parse_policy("tafp_8")->fixed());
    EXPECT_TRUE(parse_policy("dftl")->fixed());
    EXPECT_FALSE(parse_policy("bsb")->fixed());
    EXPECT_FALSE(parse_policy("sftl")->fixed());
}

/// Smallest caches by docs/map-cache.md: full 4,108 bytes, tafp_N N + 14.
TEST(MapCachePolicies, EverythingThatIsImpossibleIsSaidAtOnce) {
    platform::ConfigurationSources sources;
    sources.preset = "study_b";
    const platform::Configuration base = platform::load_configuration(sources);
    const std::vector<Policy> policies{*parse_policy("full_page"), *parse_policy("tafp_10"),
                                       *parse_policy("tafp_64"), *parse_policy("tafp_512")};
    try {
        (void)caches_of(policies, {77, 4107, 4108}, base);
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
    EXPECT_EQ(caches_of({*parse_policy("full_page"), *parse_policy("tafp_64")}, {4108, 8216}, base).size(),
              4U);
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
    EXPECT_TRUE((Comparison{"", 0, "", 15, 24.9}.near()));
    EXPECT_FALSE((Comparison{"", 0, "", 15, 4.9}.near()));
    EXPECT_TRUE((Comparison{"", 0, "", 70, 5.1}.same_direction()));
    EXPECT_FALSE((Comparison{"", 0, "", 70, 4.9}.same_direction())) << "hardly a difference";
    EXPECT_FALSE((Comparison{"", 0, "", -24, 24}.same_direction()));
    EXPECT_TRUE((Comparison{"", 0, "", 3, -2}.same_direction())) << "both hardly a difference";
}

TEST(MapCacheClaims, ThePublishedNumbersReproduceThemselves) {
    const std::vector<Measured> all = as_published();
    const std::vector<Comparison> table = table_three(all);
    ASSERT_EQ(table.size(), 24U) << "three sizes, four workloads, two policies";
    for (const Comparison& each : table) {
        EXPECT_NEAR(each.measured, each.published, 1e-9) << each.load;
    }
    const std::vector<Claim> claims = claims_of(all, {}, false);
    for (const char* id : {"B1", "B2", "B3", "B4"}) {
        EXPECT_EQ(claim(claims, id).verdict, Verdict::reproduced) << id;
        EXPECT_EQ(claim(claims, id).reason, "") << id;
    }
}

TEST(MapCacheClaims, WhatDoesNotComeOutIsSaidSo) {
    std::vector<Measured> all = as_published();
    for (Measured& each : all) {
        each.entries.total = each.policy.name == "bsb" ? 2000.0 : each.entries.total;
    }
    // Financial: 70 % becomes 40 %, on the same side and out of reach; the others turn round.
    const Claim b1 = claim(claims_of(all, {}, false), "B1");
    EXPECT_EQ(b1.verdict, Verdict::not_reproduced);
    EXPECT_NE(b1.reason.find("0 of 8 numbers within 10 points, 2 on the same side"), std::string::npos)
        << b1.reason;
    EXPECT_EQ(claim(claims_of(all, {}, false), "B4").verdict, Verdict::not_reproduced);
}

TEST(MapCacheClaims, PartOfWhatAClaimSpeaksOfIsNamedSo) {
    std::vector<Measured> all = as_published();
    std::erase_if(all, [](const Measured& each) { return each.load != "pc"; });
    const std::vector<Claim> claims = claims_of(all, {}, true);
    EXPECT_NE(claim(claims, "B1").reason.find("not all"), std::string::npos);
    EXPECT_NE(claim(claims, "B1").reason.find("--limit"), std::string::npos);
    EXPECT_EQ(std::ranges::find(claims, "B5", &Claim::id), claims.end()) << "one workload says nothing";
    EXPECT_TRUE(claims_of({}, {}, false).empty());
    const std::vector<Measured> trace{measured("desktop", "bsb", 16, 10),
                                      measured("desktop", "full_page", 16, 20)};
    EXPECT_TRUE(claims_of(trace, {}, false).empty()) << "a trace of its own is not in table 3";
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
    all[1].hit_ratio = 0.45;
    const Claim shrinks = claim(claims_of(all, {}, false), "B5");
    EXPECT_EQ(shrinks.verdict, Verdict::partly);
    EXPECT_NE(shrinks.reason.find("pc full_page from 16 to 32 KB: 50.0 to 45.0 %"), std::string::npos);
    for (Measured& each : all) {
        each.entries.total = each.policy.name == "dftl" ? 1.0 : 2.0;
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

TEST(MapCacheClaims, ShapesAreToldApart) {
    // 0 three times, then 10, 20 and 80 entries ahead: a third is far, none is behind.
    const Shape near = shape_of(properties_of({100, 100, 100, 110, 120, 180}));
    EXPECT_TRUE(near.zero_is_most_frequent);
    EXPECT_NEAR(near.near_ahead, 2.0 / 3.0, 1e-9);
    EXPECT_NEAR(near.far_ahead, 1.0 / 3.0, 1e-9);
    EXPECT_TRUE(near.is(Locality::short_forward));
    EXPECT_FALSE(near.is(Locality::long_forward));
    EXPECT_FALSE(near.is(Locality::both_ways));
    // One in each quarter of the way, three of four beyond 63.
    const Shape far = shape_of(properties_of({0, 0, 0, 20, 300, 600, 900}));
    EXPECT_NEAR(far.least_quarter_ahead, 0.25, 1e-9);
    EXPECT_TRUE(far.is(Locality::long_forward));
    EXPECT_FALSE(far.is(Locality::short_forward));
    // Far on both sides; the trigger has most of the requests.
    std::vector<std::uint32_t> pages(20, 500);
    pages.insert(pages.end(), {100, 200, 700, 800});
    const Shape both = shape_of(properties_of(pages));
    EXPECT_NEAR(both.negative, 0.5, 1e-9);
    EXPECT_TRUE(both.is(Locality::both_ways));
    EXPECT_FALSE(both.is(Locality::long_forward));
}

TEST(MapCacheMeasured, IsReadFromTheSectionOfAResult) {
    const Json penalty{{"rm", 1.0}, {"pf", 2.0}, {"rf", 3.0}, {"total", 6.0}};
    Json section{
        {"size_bytes", 65536},
        {"lookups", 100},
        {"hit_ratio", 0.25},
        {"windows", {{{"entries", 1024}, {"chosen", 30}}, {{"entries", 16}, {"chosen", 10}}}},
        {"penalty_us", {{"closed_form", penalty}, {"closed_form_entries", penalty}, {"measured", penalty}}}};
    section["penalty_us"]["closed_form"]["total"] = 7.0;
    section["penalty_us"]["measured"]["total"] = 8.0;
    const Measured timed = measured_of(section);
    EXPECT_EQ(timed.windows.front().entries, 16U) << "shortest first";
    EXPECT_EQ(timed.derived(), Json({{"hit_ratio", 0.25},
                                     {"penalty_entries_us", 6.0},
                                     {"penalty_bus_us", 7.0},
                                     {"penalty_measured_us", 8.0},
                                     {"window_16_share", 0.25},
                                     {"window_1024_share", 0.75}}));
    section["penalty_us"]["measured"]["total"] = nullptr;
    EXPECT_FALSE(measured_of(section).measured) << "nothing took time";
}

TEST(MapCacheTables, MarkTheBestAndNameTheMissing) {
    std::vector<Measured> all{measured("pc", "full_page", 16, 31.0, 0.9674),
                              measured("pc", "full_page", 32, 28.6, 0.9716),
                              measured("pc", "tafp_8", 16, 296.3, 0.7178)};
    const std::string text = cache_tables(all, false, TextStyle{});
    EXPECT_NE(text.find("full_page     *96.74  *97.16"), std::string::npos) << text;
    EXPECT_NE(text.find("tafp_8         71.78  failed"), std::string::npos) << text;
    EXPECT_EQ(text.find("measured"), std::string::npos) << "nothing took time";
    all[0].measured = Penalty{1, 2, 3, 6.0};
    EXPECT_NE(cache_tables(all, true, TextStyle{}).find("measured: rm"), std::string::npos);
    const std::vector<Comparison> table{{"pc", 16 * hal::kKiB, "half_page", 15, -0.04},
                                        {"pc", 32 * hal::kKiB, "half_page", 3, 4.26}};
    EXPECT_NE(reduction_table(table, TextStyle{}).find("pc, half_page  +0.0 (+15)  +4.3 (+3)"),
              std::string::npos)
        << reduction_table(table, TextStyle{});
    EXPECT_EQ(reduction_table({}, TextStyle{}), "");
}

TEST(MapCacheFigures, ShowEveryLoadAndAddUp) {
    std::vector<Load> loads(1);
    loads[0].name = "a/b.c,d=1";
    loads[0].properties = properties_of({100, 100, 90, 1000, 2000, 2001});
    std::vector<Measured> all{measured(loads[0].name, "full_page", 16, 31.0),
                              measured(loads[0].name, "bsb", 16, 30.0),
                              measured(loads[0].name, "bsb", 32, 29.0)};
    all[1].windows = {{16, 3}, {1024, 1}};
    all[1].windows_over_time = {{3, 0}, {1, 0}};
    Json result = Json::object();
    const std::vector<Figure> figures = figures_of(all, loads, 1024);
    add_figures(result, figures);  // checks names and lengths
    ASSERT_EQ(result["figures"].size(), 6U) << "SLE, hits and penalty twice each, windows";
    const Json& sle = result["figures"][0];
    double sum = 0.0;  // each value holds for every distance of its bucket
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

}  // namespace
}  // namespace solidtlm::testbench::map_cache
