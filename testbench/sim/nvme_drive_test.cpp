// SPDX-License-Identifier: Apache-2.0
//
// Drives with an NVMe interface: times of the whole drive against closed forms, and data after power cuts.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <map>

#include "platform/interface_facts.h"
#include "testbench/sim/child_runs.h"
#include "testbench/sim/power_cut_test_support.h"
#include "testbench/sim/test_support.h"

namespace solidtlm::testbench {
namespace {

/// Reads of 4 KiB from flash, one at a time. The firmware has the same number of contexts with both
/// interfaces, so data passes through the same places in DRAM.
SimulationOutcome lone_reads(std::vector<std::string> settings) {
    settings.emplace_back("content=none");
    RunSpec run = run_of(preset("default", std::move(settings)), 1);
    RunHooks hooks;
    hooks.check_protocol = true;
    run.warm_up = FillThenRead::kFill + 1;
    FillThenRead source(1'000);
    return simulate(run, source, ClosedLoop(1), hooks);
}

std::vector<Json> results_of(const std::vector<PointJob>& jobs) {
    std::vector<Json> results;
    for (const PointOutcome& point : run_points(jobs, PointPool{2, true})) {
        EXPECT_EQ(point.outcome.faults, std::vector<std::string>()) << point.messages;
        results.push_back(point.outcome.result);
    }
    return results;
}

// With a SATA link that takes no time, the rest of the drive's time remains. Without DLLPs, a byte on four
// lanes of generation 3 takes 253.90625 ps.
TEST(NvmeDrive, ALoneReadTakesTheLinkAndTheRootMoreToThePicosecond) {
    const std::vector<Json> results = results_of(
        {{"no link", [] { return lone_reads({"sata.generation=ideal"}); }},
         {"interrupts",
          [] {
              return lone_reads({"host.interface=nvme", "nvme.command_slots=33", "pcie.dllps=none"});
          }},
         {"polling", [] {
              return lone_reads({"host.interface=nvme", "nvme.command_slots=33", "pcie.dllps=none",
                                 "host.nvme.polls=true"});
          }}});
    const auto us = [&results](std::size_t which) {
        return results[which]["host"]["latency_us"]["mean"].get<double>();
    };
    constexpr double kDoorbell = 2 * 0.006094;            // two of 24 bytes down, one right after the other
    constexpr double kFetch = 0.006094 + 0.5 + 0.021328;  // 24 bytes up, the root, 84 bytes down
    constexpr double kData = 1.1375;                      // 16 TLPs of 24 + 256 bytes up
    constexpr double kCompletion = 0.010156;              // 40 bytes up
    constexpr double kMessage = 0.006094;                 // 24 bytes up
    constexpr double kHalfPs = 5e-7;
    EXPECT_NEAR(us(2) - us(0), kDoorbell + kFetch + kData + kCompletion, kHalfPs);
    EXPECT_NEAR(us(1) - us(2), kMessage, kHalfPs);
    const Json& stages = results[1]["ledger"]["stages_us"];
    EXPECT_NEAR(stages["doorbell"], kDoorbell, kHalfPs);
    EXPECT_NEAR(stages["sq_fetch"], kFetch, kHalfPs);
    EXPECT_NEAR(stages["link_transfer"], kData, kHalfPs);
    EXPECT_NEAR(stages["completion"], kCompletion, kHalfPs);
    EXPECT_NEAR(stages["interrupt_wait"], kMessage, kHalfPs);
}

struct Rate {
    std::uint32_t max_payload = 0;
    double reads = 0;   // MB/s by the model of pcie-bench: 4 KiB to the host
    double writes = 0;  // MB/s from the host, with MRRS 512
};
constexpr std::array kRates{Rate{128, 2994, 3075}, Rate{256, 3322, 3370}, Rate{512, 3512, 3538}};

SimulationOutcome sequential(std::uint32_t max_payload, bool reads) {
    const platform::Configuration configuration =
        preset("nvme", {"content=none", fmt::format("pcie.max_payload={}", max_payload),
                        "firmware.write_buffer.size=256MiB", "core.frequency_mhz=2000"});
    const auto source =
        make_workload(parse_workload(fmt::format("sequential,read={},size=128k,count=6000", reads ? 1 : 0),
                                     configuration.firmware.exported_sectors));
    RunSpec run = run_of(configuration, 32);
    run.warm_up = 500;
    return simulate(run, *source, ClosedLoop(32));
}

// Sectors that were never written need no flash, and the write buffer has room for all data written here.
TEST(NvmeDrive, SequentialThroughputEqualsThatOfTheLink) {
    std::vector<PointJob> jobs;
    for (const Rate& rate : kRates) {
        for (const bool reads : {true, false}) {
            jobs.push_back({fmt::format("MPS {}", rate.max_payload),
                            [rate, reads] { return sequential(rate.max_payload, reads); }});
        }
    }
    const std::vector<Json> results = results_of(jobs);
    for (std::size_t i = 0; i < kRates.size(); ++i) {
        const double reads = results[2 * i]["host"]["read"]["mb_per_s"];
        const double writes = results[2 * i + 1]["host"]["write"]["mb_per_s"];
        EXPECT_NEAR(reads, kRates.at(i).reads, kRates.at(i).reads * 0.01) << kRates.at(i).max_payload;
        EXPECT_NEAR(writes, kRates.at(i).writes, kRates.at(i).writes * 0.01) << kRates.at(i).max_payload;
    }
}

/// Random reads of 4 KiB, 64 outstanding.
struct Limit {
    const char* by;
    std::vector<std::string> settings;  ///< of preset nvme
    const char* precondition;
    double most;  ///< reads a second, closed form
    const char* stage;
};
const std::array kLimits{
    // Sectors that were never written need no flash, so that commands wait for the link when they are
    // fetched.
    // 4,568 bytes of TLPs up (data 4,480, request 24, completion 40, message 24) of 0.25390625 ns, and 16
    // bytes
    // of DLLPs after 214, 4 of SKP after 1,538.
    Limit{"link", {}, "", 1e9 / (4568 * 0.25390625) * (1.0 - 16.0 / 214 - 4.0 / 1538), "sq_fetch"},
    // 380 cycles: fetch 150, look up 30 and 40, transfer 60, complete 100. Work on fetched commands goes
    // before
    // the next fetch.
    Limit{"core", {"core.frequency_mhz=20"}, "", 20e6 / 380, "command_queue"},
    // Each byte leaves the DRAM once.
    Limit{"DRAM", {"dram.data_rate_mt_per_s=200", "dram.bus_bytes=2"}, "", 400e6 / 4096, "dram_wait"},
    // tR, and four codewords of 1,136 bytes at 1,200 MT/s while the die is held.
    Limit{"dies",
          {"nand.geometry.channels=2", "nand.geometry.dies=1", "nand.geometry.dies_per_way=1",
           "nand.geometry.blocks=16", "nand.geometry.pages=32", "ssd.over_provisioning=0.4",
           "firmware.write_buffer.size=1MiB"},
          "fill=1,random=0",
          2e6 / (50.0 + 4 * 1136 / 1200.0),
          "die_wait_host"}};

SimulationOutcome limited_reads(const Limit& limit) {
    std::vector<std::string> settings = limit.settings;
    settings.emplace_back("content=none");
    RunSpec run = run_of(preset("nvme", settings), 64);
    run.warm_up = 500;
    if (*limit.precondition != '\0') {
        run.precondition = parse_preconditioning(limit.precondition);
    }
    const auto source = make_workload(
        parse_workload("random,read=1,size=4k,count=6000", run.configuration.firmware.exported_sectors));
    return simulate(run, *source, ClosedLoop(64));
}

TEST(NvmeDrive, ReadsAreLimitedByWhatTheLedgerSays) {
    std::vector<PointJob> jobs;
    for (const Limit& limit : kLimits) {
        jobs.push_back({limit.by, [&limit] { return limited_reads(limit); }});
    }
    const std::vector<Json> results = results_of(jobs);
    for (std::size_t i = 0; i < kLimits.size(); ++i) {
        const Limit& limit = kLimits.at(i);
        const double rate = results[i]["host"]["read"]["iops"];
        EXPECT_LE(rate, limit.most * 1.001) << limit.by;
        EXPECT_GE(rate, limit.most * 0.97) << limit.by;
        const auto stages = results[i]["ledger"]["stages_us"].get<std::map<std::string, double>>();
        const auto longest =
            std::ranges::max_element(stages, {}, [](const auto& stage) { return stage.second; });
        EXPECT_EQ(longest->first, limit.stage) << limit.by;
        EXPECT_EQ(results[i]["ledger"]["residual_ns"], 0);
    }
}

/// Variants of the tiny drive with an NVMe interface and few slots, queues and vectors.
platform::Configuration nvme_variant(std::uint64_t seed) {
    platform::Configuration base = random_variant(seed);
    std::mt19937_64 random(seed);
    const auto pick = [&random](std::initializer_list<const char*> choices) {
        return std::string(choices.begin()[random() % choices.size()]);
    };
    return platform::variant_of(
        base, {"host.interface=nvme", "nvme.command_slots=" + pick({"1", "3", "16", "64"}),
               "host.nvme.queues=" + pick({"1", "2", "5"}),
               "host.nvme.queue_entries=" + pick({"2", "8", "64"}), "nvme.vectors=" + pick({"1", "2", "65"}),
               "nvme.write_cache=" + pick({"true", "false"}), "host.nvme.polls=" + pick({"true", "false"}),
               "pcie.lanes=" + pick({"1", "4"}), "pcie.completion_size=" + pick({"0", "64"})});
}

class NvmeStream : public ::testing::TestWithParam<int> {};

TEST_P(NvmeStream, IsServedAndVerified) {
    const auto seed = static_cast<std::uint64_t>(GetParam());
    expect_served_and_verified(nvme_variant(seed), seed, 1 + static_cast<std::uint32_t>(seed % 64));
}

INSTANTIATE_TEST_SUITE_P(Seeds, NvmeStream, ::testing::Range(1, 31));

class NvmePowerCuts : public ::testing::TestWithParam<int> {};

TEST_P(NvmePowerCuts, LoseNothingDurable) {
    const auto seed = static_cast<std::uint64_t>(GetParam());
    constexpr std::size_t kCuts = 60;
    platform::Configuration configuration = power_variant(seed);
    configuration.host.interface = platform::HostInterface::nvme;
    configuration.host.nvme.queues = 2;
    configuration.host.nvme.polls = seed % 2 == 0;
    const platform::InterfaceFacts facts = platform::interface_facts(configuration);
    configuration.firmware.command_slots = facts.commands;
    configuration.firmware.zero_partial_trim = facts.zeros_after_trim;
    configuration.firmware.write_cache_enabled = facts.write_cache;
    configuration.nvme.content = configuration.content;
    configuration.nvme.exported_sectors = configuration.firmware.exported_sectors;
    survive_power_cuts(configuration, seed, kCuts);
}

INSTANTIATE_TEST_SUITE_P(Seeds, NvmePowerCuts, ::testing::Range(1, 7));

TEST(NvmeDrive, RunningAheadChangesNoResult) {
    const auto outcome_of = [](const std::string& run_ahead, bool check_protocol) {
        RunSpec run =
            run_of(preset("tiny", {"host.interface=nvme", "host.nvme.queues=3", "run_ahead=" + run_ahead}));
        run.power_cuts.every = 9'000 * kMicrosecond;
        RandomMix::Shares shares;
        shares.requests = 2'000;
        RandomMix source(5, run.configuration.firmware.exported_sectors, shares);
        RunHooks hooks;
        hooks.check_protocol = check_protocol;
        SimulationOutcome outcome = simulate(run, source, ClosedLoop(16), hooks);
        outcome.result = without_wall_times(std::move(outcome.result));
        outcome.result["config"].erase("run_ahead");
        return outcome;
    };
    const std::vector<Json> results =
        results_of({{"ahead", [outcome_of] { return outcome_of("1ms", false); }},
                    {"in step", [outcome_of] { return outcome_of("0s", true); }}});
    EXPECT_GT(results[0]["power"]["cuts"], 3);
    const Json differences = Json::diff(results[0], results[1]);
    EXPECT_TRUE(differences.empty()) << differences[0];
}

}  // namespace
}  // namespace solidtlm::testbench
