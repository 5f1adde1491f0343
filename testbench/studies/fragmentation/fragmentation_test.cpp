// SPDX-License-Identifier: Apache-2.0
//
// The parts of the study, on hand-made inputs.
#include <gtest/gtest.h>

#include <set>

#include "testbench/studies/fragmentation/figures.h"
#include "testbench/studies/fragmentation/load.h"
#include "testbench/studies/fragmentation/options.h"
#include "testbench/studies/fragmentation/page_fill.h"
#include "testbench/studies/fragmentation/speed_up.h"
#include "testbench/studies/fragmentation/table.h"

namespace solidtlm::testbench::fragmentation {
namespace {

/// Two channels of one die of two planes, 16 blocks of 8 pages.
platform::Configuration small(const std::vector<std::string>& settings = {}) {
    std::vector<std::string> all{
        "nand.geometry.channels=2",  "nand.geometry.dies=1",           "nand.geometry.dies_per_way=1",
        "nand.geometry.planes=2",    "nand.geometry.blocks=16",        "nand.geometry.pages=8",
        "ssd.over_provisioning=0.5", "firmware.allocation.order=CWDP", "firmware.gc.background_threshold=3"};
    all.insert(all.end(), settings.begin(), settings.end());
    return platform::load_configuration({"agrawal", {}, all, ""});
}

TEST(Fragmentation, LogBlocksBecomeBlocksOfTheLayer) {
    const platform::Configuration base =
        platform::load_configuration({"agrawal", {}, {"firmware.allocation.order=CWDP"}, ""});
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
    const platform::Configuration base =
        platform::load_configuration({"agrawal", {}, {"firmware.allocation.order=CWDP"}, ""});
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
    const platform::Configuration base =
        platform::load_configuration({"agrawal", {}, {"firmware.allocation.order=CWDP"}, ""});
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

TEST(Fragmentation, ALogOfNoWholeBlockIsRefused) {
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

// 4 KiB at 25 ns a byte are 102.4 us, and a program takes 200 us.
TEST(Fragmentation, EightPagesOnFourDies) {
    const double transfer = 102.4;
    const double program = 200.0;
    EXPECT_DOUBLE_EQ(write_time_us(8, 1, 1, transfer, program), 8 * (transfer + program));
    EXPECT_DOUBLE_EQ(write_time_us(8, 4, 4, transfer, program), 2 * (transfer + program));
    // One bus: it is never idle, and the last page is programmed at the end.
    EXPECT_DOUBLE_EQ(write_time_us(8, 4, 1, transfer, program), 8 * transfer + program);
    // Two dies a bus: the first waits for its own program, the second for the first one's transfer.
    EXPECT_DOUBLE_EQ(write_time_us(8, 4, 2, transfer, program), 3 * transfer + 2 * program);
}

TEST(Fragmentation, FlashWorkIsBoundByDiesOrBuses) {
    // Command and address cycles come on top: less than 1 %.
    const auto near = [](double seconds) { return 0.01 * seconds; };
    const platform::Configuration configuration = small();  // 2 channels, 2 dies
    const double programs = 1000 * (102.4 + 200) / 2 * 1e-6;
    EXPECT_NEAR(flash_seconds({0, 1000, 0}, configuration), programs, near(programs));
    const double reads = 1000 * (102.4 + 25) / 2 * 1e-6;
    EXPECT_NEAR(flash_seconds({1000, 0, 0}, configuration), reads, near(reads));
    EXPECT_NEAR(flash_seconds({0, 0, 100}, configuration), 100 * 1500 / 2 * 1e-6, 1e-9);
    // Four dies on one channel: the bus is the bound.
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
    CommandLine line;
    line.workload = workload;
    return Load{"load", line};
}

TEST(Fragmentation, AProfileCountsWhatIsMovedAndWhere) {
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

/// The workloads at full size, within 5 % of what the study publishes.
TEST(Fragmentation, TheStudysWorkloadsMatchTableOne) {
    const platform::Configuration drive = platform::load_configuration(
        {"agrawal", {}, {"nand.geometry.blocks=2410", "ssd.capacity=32GiB"}, ""});
    for (const auto& [name, gib, kib] :
         {std::tuple(kIozone, 3.42, 58.68), std::tuple(kPcApplication, 1.62, 13.53)}) {
        const Profile profile = profile_of(load_of(name), drive);
        EXPECT_NEAR(static_cast<double>(profile.bytes) / (1 << 30), gib, 0.05 * gib) << name;
        EXPECT_NEAR(profile.mean_kib(), kib, 0.05 * kib) << name;
    }
}

TEST(Fragmentation, LoadsHaveNamesOfTheirOwn) {
    CommandLine line;
    line.traces = {"a/desktop.trace.xz", "b/desktop.trace", ".hidden"};
    std::vector<std::string> names;
    for (const Load& load : loads_of({kIozone}, line, 0.5)) {
        names.push_back(load.name);
    }
    EXPECT_EQ(names, (std::vector<std::string>{"iozone", "desktop", "desktop_2", "."}));
    line.traces.clear();
    line.workload = "random,read=0,size=4k";
    const std::vector<Load> loads = loads_of({kIozone}, line, 0.5);
    EXPECT_EQ(loads[0].line.workload, "iozone,scale=0.5");
    EXPECT_EQ(loads[1].line.workload, line.workload) << "not scaled";
}

std::vector<Observed> two_systems() {
    Observed fast;
    fast.system = System{"fast", "full", true};
    fast.load = "iozone";
    fast.writes = {60, 30, 10};
    fast.merges = {1, 2, 3, 4};
    fast.work = {50, 150, 12};
    fast.copies = 50;
    fast.utilisation = 87.5;
    fast.utilisation_over_time = {{0.5, 80.0}, {1.0, 87.5}};
    fast.flash_bound_mb_per_s = 210.5;
    fast.mb_per_s = 123.4;
    Observed free = fast;
    free.system.rule = false;
    free.writes = {70, 30, 0};
    free.mb_per_s = 246.8;
    return {fast, free};
}

TEST(Fragmentation, TheTableHasALineForEachSystem) {
    const std::string text = system_tables(two_systems(), TextStyle{});
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

TEST(Fragmentation, WhatFollowsFromAPoint) {
    const std::vector<Observed> all = two_systems();
    EXPECT_DOUBLE_EQ(all[0].write_amplification(), 1.5);
    EXPECT_DOUBLE_EQ(*cost_of_rule(all, all[0]), -50.0);
    EXPECT_FALSE(cost_of_rule(all, all[1])) << "has no rule that could cost anything";
    const Json json = all[0].derived();
    EXPECT_DOUBLE_EQ(json["update_wasted_share"], 0.1);
    EXPECT_DOUBLE_EQ(json["block_utilisation"], 0.875);
    EXPECT_EQ(json["merges_full"], 4);
    EXPECT_DOUBLE_EQ(json["mb_per_s"], 123.4);
}

TEST(Fragmentation, FiguresHaveIdsOfTheirOwnAndWhatWasRun) {
    std::vector<Observed> all = two_systems();
    for (Observed each : two_systems()) {
        each.load = "random,read=0,size=4k";
        all.push_back(each);
    }
    NamedProfile profile{"Some Trace", {}};
    profile.profile.pattern.assign(Profile::kPlaces, std::vector<double>(Profile::kTimes));
    profile.profile.pattern[3][4] = 2.5;
    std::vector<Figure> figures = study_figures(all);
    for (Figure& figure : access_patterns(std::vector{profile})) {
        figures.push_back(std::move(figure));
    }
    Json result = Json::object();
    add_figures(result, figures);  // throws for an id given twice, and lengths that do not fit
    std::set<std::string> ids;
    for (const Json& figure : result["figures"]) {
        ids.insert(figure["id"].get<std::string>());
    }
    EXPECT_TRUE(ids.contains("kinds-random-read-0-size-4k-full"));
    EXPECT_TRUE(ids.contains("pattern-some-trace"));
    const Json& first = result["figures"][0];
    EXPECT_EQ(first["id"], "utilisation-full");
    EXPECT_EQ(first["series"][0]["values"][0], 87.5);
}

}  // namespace
}  // namespace solidtlm::testbench::fragmentation
