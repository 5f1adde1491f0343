// SPDX-License-Identifier: Apache-2.0
//
// Throughput of the whole drive against closed forms.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <array>

#include "testbench/sim/child_runs.h"
#include "testbench/sim/test_support.h"

namespace solidtlm::testbench {
namespace {

/// The flash part of Agrawal et al. 2008: 25 us to read a page of 4 KiB, 200 us to program it, 100 us on the
/// bus.
constexpr double kPageBytes = 4096.0;
constexpr double kReadUs = 25.0;
constexpr double kProgramUs = 200.0;
constexpr double kBusUs = 100.0;
constexpr double kTolerance = 0.03;

platform::Configuration agrawal(int dies, const std::string& arbitration) {
    return preset("agrawal", {"nand.geometry.channels=1", "nand.geometry.dies=" + std::to_string(dies),
                              "nand.geometry.dies_per_way=1", "nand.geometry.planes=1",
                              "firmware.write_buffer.policy=write_back", "firmware.write_buffer.size=256KiB",
                              "firmware.gc.background_threshold=2", "content=none",
                              "nand.controller.arbitration=" + arbitration});
}

double read_mb_per_s(int dies, const std::string& arbitration = "fcfs") {
    const platform::Configuration configuration = agrawal(dies, arbitration);
    FillThenRead source(40'000);  // filling takes less than a hundredth of the time
    return run_closed(configuration, source, 32)["host"]["read"]["mb_per_s"];
}

double write_mb_per_s(int dies) {
    return run_workload(agrawal(dies, "fcfs"),
                        "sequential,read=0,size=4k,bytes=60MB")["host"]["write"]["mb_per_s"];
}

TEST(Agrawal, OneDieReadsAtArrayPlusBusTime) {
    const double expected = kPageBytes / (kReadUs + kBusUs);  // 32.8 MB/s
    EXPECT_NEAR(read_mb_per_s(1), expected, expected * kTolerance);
}

TEST(Agrawal, OneDieWritesAtBusPlusArrayTime) {
    const double expected = kPageBytes / (kBusUs + kProgramUs);  // 13.7 MB/s
    EXPECT_NEAR(write_mb_per_s(1), expected, expected * kTolerance);
}

TEST(Agrawal, TwoDiesOnOneBusWriteAtMostTwiceAsFast) {
    const double most = 2.0 * kPageBytes / (kBusUs + kProgramUs);  // 27.3 MB/s
    const double measured = write_mb_per_s(2);
    EXPECT_LE(measured, most);
    EXPECT_GE(measured, most * (1.0 - kTolerance));
}

TEST(Agrawal, TheBusBoundsManyDies) {
    const double bound = kPageBytes / kBusUs;  // 41.0 MB/s
    const double measured = read_mb_per_s(8, "read_first");
    EXPECT_LE(measured, bound);
    EXPECT_NEAR(measured, bound, bound * kTolerance);
}

// With first come, first served, the next read command of every die waits until the data of all others has
// passed, so the bus idles for one tR per round.
TEST(Agrawal, FirstComeFirstServedLosesOneArrayTimePerRound) {
    constexpr double kDies = 8.0;
    constexpr double kPhaseUs = (kPageBytes + 7.0) * 0.025;  // 5 address, 2 command cycles and the data
    const double expected = kDies * kPageBytes / (kDies * kPhaseUs + kReadUs);
    EXPECT_NEAR(read_mb_per_s(8), expected, expected * 0.005);
}

/// Sectors that were never written need no flash, so only the link limits.
Json link_only(const std::string& generation, const std::string& spec, const std::string& turnaround = "95") {
    return run_workload(preset("default", {"sata.generation=" + generation, "content=none",
                                           "sata.turnaround_dwords=" + turnaround}),
                        spec);
}

TEST(Link, SequentialReadsAtSixGigabits) {
    const double measured =
        link_only("gen3", "sequential,read=1,size=128k,count=4000")["host"]["read"]["mb_per_s"];
    EXPECT_GE(measured, 555.0);
    EXPECT_LE(measured, 565.0);
}

TEST(Link, RandomReadsAtSixGigabits) {
    const double measured = link_only("gen3", "random,read=1,size=4k,count=50000")["host"]["read"]["iops"];
    EXPECT_LE(measured, 100'000.0);
    EXPECT_GE(measured, 95'000.0);  // published drives reach about 98 k
}

TEST(Link, SequentialReadsAtThreeGigabits) {
    const double measured =
        link_only("gen2", "sequential,read=1,size=128k,count=4000", "90")["host"]["read"]["mb_per_s"];
    EXPECT_GE(measured, 275.0);
    EXPECT_LE(measured, 285.0);
}

TEST(Link, SequentialWritesAtSixGigabits) {
    const double measured =
        run_workload(preset("default", {"content=none"}),
                     "sequential,read=0,size=128k,bytes=1GB")["host"]["write"]["mb_per_s"];
    EXPECT_NEAR(measured, 538.0, 8.0);
}

// ---- Without a link (sata.generation=ideal)

/// Mean stages and latency of 4 KiB reads from flash, one at a time; the firmware takes no time.
SimulationOutcome lone_reads(const std::string& generation) {
    std::vector<std::string> settings{"nand.geometry.channels=1",
                                      "nand.geometry.dies=1",
                                      "nand.geometry.dies_per_way=1",
                                      "nand.geometry.planes=1",
                                      "firmware.write_buffer.policy=write_through",
                                      "firmware.write_buffer.size=256KiB",
                                      "firmware.gc.background_threshold=2",
                                      "core.frequency_mhz=10000",
                                      "sata.generation=" + generation};
    for (const char* step : {"command_fetch", "command_complete", "unit_lookup", "buffer_lookup",
                             "flash_issue", "flash_complete", "transfer_issue"}) {
        settings.push_back("firmware.cycles." + std::string(step) + "=0");
    }
    const platform::Configuration configuration = preset("agrawal", settings);
    FillThenRead source(40'000);  // filling takes less than a hundredth of the time
    RunSpec run = run_of(configuration, 1);
    RunHooks hooks;
    hooks.check_protocol = true;
    run.warm_up = 65;
    return simulate(run, source, ClosedLoop(1), hooks);
}

/// Runs each job in a process of its own.
std::vector<Json> results_of(const std::vector<PointJob>& jobs) {
    std::vector<Json> results;
    for (const PointOutcome& point : run_points(jobs, PointPool{2, true})) {
        EXPECT_EQ(point.outcome.faults, std::vector<std::string>());
        results.push_back(point.outcome.result);
    }
    return results;
}

/// SATA 6 Gb/s, in us: a dword in 40 bits, two ALIGN in 256 dwords, three of framing, 95 of turnaround.
double frame_us(double dwords) {
    return ((dwords + 3.0) * 256.0 / 254.0 + 95.0) * 40.0 / 6e3;
}

// A read takes the array, seven command and address cycles and 4096 bytes at 25 ns each; the rest is DRAM:
// map entry, data in and out. A link of 6 Gb/s adds command, DMA Setup, Data and Set Device Bits, while the
// acceptance crosses the link during the array's time.
TEST(IdealLink, AReadTakesArrayBusAndDramAlone) {
    const std::vector<Json> results = results_of(
        {{"ideal", [] { return lone_reads("ideal"); }}, {"gen3", [] { return lone_reads("gen3"); }}});
    const Json& ideal = results[0];
    const Json& real = results[1];
    const Json& stages = ideal["ledger"]["stages_us"];
    const auto stage = [&stages](const char* name) { return stages[name].get<double>(); };
    for (const char* name : {"link_wait", "link_transfer", "completion", "command_queue"}) {
        EXPECT_EQ(stage(name), 0.0) << name;
    }
    const double latency = ideal["host"]["latency_us"]["mean"];
    const double flash = kReadUs + (kPageBytes + 7.0) * 0.025;
    EXPECT_NEAR(stage("array") + stage("channel_transfer"), flash, 1e-6);
    const double dram = stage("dram_wait") + stage("dram_transfer") + stage("firmware_execute");
    EXPECT_NEAR(latency, flash + dram, 1e-6);
    // 4 KiB at 3.2 GB/s, twice, and some row activations of 13.75 ns.
    EXPECT_GT(dram, 2.0 * kPageBytes / 3200.0);
    EXPECT_LT(dram, 2.0 * kPageBytes / 3200.0 + 1.0);
    const double frames = frame_us(5.0) + frame_us(7.0) + frame_us(1025.0) + frame_us(2.0);
    EXPECT_NEAR(real["host"]["latency_us"]["mean"].get<double>() - latency, frames, 1e-3);
    EXPECT_EQ(ideal["utilization"]["link"], 0.0);
    EXPECT_EQ(ideal["hardware"]["link.to_host.frames.data"], real["hardware"]["link.to_host.frames.data"]);
}

/// Sectors that were never written, and an ideal link: commands take only the core's time and the DRAM's.
SimulationOutcome core_alone(bool reads, std::uint32_t depth, const std::string& setting) {
    const platform::Configuration configuration = preset(
        "default", {"sata.generation=ideal", "content=none", "core.frequency_mhz=100", "seed=1", setting});
    const auto source = make_workload(
        parse_workload(fmt::format("random,read={},size=4k,count=4000,range=0%-1%", reads ? 1 : 0),
                       configuration.firmware.exported_sectors));
    return simulate(run_of(configuration, depth), *source, ClosedLoop(depth));
}

TEST(Core, FixedWorkOfACommandDependsOnItsDirection) {
    constexpr double kTenMicroseconds = 10.0;
    constexpr std::array kSettings{"firmware.cycles.read_command=0", "firmware.cycles.read_command=1000",
                                   "firmware.cycles.write_command=1000"};
    std::vector<PointJob> jobs;
    for (const bool reads : {true, false}) {
        for (const std::uint32_t depth : {1U, 32U}) {  // the core serves one command after another
            for (const char* setting : kSettings) {
                jobs.push_back(
                    {setting, [reads, depth, setting] { return core_alone(reads, depth, setting); }});
            }
        }
    }
    const std::vector<Json> results = results_of(jobs);
    ASSERT_EQ(results.size(), 4 * kSettings.size());
    for (std::size_t i = 0; i < results.size(); i += kSettings.size()) {
        const bool reads = i < results.size() / 2;
        const auto us_per_command = [&results, reads](std::size_t which) {
            return 1e6 / results[which]["host"][reads ? "read" : "write"]["iops"].get<double>();
        };
        const double without = us_per_command(i);
        const double near = reads ? 1e-6 : 0.3;  // writes share the core with destaging
        EXPECT_NEAR(us_per_command(reads ? i + 1 : i + 2), without + kTenMicroseconds, near);
        EXPECT_DOUBLE_EQ(us_per_command(reads ? i + 2 : i + 1), without);
    }
}

/// Random reads of 4 KiB from a full drive, 32 outstanding.
SimulationOutcome random_reads(const std::string& generation, int channels, int dies) {
    const platform::Configuration configuration =
        preset("default", {"content=none", "nand.geometry.channels=" + std::to_string(channels),
                           "nand.geometry.dies=" + std::to_string(dies), "nand.geometry.blocks=12",
                           "nand.geometry.pages=32", "ssd.over_provisioning=0.3", "core.frequency_mhz=2000",
                           "sata.generation=" + generation});
    RunSpec run = run_of(configuration);
    run.precondition = parse_preconditioning("fill=1,random=0");
    run.warm_up = 1'000;
    const auto source = make_workload(
        parse_workload("random,read=1,size=4k,count=12000", configuration.firmware.exported_sectors));
    return simulate(run, *source, ClosedLoop(32));
}

// With SATA 6 Gb/s, eight dies are enough; without a link, 32 requests keep more and more dies busy.
TEST(IdealLink, RandomReadsGrowWithDiesBeyondEight) {
    std::vector<PointJob> jobs;
    for (const char* generation : {"ideal", "gen3"}) {
        for (const auto& [channels, dies] :
             {std::pair{8, 1}, std::pair{8, 2}, std::pair{8, 4}, std::pair{16, 4}}) {
            jobs.push_back({generation, [generation, channels = channels, dies = dies] {
                                return random_reads(generation, channels, dies);
                            }});
        }
    }
    std::vector<double> iops;
    for (const Json& result : results_of(jobs)) {
        iops.push_back(result["host"]["read"]["iops"]);
    }
    ASSERT_EQ(iops.size(), 8U);
    for (std::size_t i = 1; i < 4; ++i) {
        EXPECT_GT(iops[i], 1.1 * iops[i - 1]) << "point " << i;
    }
    EXPECT_GT(iops[3], 200'000.0);
    for (std::size_t i = 4; i < 8; ++i) {
        EXPECT_LT(iops[i], 100'000.0) << "behind the link";
    }
}

// ---- The DRAM between flash and link

constexpr int kFisesPerRead = 16;
constexpr int kSuperpagesPerRead = 4;
constexpr double kFisBytes = 8192.0;
constexpr double kSuperpageBytes = 32768.0;
constexpr std::array kReadTimes{"50us", "60us", "70us", "80us", "100us"};

/// One access: bus time, and at most one row conflict before it.
double dram_us(double bytes, double mt_per_s) {
    return bytes / (2.0 * mt_per_s) + 3.0 * 0.01375;
}

/// A read of 128 KiB: command, acceptance, DMA Setup, data, status.
double read_us() {
    return frame_us(5) + frame_us(5) + frame_us(7) + kFisesPerRead * frame_us(2049) + frame_us(2);
}

/// Sequential reads of a full drive whose superpages go to DRAM as one access of 32 KiB.
SimulationOutcome sequential_reads(const std::string& read_time, const std::string& mt_per_s) {
    const platform::Configuration configuration =
        preset("default",
               {"content=none", "nand.geometry.channels=8", "nand.geometry.dies=3", "nand.geometry.planes=2",
                "nand.geometry.blocks=12", "nand.geometry.pages=64", "nand.geometry.page_size=16KiB",
                "ssd.over_provisioning=0.3", "nand.bus.interface=nv_ddr2", "nand.bus.mode=7",
                "nand.timing.read=" + read_time, "dram.data_rate_mt_per_s=" + mt_per_s});
    RunSpec run = run_of(configuration);
    run.precondition = parse_preconditioning("fill=1,random=0");
    run.warm_up = 100;
    const auto source = make_workload(
        parse_workload("sequential,read=1,size=128k,count=800", configuration.firmware.exported_sectors));
    return simulate(run, *source, ClosedLoop(32));
}

/// Time of a read for each array time.
std::vector<double> times_of_a_read(const std::string& mt_per_s) {
    std::vector<PointJob> jobs;
    for (const char* read_time : kReadTimes) {
        jobs.push_back({read_time, [=] { return sequential_reads(read_time, mt_per_s); }});
    }
    std::vector<double> times;
    for (const Json& result : results_of(jobs)) {
        times.push_back(1e6 / result["host"]["read"]["iops"].get<double>());
    }
    return times;
}

// While one FIS is on the wire, the next one is loaded into the other buffer. The load waits for the flash
// access that has the DRAM, but not for a second one: here both together take less time than the FIS on the
// wire.
TEST(DramBetweenFlashAndLink, DoesNotShowWhereALoadAndAFlashAccessFitIntoAFis) {
    ASSERT_LT(dram_us(kSuperpageBytes, 1600.0) + dram_us(kFisBytes, 1600.0), frame_us(2049));
    for (const double us : times_of_a_read("1600")) {
        EXPECT_NEAR(us, read_us(), read_us() * 0.002);
    }
}

// If they take longer, each flash access delays at most one FIS, by the difference.
TEST(DramBetweenFlashAndLink, KeepsOneFisBackForEachFlashAccessAtMost) {
    const double missing = dram_us(kSuperpageBytes, 1066.0) + dram_us(kFisBytes, 1066.0) - frame_us(2049);
    EXPECT_NEAR(missing, 4.87, 0.02);
    for (const double us : times_of_a_read("1066")) {
        EXPECT_GE(us, read_us());
        EXPECT_LE(us, read_us() + kSuperpagesPerRead * missing);
    }
}

}  // namespace
}  // namespace solidtlm::testbench
