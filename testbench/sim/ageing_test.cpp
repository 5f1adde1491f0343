// SPDX-License-Identifier: Apache-2.0
//
// Ageing in zero simulated time leaves a drive that the timed firmware could have left: its tables are
// consistent, a scan of all spare areas would rebuild its map, and every read verifies.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include "fw/firmware.h"
#include "testbench/sim/age/ageing.h"
#include "testbench/sim/ageing_test_support.h"
#include "testbench/sim/child_runs.h"
#include "testbench/sim/scan_check.h"
#include "testbench/sim/test_support.h"

namespace solidtlm::testbench {
namespace {

/// An aged drive at simulated time 0.
struct AgedDrive {
    AgedDrive(const platform::Configuration& configuration, std::string_view spec,
              const std::string& name = "ssd")
        : ssd(name.c_str(), configuration),
          verifier(VerifierConfig{configuration.content, configuration.firmware.exported_sectors,
                                  configuration.sata.deterministic_after_trim,
                                  configuration.sata.zeros_after_trim}),
          report(age(ssd, parse_preconditioning(spec), verifier, ProgressMode::off)) {}

    [[nodiscard]] std::uint64_t violations() const {
        std::uint64_t sum = 0;
        for (std::size_t i = 0; i < ssd.channels(); ++i) {
            sum += ssd.channel(i).violations();
        }
        return sum;
    }
    [[nodiscard]] std::uint64_t mapped_units() const {
        std::uint64_t count = 0;
        for (std::uint32_t lpn = 0; lpn < ssd.firmware().layout().exported_units(); ++lpn) {
            count += ssd.firmware().translation().mapped(fw::Lpn{lpn}) ? 1 : 0;
        }
        return count;
    }

    platform::Ssd ssd;
    Verifier verifier;
    AgeingReport report;
};

struct Case {
    const char* name;
    const char* spec;
    std::vector<std::string> settings;
};

void PrintTo(const Case& which, std::ostream* out) {
    *out << which.name;
}

/// A device of 128 MiB whose superpages hold eight units.
const std::vector<std::string> kMidSize{"nand.geometry.blocks=32", "nand.geometry.pages=32",
                                        "nand.geometry.page_size=\"16KiB\"", "nand.geometry.spare_size=1872",
                                        "dram.size=\"32MiB\""};

std::vector<std::string> mid_size(std::vector<std::string> more) {
    more.insert(more.begin(), kMidSize.begin(), kMidSize.end());
    return more;
}

class SteadyState : public ::testing::TestWithParam<Case> {};

TEST_P(SteadyState, EqualsTheMapThatAScanRebuilds) {
    const std::string spec = GetParam().spec;
    const bool trims = spec.find("trim") != std::string::npos;
    for (int seed = 1; seed <= 5; ++seed) {
        const platform::Configuration configuration = preset("tiny", GetParam().settings);
        const AgedDrive drive(configuration, spec + ",seed=" + std::to_string(seed),
                              "ssd_" + std::to_string(seed));
        EXPECT_EQ(drive.report.failed, 0U);
        EXPECT_EQ(drive.violations(), 0U);
        EXPECT_EQ(drive.ssd.firmware().check(), "");
        EXPECT_TRUE(drive.verifier.passed());
        EXPECT_EQ(compare_with_scan(drive.ssd, trims), "");
        EXPECT_GT(drive.report.erases, 0U) << "garbage collection has run";
        EXPECT_TRUE(drive.ssd.firmware().at_rest());
        if (!trims) {
            EXPECT_EQ(drive.mapped_units(), drive.ssd.firmware().layout().exported_units());
        }
    }
}

INSTANTIATE_TEST_SUITE_P(
    Drives, SteadyState,
    ::testing::Values(
        Case{"Default", "fill=1,random=3", {}},
        Case{"Static", "random=3", {"firmware.allocation.mode=static"}},
        Case{"ChannelsFirst", "random=3", {"firmware.allocation.order=CWDP"}},
        Case{"Unstriped", "random=3", {"firmware.allocation.striping=none"}},
        Case{"StaticUnstriped",
             "random=3",
             {"firmware.allocation.striping=none", "firmware.allocation.mode=static"}},
        Case{"CopyBack", "random=3", {"firmware.gc.copy_back=true"}},
        Case{"CostBenefit", "pattern=hotcold,random=3", {"firmware.gc.policy=cost_benefit"}},
        Case{"Fifo", "random=3", {"firmware.gc.policy=fifo"}},
        Case{"DChoices", "random=3", {"firmware.gc.policy=d_choices"}},
        Case{"Wear", "pattern=zipf,random=4", {"firmware.wear.static_threshold=4"}},
        Case{"Trims", "random=3,trim=0.1", {}}, Case{"LargeRequests", "random=3,size=24k", {}},
        Case{"PartlyFilledUnits", "random=3,size=512", {}},
        Case{"PartialTrims", "random=2,size=1536,trim=0.2", {}},
        Case{"ReadBack", "random=2,trim=0.1,read=1.5", {}},
        Case{"WriteThrough", "random=2", {"firmware.write_buffer.policy=write_through"}},
        Case{"IdleFlush", "random=2", {"firmware.write_buffer.idle_flush=\"1ms\""}},
        Case{"BadBlocks", "random=3", {"nand.bad_blocks.factory_fraction=0.02", "ssd.over_provisioning=0.5"}},
        Case{"SlcCacheAndWordLines",
             "random=3",
             {"nand.cell=mlc", "nand.programming=one_shot", "nand.timing.program=900us", "nand.slc.read=20us",
              "nand.slc.program=150us", "firmware.slc_cache.mode=dynamic", "firmware.slc_cache.size=1MiB",
              "ssd.over_provisioning=0.5"}},
        Case{"MidSize", "random=2", mid_size({})},
        Case{"MidSizeStaticTrims", "random=2,trim=0.05", mid_size({"firmware.allocation.mode=static"})}),
    [](const auto& each) { return std::string(each.param.name); });

/// Every sector of the filled part is compared each time it is read, and reading it writes nothing.
TEST(Ageing, ReadsBackWrittenData) {
    const platform::Configuration configuration = preset("tiny", {});
    const AgedDrive written(configuration, "fill=0.5,random=1", "written");
    const AgedDrive read(configuration, "fill=0.5,random=1,read=2.5", "read");
    const std::uint64_t unit = configuration.firmware.unit_bytes / hal::kSectorBytes;
    const std::uint64_t filled = configuration.firmware.exported_sectors / 2 / unit * unit;
    EXPECT_EQ(written.verifier.counts().sectors_checked, 0U);
    EXPECT_EQ(read.verifier.counts().sectors_checked, filled * 5 / 2);
    EXPECT_TRUE(read.verifier.passed());
    EXPECT_EQ(read.report.programs, written.report.programs);
    EXPECT_EQ(read.report.host_bytes, written.report.host_bytes);
}

// As many writes of the same kind, all before time starts, or all in a run in which the host always waits.
TEST(Ageing, LevelsStaticWearAsATimedDriveDoes) {
    const platform::Configuration configuration =
        preset("tiny", {"content=none", "ssd.over_provisioning=0.15", "nand.geometry.blocks=64",
                        "nand.geometry.pages=64", "firmware.wear.static_threshold=4"});
    const std::uint64_t units = configuration.firmware.exported_units();
    const auto source = make_workload(parse_workload(fmt::format("hotcold,read=0,count={}", 4 * units),
                                                     configuration.firmware.exported_sectors));
    const std::vector<PointJob> jobs{{"timed", [&] {
                                          RunSpec run = run_of(configuration, 32);
                                          run.precondition = parse_preconditioning("fill=1,random=0");
                                          return simulate(run, *source, ClosedLoop(32));
                                      }}};
    const Json timed = run_points(jobs, PointPool{1, true}).front().outcome.result;
    const AgedDrive aged(configuration, "fill=1,random=4,pattern=hotcold", "aged");
    EXPECT_GT(timed["firmware"]["gc.wear_victims"].get<double>(), 100);
    const auto all = [&timed](const char* what) {
        return timed["nand"][what].get<double>() + timed["precondition"][what].get<double>();
    };
    EXPECT_NEAR(static_cast<double>(aged.report.programs) / all("programs"), 1.0, 0.03);
    EXPECT_NEAR(static_cast<double>(aged.report.erases) / all("erases"), 1.0, 0.03);
}

TEST(Ageing, FillAloneWritesTheFilledPartOnce) {
    const platform::Configuration configuration = preset("tiny", {});
    const AgedDrive drive(configuration, "fill=0.5,random=0");
    const std::uint64_t units = drive.ssd.firmware().layout().exported_units() / 2;
    EXPECT_EQ(drive.report.host_bytes, units * 4096);
    EXPECT_EQ(drive.mapped_units(), units);
    EXPECT_TRUE(drive.ssd.firmware().translation().mapped(fw::Lpn{0}));
    EXPECT_FALSE(drive.ssd.firmware().translation().mapped(fw::Lpn{static_cast<std::uint32_t>(units)}));
    EXPECT_EQ(drive.report.erases, 0U);
    EXPECT_EQ(drive.report.last_written_bytes, 0U);
}

/// The same places in the same order, ten times over: superblocks become empty one after another, and next to
/// nothing is moved. As many writes to other places leave all superblocks partly valid.
TEST(Ageing, TestsThatRepeatTheirPlacesCostNoMoves) {
    const platform::Configuration configuration = preset("tiny", {});
    const AgedDrive filled(configuration, "fill=1,random=0", "filled");
    const AgedDrive repeated(configuration,
                             "fill=1,random=0,repeat=1:0.05/1:0.05/1:0.05/1:0.05/1:0.05/1:0.05/1:0.05/1:0.05/"
                             "1:0.05/1:0.05",
                             "repeated");
    const AgedDrive elsewhere(configuration, "fill=1,random=0.5", "elsewhere");
    EXPECT_NEAR(static_cast<double>(repeated.report.host_bytes),
                static_cast<double>(elsewhere.report.host_bytes), 10 * 4096.0);
    EXPECT_EQ(repeated.mapped_units(), filled.mapped_units());
    EXPECT_EQ(repeated.report.last_written_bytes, 0U) << "that of the random part";
    const auto programs = [&filled](const AgedDrive& drive) {
        return static_cast<double>(drive.report.programs - filled.report.programs) /
               static_cast<double>(filled.report.programs);
    };
    EXPECT_NEAR(programs(repeated), 0.5, 0.05) << "of what filled the drive";
    EXPECT_GT(programs(elsewhere), 0.75);
}

TEST(Ageing, NothingAtAllLeavesANewDrive) {
    const AgedDrive drive(preset("tiny", {}), "fill=0,random=2");
    EXPECT_EQ(drive.report.host_bytes, 0U);
    EXPECT_EQ(drive.mapped_units(), 0U);
}

TEST(Ageing, RequestsThatDoNotFitAreTheUsersMistake) {
    const platform::Configuration configuration = preset("tiny", {});
    EXPECT_THROW(AgedDrive(configuration, "fill=0.01,random=1,size=1MiB"), InputError);
}

TEST(Ageing, CountersBeginAtNothing) {
    const AgedDrive drive(preset("tiny", {}), "");
    const auto counters = drive.ssd.firmware().metrics();
    for (const char* name : {"ftl.written_units", "gc.victims", "gc.moved_units", "gc.erased_superblocks",
                             "host.commands", "ftl.padded_units"}) {
        EXPECT_EQ(counters.at(name), 0.0) << name;
    }
    EXPECT_GT(counters.at("ftl.free_superblocks"), 0.0) << "a state stays";
    EXPECT_EQ(drive.ssd.front_end().written_bytes(), 0U);
    EXPECT_EQ(drive.ssd.core.statistics().flash_ops, 0U);
}

/// When the drive stops accepting writes, pages that are being compared are still written, although no
/// command waits for them.
TEST(Ageing, AWornOutDriveBecomesIdle) {
    for (int seed = 1; seed <= 40; ++seed) {
        const platform::Configuration configuration =
            preset("tiny", {"nand.rules.endurance_cycles=2", "firmware.dedup.system=offline_separated",
                            "firmware.trim.persist=journal"});
        const AgedDrive drive(configuration, "random=4,trim=0.4,seed=" + std::to_string(seed),
                              "ssd_" + std::to_string(seed));
        EXPECT_GT(drive.report.failed, 0U);
        EXPECT_TRUE(drive.ssd.firmware().at_rest());
        EXPECT_EQ(drive.ssd.firmware().check(), "");
    }
}

TEST(Ageing, TheSameSeedGivesTheSameDrive) {
    const platform::Configuration configuration = preset("tiny", {});
    const AgedDrive first(configuration, "seed=3", "ssd_a");
    const AgedDrive again(configuration, "seed=3", "ssd_b");
    const AgedDrive other(configuration, "seed=4", "ssd_c");
    const std::uint32_t units = first.ssd.firmware().layout().exported_units();
    std::uint32_t differing = 0;
    for (std::uint32_t i = 0; i < units; ++i) {
        const fw::Lpn lpn{i};
        EXPECT_EQ(first.ssd.firmware().translation().locate(lpn),
                  again.ssd.firmware().translation().locate(lpn));
        differing +=
            first.ssd.firmware().translation().locate(lpn) != other.ssd.firmware().translation().locate(lpn)
                ? 1
                : 0;
    }
    EXPECT_EQ(first.report.programs, again.report.programs);
    EXPECT_GT(differing, units / 2);
}

class AgedRun : public ::testing::TestWithParam<const char*> {};

TEST_P(AgedRun, EveryReadVerifies) {
    const platform::Configuration configuration =
        preset("tiny", {std::string("content=") + GetParam(), "sata.zeros_after_trim=true"});
    RandomMix::Shares shares;
    shares.requests = 4000;
    shares.fill = false;
    RandomMix source(5, configuration.firmware.exported_sectors, shares);
    const SimulationOutcome outcome =
        aged_run(configuration, "fill=0.9,random=2,size=2560,trim=0.05", source);
    for (const std::string& fault : outcome.faults) {
        ADD_FAILURE() << fault;
    }
    EXPECT_GT(outcome.result["verify"]["reads_checked"], 1000);
    EXPECT_EQ(outcome.result["verify"]["mismatches"], 0);
    EXPECT_GT(outcome.result["firmware"]["gc.victims"], 0);
}
INSTANTIATE_TEST_SUITE_P(Content, AgedRun, ::testing::Values("tags", "bytes"),
                         [](const auto& each) { return std::string(each.param); });

TEST(AgedRun, ReadsOfANewPartOfTheDriveFindZeros) {
    const platform::Configuration configuration = preset("tiny", {});
    const auto source =
        make_workload(parse_workload("random,count=2000,seed=9", configuration.firmware.exported_sectors));
    const SimulationOutcome outcome = aged_run(configuration, "fill=0.5,random=1", *source);
    EXPECT_TRUE(outcome.faults.empty());
    const double unwritten = outcome.result["firmware"]["host.read_unwritten_units"];
    EXPECT_NEAR(unwritten / 2000.0, 0.5, 0.05);
}

TEST(AgedRun, IsInTheResult) {
    const platform::Configuration configuration = preset("tiny", {});
    const auto source = make_workload(
        parse_workload("random,read=0.5,count=500,seed=9", configuration.firmware.exported_sectors));
    const SimulationOutcome outcome = aged_run(configuration, "", *source);
    const Json& section = outcome.result["precondition"];
    EXPECT_EQ(section["spec"], "fill=1,random=2");
    EXPECT_TRUE(section.contains("wall_time_s"));
    EXPECT_FALSE(without_wall_times(outcome.result)["precondition"].contains("wall_time_s"));
}

TEST(AgedRun, AWornOutDriveIsAFault) {
    const platform::Configuration configuration = preset("tiny", {"nand.rules.endurance_cycles=3"});
    const auto source =
        make_workload(parse_workload("random,count=10", configuration.firmware.exported_sectors));
    const SimulationOutcome outcome = aged_run(configuration, "random=20", *source);
    ASSERT_FALSE(outcome.faults.empty());
    EXPECT_NE(outcome.faults.front().find("while the device was aged"), std::string::npos);
}

// Programs, sensed codewords and their errors count as part of the ageing, like everything else it does.
TEST(Ageing, LeavesNoFaultsToTheRun) {
    const platform::Configuration drive =
        preset("tiny", {"faults.program_failure=0.001", "faults.bit_errors=true", "nand.ecc.retries=4"});
    RandomMix::Shares shares;
    shares.requests = 0;
    shares.fill = false;
    RandomMix nothing(1, drive.firmware.exported_sectors, shares);
    const SimulationOutcome outcome = aged_run(drive, "random=1", nothing);
    for (const auto& [name, value] : outcome.result["hardware"].items()) {
        if (name.starts_with("flash.faults.")) {
            EXPECT_EQ(value, 0) << name;
        }
    }
    EXPECT_TRUE(outcome.result["hardware"].contains("flash.faults.raw_bit_errors"));
}

}  // namespace
}  // namespace solidtlm::testbench
