// SPDX-License-Identifier: Apache-2.0
//
// The parts of the study on hand-made inputs, the rules for its claims, and tb_fragmentation as a user runs
// it.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <map>

#include "fw/testing/places.h"
#include "testbench/programs/scenario_fixture.h"
#include "testbench/studies/fragmentation/fragmentation.h"

namespace solidtlm::testbench::fragmentation {
namespace {

platform::Configuration agrawal(const std::vector<std::string>& settings) {
    return platform::load_configuration({"agrawal", {}, settings});
}

/// Two channels of one die of two planes, 16 blocks of 8 pages.
platform::Configuration small(const std::vector<std::string>& settings = {}) {
    std::vector<std::string> all{
        "nand.geometry.channels=2",  "nand.geometry.dies=1",           "nand.geometry.dies_per_way=1",
        "nand.geometry.planes=2",    "nand.geometry.blocks=16",        "nand.geometry.pages=8",
        "ssd.over_provisioning=0.5", "firmware.allocation.order=CWDP", "firmware.gc.background_threshold=3"};
    all.insert(all.end(), settings.begin(), settings.end());
    return agrawal(all);
}

TEST(Fragmentation, LogBlocksBecomeBlocksOfTheLayer) {
    const platform::Configuration base = agrawal({"firmware.allocation.order=CWDP"});
    Sweep sweep;
    // 8 packages of 2 dies of 4 planes: a group has 64 NAND blocks.
    const SystemPoint full = system_point(System{"fast", "full", true}, sweep, base);
    EXPECT_EQ(columns_of(full.configuration), 64U);
    EXPECT_EQ(full.configuration.firmware.block_map.log_blocks, 32U);
    const SystemPoint none = system_point(System{"fast", "none", false}, sweep, base);
    EXPECT_EQ(columns_of(none.configuration), 1U);
    EXPECT_EQ(none.configuration.firmware.block_map.log_blocks, 2048U);
    EXPECT_FALSE(none.configuration.nand.rules.sequential_pages);
    EXPECT_EQ(none.configuration.exported_bytes(), full.configuration.exported_bytes());
    EXPECT_EQ(columns_of(small({"firmware.allocation.order=PCWD", "firmware.allocation.striping=none"})), 2U)
        << "planes that are programmed together";
}

TEST(Fragmentation, AScaledDriveIsSmallerInEverythingButItsShape) {
    const platform::Configuration base = agrawal({"firmware.allocation.order=CWDP"});
    Sweep sweep;
    sweep.scale = 0.25;
    const SystemPoint point = system_point(System{"fast", "full", true}, sweep, base);
    EXPECT_EQ(point.configuration.nand.geometry.blocks, 512U);
    EXPECT_EQ(point.configuration.nand.geometry.channels, 8U);
    EXPECT_EQ(point.configuration.firmware.block_map.log_blocks, 8U);
    EXPECT_NEAR(static_cast<double>(point.configuration.exported_bytes()),
                static_cast<double>(base.exported_bytes()) / 4, 4 << 20);
}

TEST(Fragmentation, MtbsGetsTwiceTheBlocks) {
    const platform::Configuration base = agrawal({"firmware.allocation.order=CWDP"});
    const SystemPoint point = system_point(System{"mtbs", "full", true}, Sweep{}, base);
    EXPECT_EQ(point.configuration.nand.geometry.blocks, 4096U);
    EXPECT_EQ(point.configuration.exported_bytes(), base.exported_bytes());
}

TEST(Fragmentation, PageMappingRunsOnceForBothRules) {
    Sweep sweep;
    sweep.layers = {"page_map", "fast"};
    sweep.log_blocks = 8;
    std::vector<std::string> names;
    for (const SystemPoint& point : systems_of(sweep, small({"ssd.over_provisioning=0.6"}))) {
        names.push_back(point.system.name());
    }
    EXPECT_EQ(names,
              (std::vector<std::string>{"page_map, striping full, rule on", "fast, striping full, rule on",
                                        "fast, striping full, rule off", "page_map, striping none, rule on",
                                        "fast, striping none, rule on", "fast, striping none, rule off"}));
}

TEST(Fragmentation, ALogBelowOneBlockIsRefused) {
    Sweep sweep;
    sweep.layers = {"fast"};
    sweep.log_blocks = 3;
    try {
        (void)systems_of(sweep, small({"ssd.over_provisioning=0.6"}));
        FAIL();
    } catch (const platform::ConfigurationError& error) {
        EXPECT_NE(std::string(error.what())
                      .find("3 NAND blocks times a scale of 1 are no whole block of 4 with "
                            "striping full; allowed: at least 4"),
                  std::string::npos)
            << error.what();
    }
}

TEST(Fragmentation, PageMappingFillsBlockAfterBlock) {
    const platform::Configuration none = small({"firmware.allocation.striping=none"});
    EXPECT_DOUBLE_EQ(page_fill_utilisation(0, none), 0.0);
    EXPECT_DOUBLE_EQ(page_fill_utilisation(8, none), 100.0);
    EXPECT_DOUBLE_EQ(page_fill_utilisation(12, none), 75.0) << "one block full, one half";
    const platform::Configuration full = small();
    EXPECT_DOUBLE_EQ(page_fill_utilisation(2, full), 12.5) << "two blocks with a page each";
    EXPECT_DOUBLE_EQ(page_fill_utilisation(16, full), 50.0) << "four half full";
    EXPECT_DOUBLE_EQ(page_fill_utilisation(32, full), 100.0);
}

// 4 KiB at 25 ns per byte take 102.4 us, and a program takes 200 us.
TEST(Fragmentation, EightPagesOnFourDies) {
    const double transfer = 102.4;
    const double program = 200.0;
    EXPECT_DOUBLE_EQ(write_time_us(8, 1, 1, transfer, program), 8 * (transfer + program));
    EXPECT_DOUBLE_EQ(write_time_us(8, 4, 4, transfer, program), 2 * (transfer + program));
    // One bus: it is never idle, and the last page is programmed at the end.
    EXPECT_DOUBLE_EQ(write_time_us(8, 4, 1, transfer, program), 8 * transfer + program);
    // Two dies per bus: the first waits for its own program, the second for the first one's transfer.
    EXPECT_DOUBLE_EQ(write_time_us(8, 4, 2, transfer, program), 3 * transfer + 2 * program);
}

TEST(Fragmentation, FlashWorkIsBoundByDiesOrBuses) {
    // Command and address cycles add less than 1 %.
    const auto near = [](double seconds) { return 0.01 * seconds; };
    const platform::Configuration configuration = small();  // 2 channels, 2 dies
    const double programs = 1000 * (102.4 + 200) / 2 * 1e-6;
    EXPECT_NEAR(flash_seconds({0, 1000, 0}, configuration), programs, near(programs));
    const double reads = 1000 * (102.4 + 25) / 2 * 1e-6;
    EXPECT_NEAR(flash_seconds({1000, 0, 0}, configuration), reads, near(reads));
    EXPECT_NEAR(flash_seconds({0, 0, 100}, configuration), 100 * 1500 / 2 * 1e-6, 1e-9);
    // Four dies on one channel: the bus is the limit.
    const platform::Configuration bus =
        small({"nand.geometry.channels=1", "nand.geometry.dies=4", "nand.geometry.blocks=32"});
    EXPECT_NEAR(flash_seconds({0, 1000, 0}, bus), 0.1024, near(0.1024));
}

TEST(Fragmentation, UnitsThatARequestTouches) {
    std::vector<std::uint32_t> units;
    each_unit(Lba{7}, 10, 4096, [&units](hal::Lpn lpn) { units.push_back(lpn.value); });
    EXPECT_EQ(units, (std::vector<std::uint32_t>{0, 1, 2}));
    units.clear();
    each_unit(Lba{8}, 8, 4096, [&units](hal::Lpn lpn) { units.push_back(lpn.value); });
    EXPECT_EQ(units, (std::vector<std::uint32_t>{1}));
}

Load load_of(const std::string& workload) {
    RunSpec run;
    run.workload = workload;
    return Load{"load", run};
}

TEST(Fragmentation, AProfileCountsBytesByPlaceAndTime) {
    const platform::Configuration configuration = small({"nand.geometry.blocks=256"});
    const Profile profile = profile_of(load_of("sequential,read=0,size=64k,count=10"), configuration);
    EXPECT_EQ(profile.requests, 10U);
    EXPECT_EQ(profile.bytes, 655360U);
    EXPECT_EQ(profile.pages_written, 160U);
    EXPECT_DOUBLE_EQ(profile.mean_kib(), 64.0);
    double mib = 0.0;
    for (const std::vector<double>& row : profile.pattern) {
        for (const double value : row) {
            mib += value;
        }
    }
    EXPECT_NEAR(mib, 0.625, 1e-9);
    EXPECT_GT(profile.pattern[0][0], 0.0);
    EXPECT_EQ(profile.pattern[Profile::kPlaces - 1][0], 0.0);
}

/// The workloads at full size are within 5 % of the published values.
TEST(Fragmentation, TheStudysWorkloadsMatchTableOne) {
    const platform::Configuration drive = agrawal({"nand.geometry.blocks=2410", "ssd.capacity=32GiB"});
    for (const auto& [name, gib, kib] :
         {std::tuple(kIozone, 3.42, 58.68), std::tuple(kPcApplication, 1.62, 13.53)}) {
        const Profile profile = profile_of(load_of(name), drive);
        EXPECT_NEAR(static_cast<double>(profile.bytes) / (1 << 30), gib, 0.05 * gib) << name;
        EXPECT_NEAR(profile.mean_kib(), kib, 0.05 * kib) << name;
    }
}

TEST(Fragmentation, LoadsHaveNamesOfTheirOwn) {
    RunSpec run;
    run.traces = {"a/desktop.trace.xz", "b/desktop.trace", ".hidden"};
    std::vector<std::string> names;
    for (const Load& load : loads_of({kIozone}, run, 0.5)) {
        names.push_back(load.name);
    }
    EXPECT_EQ(names, (std::vector<std::string>{"iozone", "desktop", "desktop_2", "."}));
    run.traces.clear();
    run.workload = "random,read=0,size=4k";
    const std::vector<Load> loads = loads_of({kIozone}, run, 0.5);
    EXPECT_EQ(loads[0].run.workload, "iozone,scale=0.5");
    EXPECT_EQ(loads[1].run.workload, run.workload) << "not scaled";
}

/// FAST on IOzone, in the form of its result.
Measured measured_fast(bool rule, const Json& writes, double mb_per_s) {
    Measured point{{{"load", "iozone"}, {"layer", "fast"}, {"striping", "full"}, {"sequential_rule", rule}}};
    Json result{
        {"host", {{"measured_s", 1.0}, {"mb_per_s", mb_per_s}}},
        {"nand",
         {{"reads", 50}, {"programs", 150}, {"erases", 12}, {"by_cause", {{"host", {{"programs", 100}}}}}}},
        {"block_map",
         {{"writes", writes},
          {"merges", {{"drop", 1}, {"switch", 2}, {"partial", 3}, {"full", 4}}},
          {"block_utilization", 0.875}}}};
    point.more = {{"utilisation_over_time", {{0.5, 80.0}, {1.0, 87.5}}}};
    measure(small(), 1'000'000, result, point);
    return point;
}

std::vector<Measured> two_systems() {
    return {measured_fast(true, {{"write_data", 60}, {"update_pure", 30}, {"update_wasted", 10}}, 123.4),
            measured_fast(false, {{"write_data", 70}, {"update_pure", 30}, {"update_wasted", 0}}, 246.8)};
}

TEST(Fragmentation, TheTableHasALineForEachSystem) {
    const std::string text = tables_of(two_systems(), {}, 1.0, TextStyle{});
    EXPECT_NE(text.find("iozone, striping full"), std::string::npos) << text;
    EXPECT_NE(text.find("fast   on    60.0  30.0    10.0  87.5       2        3     4     1      50"),
              std::string::npos)
        << text;
    EXPECT_NE(text.find("123.4"), std::string::npos) << text;
    for (std::size_t begin = 0; begin < text.size();) {
        const std::size_t end = std::min(text.find('\n', begin), text.size());
        EXPECT_LE(end - begin, 100U) << text.substr(begin, end - begin);
        begin = end + 1;
    }
}

TEST(Fragmentation, DerivedValuesOfAPoint) {
    const std::vector<Measured> all = two_systems();
    EXPECT_DOUBLE_EQ(*cost_of_rule(all, all[0]), -50.0);
    EXPECT_FALSE(cost_of_rule(all, all[1])) << "has no rule that could cost anything";
    const Json& derived = all[0].derived;
    EXPECT_DOUBLE_EQ(derived["write_amplification"], 1.5);
    EXPECT_DOUBLE_EQ(derived["update_wasted_share"], 0.1);
    EXPECT_DOUBLE_EQ(derived["block_utilisation"], 0.875);
    EXPECT_EQ(derived["merges_full"], 4);
    EXPECT_EQ(derived["pages_copied"], 50);
    EXPECT_DOUBLE_EQ(derived["mb_per_s"], 123.4);
}

TEST(Fragmentation, FiguresHaveUniqueIdsAndShowTheRuns) {
    std::vector<Measured> all = two_systems();
    for (Measured each : two_systems()) {
        each.parameters["load"] = "random,read=0,size=4k";
        all.push_back(each);
    }
    Load load{"Some Trace", {}};
    load.profile.pattern[3][4] = 2.5;
    Json result = Json::object();
    // Throws if an id occurs twice or lengths do not match.
    add_figures(result, figures_of(all, std::vector{load}));
    std::map<std::string, Json> figures;
    for (const Json& figure : result["figures"]) {
        figures[figure["id"].get<std::string>()] = figure;
    }
    EXPECT_TRUE(figures.contains("kinds-random-read-0-size-4k-full"));
    EXPECT_TRUE(figures.contains("pattern-some-trace"));
    EXPECT_EQ(figures["utilisation-full"]["series"][0]["values"][0], 87.5);
}

TEST(Fragmentation, CostOfTheRuleByDriveAndLog) {
    std::vector<Measured> all;
    const auto add = [&all](double drive, int log, double mb_per_s, double wasted) {
        for (const bool rule : {true, false}) {
            all.push_back({{{"part", "sensitivity"},
                            {"load", kPcApplication},
                            {"drive_gib", drive},
                            {"log_blocks", log},
                            {"sequential_rule", rule}},
                           {{"flash_bound_mb_per_s", rule ? mb_per_s : 100.0}},
                           {{"wasted", wasted}, {"utilisation", 3.0}}});
        }
    };
    add(2, 128, 90, 12);
    add(2, 64, 50, 11);
    add(0.5, 64, 30, 40);  // no room for the larger log
    const std::string text = sensitivity_table(all, TextStyle{});
    EXPECT_NE(text.find("  drive GiB  wasted %     64    128\n"
                        "        0.5      40.0  -70 %      -\n"
                        "          2      12.0  -50 %  -10 %\n"),
              std::string::npos)
        << text;
    const std::vector<Figure> figures = sensitivity_figures(all);
    ASSERT_EQ(figures.size(), 3U);
    const auto& line = std::get<LineFigure>(figures[0]).series.at(0).points;
    ASSERT_EQ(line.size(), 2U) << "of the largest drive, as they come";
    EXPECT_EQ(line[0].first, 128.0);
    EXPECT_DOUBLE_EQ(line[1].second, -50.0);
    const auto& cells = std::get<HeatmapFigure>(figures[2]).cells;
    EXPECT_DOUBLE_EQ(*cells.at(0).at(0), -70.0);
    EXPECT_FALSE(cells[0].at(1));
    EXPECT_DOUBLE_EQ(*cells.at(1).at(1), -10.0);
    EXPECT_TRUE(sensitivity_figures({}).empty());
}

/// Page writes by kind: write_data, update_pure, update_wasted.
Measured judged(const char* layer, bool rule, const char* load, std::array<double, 3> writes,
                double utilisation) {
    const auto& [data, pure, wasted] = writes;
    return {{{"load", load}, {"layer", layer}, {"striping", "full"}, {"sequential_rule", rule}},
            {{"flash_bound_mb_per_s", 100.0}},
            {{"wasted", 100.0 * wasted / (data + pure + wasted)},
             {"log_pages", pure + wasted},
             {"utilisation", utilisation}}};
}

/// The study's published values.
std::vector<Measured> published() {
    std::vector<Measured> all{
        judged("page_map", true, kIozone, {1000, 0, 0}, 100.0),
        judged("page_map", true, kPcApplication, {1000, 0, 0}, 100.0),
        judged("fast", true, kIozone, {500, 490, 10}, 95.0),
        judged("fast", false, kIozone, {510, 490, 0}, 95.0),
        judged("fast", true, kPcApplication, {300, 300, 400}, 5.0),
        judged("fast", false, kPcApplication, {700, 300, 0}, 8.0),
    };
    all[2].derived["mb_per_s"] = 99.0;
    all[3].derived["mb_per_s"] = 100.0;
    all[4].derived["mb_per_s"] = 60.0;
    all[5].derived["mb_per_s"] = 100.0;
    return all;
}

Claim claim(const std::vector<Measured>& all, const std::string& id) {
    for (const Claim& each : claims_of(all)) {
        if (each.id == id) {
            return each;
        }
    }
    ADD_FAILURE() << id << " is not judged";
    return {};
}

TEST(FragmentationClaims, PublishedValuesAreReproduced) {
    const std::vector<Measured> all = published();
    ASSERT_EQ(claims_of(all).size(), 6U);
    for (const Claim& each : claims_of(all)) {
        EXPECT_EQ(each.verdict, Verdict::reproduced) << each.id;
    }
    EXPECT_EQ(claim(all, "A3").measured, "40.0 %");
    EXPECT_EQ(claim(all, "A4").measured, "1.0 %");
    EXPECT_EQ(claim(all, "A5").measured, "-40.0 %");
    EXPECT_EQ(claim(all, "A6").measured, "-1.0 %");
}

TEST(FragmentationClaims, FullBlocksAreJudgedByTheLowerWorkload) {
    std::vector<Measured> all = published();
    all[1].more["utilisation"] = 98.9;
    EXPECT_EQ(claim(all, "A1").verdict, Verdict::partly);
    all[1].more["utilisation"] = 94.9;
    EXPECT_EQ(claim(all, "A1").verdict, Verdict::not_reproduced);
}

TEST(FragmentationClaims, UtilisationMustBeHighAndVeryLow) {
    std::vector<Measured> all = published();
    all[4].more["utilisation"] = 30.0;
    EXPECT_EQ(claim(all, "A2").verdict, Verdict::partly) << "in the right order";
    all[4].more["utilisation"] = 96.0;
    EXPECT_EQ(claim(all, "A2").verdict, Verdict::not_reproduced);
}

TEST(FragmentationClaims, SharesAreJudgedByTheirDistance) {
    std::vector<Measured> all = published();
    all[4].more["wasted"] = 26.0;
    EXPECT_EQ(claim(all, "A3").verdict, Verdict::partly);
    all[4].more["wasted"] = 24.0;
    EXPECT_EQ(claim(all, "A3").verdict, Verdict::not_reproduced);
    all[2].more["wasted"] = 6.0;
    EXPECT_EQ(claim(all, "A4").verdict, Verdict::partly);
}

TEST(FragmentationClaims, TheCostOfTheRuleHasAReason) {
    std::vector<Measured> all = published();
    all[4].derived["mb_per_s"] = 80.0;
    all[4].derived["merges_full"] = 7;
    all[4].derived["pages_copied"] = 70;
    EXPECT_EQ(claim(all, "A5").verdict, Verdict::partly);
    EXPECT_EQ(claim(all, "A5").reason, "7 merges copied 70 pages with the rule, 0 copied 0 without");
    all[4].derived["mb_per_s"] = 101.0;
    all[4].derived["pages_copied"] = 0;
    EXPECT_EQ(claim(all, "A5").verdict, Verdict::not_reproduced);
    EXPECT_EQ(
        claim(all, "A5").reason,
        "700 pages went to the log with the rule and 300 without, and neither had to copy a page: the log "
        "has room for all of them");
}

TEST(FragmentationClaims, WithoutTimeTheFlashWorkIsCompared) {
    std::vector<Measured> all = published();
    for (Measured& each : all) {
        each.derived.erase("mb_per_s");
    }
    all[4].derived["flash_bound_mb_per_s"] = 58.0;
    EXPECT_EQ(claim(all, "A5").measured, "-42.0 % (flash work, not timed)");
    EXPECT_EQ(claim(all, "A5").verdict, Verdict::reproduced);
}

TEST(FragmentationClaims, SystemsThatWereNotRunAreNotJudged) {
    std::vector<Measured> all = published();
    all.erase(all.begin() + 3);  // removes IOzone without the rule
    all.erase(all.begin());      // removes page mapping on IOzone
    std::vector<std::string> ids;
    for (const Claim& each : claims_of(all)) {
        ids.push_back(each.id);
    }
    EXPECT_EQ(ids, (std::vector<std::string>{"A2", "A3", "A4", "A5"}));
}

TEST(FragmentationClaims, SpeedUpMustFollowFromTheTimes) {
    std::vector<Measured> all;
    for (const auto& [channels, full_us, expected] : {std::tuple(1, 1020.0, 2.37), {4, 605.0, 4.0}}) {
        for (const auto& [striping, us] : {std::pair("none", 2420.0), {"full", full_us}}) {
            all.push_back({{{"part", "speed_up"}, {"channels", channels}, {"striping", striping}},
                           {{"flash_us", us}, {"expected", expected}}});
        }
    }
    EXPECT_EQ(claim(all, "A7").measured,
              "2.37 on 1 channel (2.37 by formula), 4.00 on 4 channels (4.00 by formula)");
    EXPECT_EQ(claim(all, "A7").verdict, Verdict::reproduced);
    all[1].derived["flash_us"] = 1500.0;
    EXPECT_EQ(claim(all, "A7").verdict, Verdict::partly);
    all[1].derived["flash_us"] = 2420.0;
    all[3].derived["flash_us"] = 2420.0;
    EXPECT_EQ(claim(all, "A7").verdict, Verdict::not_reproduced);
}

class TbFragmentation : public ScenarioTest {
  protected:
    TbFragmentation() : ScenarioTest(built_path("tb_fragmentation"), "systems on") {}
};

/// A sixteenth of everything: 2 GiB, and a log of two groups.
constexpr const char* kSmall = "--scale 0.0625 --drive-sweep 1 --log-sweep 2048 ";

TEST_F(TbFragmentation, WritesAResultThatItsSchemaAccepts) {
    const Json result = result_of(std::string(kSmall) + "--timing off", "counted");
    ASSERT_EQ(result["points"].size(), 36U) << "9 systems, striped or not, on 2 loads";
    EXPECT_EQ(result["points"][0]["parameters"]["layer"], "page_map");
    EXPECT_EQ(result["points"][1]["parameters"]["log_nand_blocks"], 128);
    EXPECT_EQ(result["claims"].size(), 7U);
    EXPECT_EQ(result["figures"][0]["id"], "pattern-iozone");
    EXPECT_TRUE(std::filesystem::exists(folder_ / "counted" / "report.html"));
    expect_valid_result(folder_ / "counted");
}

/// With one request at a time, requests reach the layer in the host's order, so the drive's counts must equal
/// those without time.
TEST_F(TbFragmentation, TheDriveAgreesWithTheCounts) {
    const std::string systems = std::string(kSmall) + "--layers page_map,fast --striping full ";
    const Json counted = result_of(systems + "--timing off", "counted");
    const Json timed = result_of(systems + "--timing full --queue-depth 1", "timed");
    ASSERT_EQ(counted["points"].size(), 6U);
    ASSERT_EQ(timed["points"].size(), 6U);
    for (std::size_t i = 0; i < counted["points"].size(); ++i) {
        const Json& expected = counted["points"][i]["derived"];
        const Json& found = timed["points"][i]["derived"];
        for (const char* field :
             {"pages_written", "write_data_share", "update_pure_share", "update_wasted_share", "merges_full",
              "merges_partial", "merges_switched", "merges_dropped", "pages_copied", "blocks_erased"}) {
            EXPECT_EQ(found[field], expected[field]) << field << " at point " << i;
        }
        EXPECT_GT(found["mb_per_s"], 0.0);
        EXPECT_FALSE(expected.contains("mb_per_s"));
    }
}

TEST_F(TbFragmentation, TheNumberOfJobsChangesNothing) {
    expect_same_with_any_jobs(std::string(kSmall) + "--timing off --layers fast,bast");
}

TEST_F(TbFragmentation, AUsedDriveHasNoFirstWrites) {
    const Json result = result_of(std::string(kSmall) +
                                      "--timing off --layers fast --striping full --rules on "
                                      "--workloads pc_application --precondition fill=1,random=0",
                                  "used");
    ASSERT_EQ(result["points"].size(), 1U);
    const Json& derived = result["points"][0]["derived"];
    EXPECT_EQ(derived["update_pure_share"], 1.0);
    EXPECT_EQ(derived["block_utilisation"], 1.0);
}

TEST_F(TbFragmentation, RunsTraces) {
    const Json result = result_of(
        "--timing off --layers page_map,fast --striping full --log-sweep 2048 --limit 5000 --trace " +
            source_path("traces/sample.nbd.xz"),
        "trace");
    ASSERT_EQ(result["points"].size(), 3U);
    EXPECT_EQ(result["points"][0]["parameters"]["load"], "sample");
    EXPECT_EQ(result["claims"].size(), 1U) << "A7 alone: the others are about the study's workloads";
}

TEST_F(TbFragmentation, RefusesImpossibleRuns) {
    expect_refused("--speed 2", {"unknown option --speed; tb_fragmentation keeps --queue-depth"});
    expect_refused("--layers fsat", {"--layers", "found fsat", "mtbs"});
    expect_refused("--layers fast,fast", {"--layers", "found fast twice"});
    expect_refused("--striping half", {"--striping", "full, none"});
    expect_refused("--rules perhaps", {"--rules", "on, off"});
    expect_refused("--workloads pc", {"--workloads", "iozone, pc_application"});
    expect_refused("--timing half", {"--timing", "full, off"});
    expect_refused("--scale 0", {"--scale", "above 0"});
    expect_refused("--scale 2 --drive-sweep 0", {"--scale", "--drive-sweep"});
    expect_refused("--log-blocks 63", {"--log-blocks", "63 NAND blocks", "at least 64"});
    expect_refused("--log-blocks 64", {"log_blocks"});
    expect_refused("--warm-up 5", {"--warm-up"});
    expect_refused("--timing off --precondition", {"--precondition", "random=0"});
    expect_refused("--timing off --queue-depth 4", {"--queue-depth: found with --timing off"});
    expect_refused("--workload random,read=1,size=4k,count=5", {"there is no write in it"});
    expect_refused("--trace /nonexistent", {"/nonexistent"});
    expect_refused("--preset default", {"error: --set: ssd.capacity"});
}

}  // namespace
}  // namespace solidtlm::testbench::fragmentation
