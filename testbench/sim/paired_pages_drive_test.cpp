// SPDX-License-Identifier: Apache-2.0
//
// Power cuts that take earlier pages of a word line: what protection costs, against closed forms, and that
// nothing durable is lost with it.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <array>

#include "fw/flash/needs.h"
#include "fw/needs.h"
#include "testbench/sim/child_runs.h"
#include "testbench/sim/one_die_test_support.h"
#include "testbench/sim/power_cut_test_support.h"
#include "testbench/sim/word_line_variants.h"

namespace solidtlm::testbench::paired_pages {
namespace {

constexpr double kPageInUs = (4096.0 + 7) * 0.025;  // 80h-5A, data, 10h
constexpr double kStatusUs = 2 * 0.025;
constexpr double kProgramUs = 900.0;
constexpr double kPlaneBusyUs = 2.0;

struct Part {
    const char* cell;
    int pages;  ///< pages per word line
    int planes;
};

void PrintTo(const Part& part, std::ostream* out) {
    *out << part.cell << ", " << part.planes << " planes";
}

/// One die, pages of one mapping unit.
platform::Configuration drive(const Part& part, const std::vector<std::string>& more) {
    std::vector<std::string> settings = one_die_settings(part.planes);
    settings.push_back(fmt::format("nand.cell={}", part.cell));
    settings.insert(settings.end(), more.begin(), more.end());
    return preset("agrawal", settings);
}

platform::Configuration drive(const Part& part, const std::string& protect) {
    return drive(part, std::vector<std::string>{"nand.timing.program=900us", "nand.power_cut=word_line",
                                                "firmware.word_lines.protect=" + protect});
}

platform::Configuration copying_drive(const Part& part, const std::vector<std::string>& more = {}) {
    std::vector<std::string> settings{"nand.timing.program=900us", "nand.power_cut=word_line",
                                      "firmware.word_lines.protect=backup", "nand.slc.read=20us",
                                      "nand.slc.program=150us"};
    settings.insert(settings.end(), more.begin(), more.end());
    return drive(part, settings);
}

/// Each write of 4 KiB waits until it is on flash. Runs in a process of its own.
Json durable_writes(const platform::Configuration& configuration, int count = 100) {
    const std::string workload = fmt::format("random,read=0,size=4k,fua=1,count={}", count);
    const auto run = [&] {
        const auto source = make_workload(parse_workload(workload, configuration.firmware.exported_sectors));
        return simulate(run_of(configuration), *source, ClosedLoop(1));
    };
    const std::vector<PointOutcome> points =
        run_points(std::vector<PointJob>{{workload, run}}, PointPool{1, true});
    EXPECT_EQ(points.front().outcome.faults, std::vector<std::string>());
    return points.front().outcome.result;
}

class Price : public testing::TestWithParam<Part> {};

// A word line of k pages on each of p planes holds one unit of data and k p - 1 units of padding.
TEST_P(Price, OfPaddingIsAWordLineForEachDurableWrite) {
    const Part& part = GetParam();
    const Json padded = durable_writes(drive(part, "pad"));
    EXPECT_EQ(padded["firmware"]["ftl.written_units"], 100.0);
    EXPECT_EQ(padded["firmware"]["ftl.padded_units"], 100.0 * (part.pages * part.planes - 1));
    EXPECT_EQ(padded["nand"]["by_cause"]["host"]["programs"], 100.0 * part.pages * part.planes);
    const Json plain = durable_writes(drive(part, "none"));
    EXPECT_EQ(plain["firmware"]["ftl.padded_units"], 100.0 * (part.planes - 1));
}

// Each further page of the word line crosses the bus on each plane and is programmed, one after the other.
TEST_P(Price, OfPaddingIsTheTimeOfTheOtherPages) {
    const Part& part = GetParam();
    const double plain = durable_writes(drive(part, "none"))["host"]["write"]["latency_us"]["mean"];
    const Json padded = durable_writes(drive(part, "pad"));
    const double page = part.planes * kPageInUs + (part.planes - 1) * kPlaneBusyUs + kProgramUs + kStatusUs;
    EXPECT_NEAR(padded["host"]["write"]["latency_us"]["mean"].get<double>() - plain, (part.pages - 1) * page,
                0.005 * page);
    EXPECT_EQ(padded["ledger"]["residual_ns"], 0.0);
}

// Each of 100 durable writes takes one superpage, and a copy of the page before it if that is of the same
// word line: a block of L word lines of k pages takes L (k - 1) copies on each plane.
TEST_P(Price, OfCopiesIsAReadAndAProgramOfEachEarlierPage) {
    const Part& part = GetParam();
    const platform::Configuration configuration = copying_drive(part);
    const Json copying = durable_writes(configuration);
    int copies = 0;
    for (int write = 0; write < 100; ++write) {
        copies += write % 96 % part.pages > 0 ? 1 : 0;  // that of the page before it
    }
    EXPECT_EQ(copying["firmware"]["backup.superpages"], copies);
    // Two superblocks of the area stay free.
    const int full = 96 / part.pages;
    const int area = static_cast<int>(fw::kBackupArea.superblocks(configuration.firmware, 1));
    EXPECT_EQ(copying["firmware"]["backup.erases"], std::max(0, (copies + full - 1) / full - (area - 2)));
    EXPECT_EQ(copying["firmware"]["backup.moved_superpages"], 0);
    EXPECT_EQ(copying["nand"]["by_cause"]["recovery"]["programs"], copies * part.planes);
    EXPECT_EQ(copying["nand"]["by_cause"]["recovery"]["reads"], copies * part.planes);
    EXPECT_EQ(copying["nand"]["by_cause"]["host"]["programs"], 100 * part.planes);
    EXPECT_EQ(copying["ledger"]["residual_ns"], 0.0);
}

// Pages in SLC mode need no copies. What the cache folds is programmed page after page, and a page takes a
// copy of the one before it if that is of the same word line.
TEST_P(Price, OfCopiesBehindACacheIsThatOfWhatIsFolded) {
    const Part& part = GetParam();
    for (const char* mode : {"static", "dynamic"}) {
        const int cached = 2 * (96 / part.pages);  // superpages
        const Json result = durable_writes(
            copying_drive(part, {fmt::format("firmware.slc_cache.mode={}", mode),
                                 fmt::format("firmware.slc_cache.size={}", cached * part.planes * 4096),
                                 "firmware.slc_cache.full=fold", "firmware.slc_cache.fold_when_idle=false"}),
            300);
        EXPECT_EQ(result["firmware"]["slc_cache.written_units"], 300.0);
        EXPECT_EQ(result["nand"]["by_cause"]["host"]["programs"], 300 * part.planes);
        const int folded = result["nand"]["by_cause"]["gc"]["programs"].get<int>() / part.planes;
        EXPECT_GE(folded * part.planes, (300 - cached)) << mode;
        const int copies = folded - (folded + part.pages - 1) / part.pages;
        EXPECT_EQ(result["firmware"]["backup.superpages"], copies) << mode;
        EXPECT_EQ(result["nand"]["by_cause"]["recovery"]["programs"], copies * part.planes) << mode;
        EXPECT_EQ(result["ledger"]["residual_ns"], 0.0);
    }
}

/// The result of 200 durable writes, where `what` of so many superblocks for copies fails.
Json writes_on_faulty_copies(const std::string& what, std::uint32_t first, std::uint32_t blocks) {
    const Part part{"tlc", 3, 1};
    const platform::Configuration sound = copying_drive(part);
    const fw::MediaLayout layout = fw::media_layout(sound.firmware);
    std::string script;
    for (std::uint32_t i = first; i < std::min(first + blocks, layout.superblocks(fw::kBackupArea)); ++i) {
        const fw::Superblock superblock{layout.first(fw::kBackupArea).value + i};
        const hal::Block block = layout.nand_page(fw::Pu{0}, superblock, 0, 0).block;
        script += fmt::format("{}{} of block 0/0/0/{}", script.empty() ? "" : "; ", what, block.value);
    }
    const auto run = [&] {
        const platform::Configuration configuration = copying_drive(part, {"faults.script=" + script});
        const auto source = make_workload(
            parse_workload("random,read=0,size=4k,fua=1,count=200", configuration.firmware.exported_sectors));
        RunHooks hooks;
        hooks.failures_are_faults = false;
        return simulate(run_of(configuration), *source, ClosedLoop(1), hooks);
    };
    const std::vector<PointOutcome> points =
        run_points(std::vector<PointJob>{{script, run}}, PointPool{1, true});
    EXPECT_EQ(points.front().outcome.faults, std::vector<std::string>());
    EXPECT_EQ(points.front().outcome.result["firmware"]["ftl.retired_superblocks"], 0.0);
    EXPECT_EQ(points.front().outcome.result["firmware"]["ftl.program_failures"], 0.0);
    return points.front().outcome.result;
}

TEST(FaultyCopies, TakeOneSuperblockForCopiesOutOfService) {
    for (const char* what : {"program 5", "erase 1"}) {
        const Json result = writes_on_faulty_copies(what, 0, 1);
        EXPECT_EQ(result["host"]["failed"], 0) << what;
        EXPECT_EQ(result["firmware"]["backup.retired_superblocks"], 1.0) << what;
        EXPECT_EQ(result["firmware"]["backup.refused_programs"], 0.0) << what;
    }
}

// The first copy finds no superblock. So the first page of a word line is the only one that is written.
TEST(FaultyCopies, StopTheDriveAtOnceWhenAllFail) {
    const Json result = writes_on_faulty_copies("program 1", 0, ~0U >> 1U);
    EXPECT_EQ(result["host"]["failed"], 199);
    EXPECT_EQ(result["firmware"]["backup.superpages"], 0.0);
    EXPECT_EQ(result["firmware"]["backup.refused_programs"], 1.0);
    const Json& drive = result["failures"]["drive"];
    EXPECT_EQ(drive["read_only"], true);
    EXPECT_EQ(drive["read_only_why"], "no superblock is left for copies of lower pages");
    EXPECT_EQ(drive["retired_blocks"], 0);
}

TEST_P(Price, OfACapacitorIsNothingWhilePowerLasts) {
    const Part& part = GetParam();
    Json plain = durable_writes(drive(part, "none"));
    Json kept = durable_writes(drive(part, "capacitor"));
    EXPECT_EQ(plain["host"], kept["host"]);
    EXPECT_EQ(plain["nand"], kept["nand"]);
    EXPECT_EQ(plain["firmware"], kept["firmware"]);
}

INSTANTIATE_TEST_SUITE_P(Parts, Price,
                         testing::Values(Part{"tlc", 3, 1}, Part{"qlc", 4, 1}, Part{"tlc", 3, 2}));

struct Protected {
    std::string protect;
    std::uint64_t seed;
};

void PrintTo(const Protected& with, std::ostream* out) {
    *out << with.protect << ", seed " << with.seed;
}

class PowerCutPairedPages : public testing::TestWithParam<Protected> {};

TEST_P(PowerCutPairedPages, LoseNothingDurable) {
    const auto& [protect, seed] = GetParam();
    const bool pads = protect == "pad";
    const bool backs_up = protect == "backup";
    const Json result = survive_power_cuts(protected_word_lines(protect, seed), seed, 60);
    const Json& power = result["power"];
    EXPECT_EQ(power["capacitor_pages"] == 0, pads || backs_up);
    // The longest operation: one page on each of two planes crosses the bus, then 500 us.
    EXPECT_LE(power["capacitor_us"], pads || backs_up ? 0.0 : 900.0);
}

std::vector<Protected> seeds() {
    std::vector<Protected> all;
    for (std::uint64_t seed = 1; seed <= 12; ++seed) {
        all.push_back({"backup", seed});
        all.push_back({"pad", seed});
        all.push_back({"capacitor", seed});
    }
    return all;
}

INSTANTIATE_TEST_SUITE_P(Seeds, PowerCutPairedPages, testing::ValuesIn(seeds()));

class PowerCutCopiesBehindACache : public testing::TestWithParam<std::uint64_t> {};

TEST_P(PowerCutCopiesBehindACache, LoseNothingDurable) {
    const Json result = survive_power_cuts(copies_behind_a_cache(GetParam()), GetParam(), 60);
    EXPECT_GT(result["firmware"]["slc_cache.written_units"], 0.0);
    EXPECT_GT(result["firmware"]["slc_cache.folded_units"], 0.0);
    EXPECT_GT(result["firmware"]["backup.superpages"], 0.0);
    EXPECT_EQ(result["firmware"]["backup.refused_programs"], 0.0);
}

INSTANTIATE_TEST_SUITE_P(Seeds, PowerCutCopiesBehindACache, testing::Range<std::uint64_t>(1, 13));

}  // namespace
}  // namespace solidtlm::testbench::paired_pages
