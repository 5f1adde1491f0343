// SPDX-License-Identifier: Apache-2.0
//
// The whole drive on flash that fails: every read without an error returns the written data, every command
// ends, every picosecond is accounted for, no NAND rule is broken, and the firmware's tables are consistent.
#include <numeric>

#include "fw/block_map/block_layer.h"
#include "testbench/sim/power_cut_test_support.h"

namespace solidtlm::testbench {
namespace {

using Pointer = Json::json_pointer;

/// One in 140 units of 4 KiB needs the retry, and one in 1,100 is lost after it: 64 bits of each codeword of
/// 9,088 are corrected, at a rate of 0.0048, then 0.00456. Programs and erases fail occasionally.
void make_faulty(platform::Configuration& configuration, std::uint64_t seed) {
    hw::FaultConfig& faults = configuration.nand.faults;
    faults.seed = seed;
    faults.program_failure = 0.0004;
    faults.erase_failure = 0.002;
    faults.bit_errors = true;
    faults.rber = hw::RberModel{.eps = 0.0048, .alpha = 0, .beta = 0, .gamma = 0};
    configuration.nand.ecc.retries = 1;
    configuration.nand.ecc.retry_factor = 0.95;
    if (seed % 2 == 0) {
        configuration.firmware.reliability.reclaim_bits = 64;
    }
}

SimulationOutcome run_faulty(const platform::Configuration& configuration, RequestSource& source,
                             std::uint32_t depth, const std::vector<Ps>& cuts = {}) {
    RunSpec settings = run_of(configuration, depth);
    RunHooks hooks;
    hooks.failures_are_faults = false;
    hooks.check_protocol = true;
    settings.power_cuts.at = cuts;
    settings.power_cuts.off = 100 * kMicrosecond;
    SimulationOutcome outcome = simulate(settings, source, ClosedLoop(depth), hooks);
    for (const std::string& fault : outcome.faults) {
        ADD_FAILURE() << fault;
    }
    const Json& result = outcome.result;
    EXPECT_EQ(result.at(Pointer("/verify/mismatches")), 0);
    EXPECT_EQ(result.at(Pointer("/ledger/residual_ns")), 0);
    EXPECT_TRUE(result.at(Pointer("/nand/violations")).empty());
    EXPECT_EQ(result.at(Pointer("/host/issued")), result.at(Pointer("/host/completed")).get<int>() +
                                                      result.at(Pointer("/host/failed")).get<int>());
    EXPECT_GT(result.at(Pointer("/verify/reads_checked")), 0);
    EXPECT_GT(result.at("hardware").at("flash.retries.steps"), 0);
    return outcome;
}

class FaultyDrive : public ::testing::TestWithParam<int> {};

TEST_P(FaultyDrive, ReturnsNothingWrong) {
    const auto seed = static_cast<std::uint64_t>(GetParam());
    platform::Configuration configuration = random_variant(seed);
    make_faulty(configuration, seed);
    RandomMix::Shares shares;
    shares.requests = 1500;
    RandomMix source(seed, configuration.firmware.exported_sectors, shares);
    run_faulty(configuration, source, 1 + static_cast<std::uint32_t>(seed % 32));
}

TEST_P(FaultyDrive, ReturnsNothingWrongAfterPowerCuts) {
    const auto seed = static_cast<std::uint64_t>(GetParam());
    platform::Configuration configuration = power_variant(seed);
    make_faulty(configuration, seed);
    constexpr std::size_t kCuts = 20;
    RandomMix::Shares shares;
    shares.requests = kCuts * 150;
    RandomMix source(seed, configuration.firmware.exported_sectors, shares);
    run_faulty(configuration, source, 1 + static_cast<std::uint32_t>(seed % 32),
               random_instants(seed, kCuts));
}

INSTANTIATE_TEST_SUITE_P(Seeds, FaultyDrive, ::testing::Range(1, 41));

class FaultyLayer : public ::testing::TestWithParam<std::string> {};

TEST_P(FaultyLayer, ReturnsNothingWrong) {
    platform::Configuration configuration =
        preset("tiny", {"firmware.translation=" + GetParam(), "ssd.over_provisioning=0.6"});
    make_faulty(configuration, 1);
    RandomMix::Shares shares;
    shares.requests = 1500;
    RandomMix source(7, configuration.firmware.exported_sectors, shares);
    run_faulty(configuration, source, 16);
}

std::vector<std::string> layer_names() {
    std::vector<std::string> names;
    for (const auto* layer : fw::translation_layers()) {
        names.emplace_back(layer->name);
    }
    return names;
}

INSTANTIATE_TEST_SUITE_P(Layers, FaultyLayer, ::testing::ValuesIn(layer_names()),
                         [](const auto& param) { return param.param; });

// About 2 MiB are read in units of 4 KiB, each once. A unit has four codewords of 9,088 bits; up to 64 bits
// of each are corrected. P(X > 64) at 0.0048 is 0.00171..., computed below as the sum of the binomial
// distribution.
double fails(double rate) {
    constexpr int kBits = 9088;
    double sum = 0.0;
    for (int k = 0; k <= 64; ++k) {
        sum += std::exp(std::lgamma(kBits + 1.0) - std::lgamma(k + 1.0) - std::lgamma(kBits - k + 1.0) +
                        k * std::log(rate) + (kBits - k) * std::log1p(-rate));
    }
    return 1.0 - std::pow(sum, 4);
}

TEST(FaultyDrive, RetriesAndLossesFollowTheClosedForm) {
    platform::Configuration configuration = preset("tiny", {});
    make_faulty(configuration, 1);
    configuration.nand.faults.program_failure = configuration.nand.faults.erase_failure = 0.0;
    RunSpec settings = run_of(configuration, 1);
    settings.precondition = parse_preconditioning("fill=1,random=0");
    const auto source = make_workload(
        parse_workload("sequential,read=1,size=4k,count=2600", configuration.firmware.exported_sectors));
    const SimulationOutcome outcome = simulate(settings, *source, ClosedLoop(1));
    const Json& hardware = outcome.result.at("hardware");
    const double reads = 2600;
    ASSERT_GE(outcome.result.at(Pointer("/nand/by_cause/host/reads")).get<double>(), reads);
    const double retried = reads * fails(0.0048);
    const double lost = reads * fails(0.0048 * 0.95);
    EXPECT_NEAR(hardware.at("flash.retries.reads").get<double>(), retried, 4 * std::sqrt(retried));
    EXPECT_NEAR(outcome.result.at(Pointer("/host/failed")).get<double>(), lost, 4 * std::sqrt(lost));
    EXPECT_GT(outcome.result.at(Pointer("/host/failed")), 0);
}

/// Writes the first MiB, then reads it; the first superblock is on die 0/0.
SimulationOutcome write_and_read(const std::string& script) {
    // One program at a time per die: no other program of the block is queued after the one that fails.
    const platform::Configuration configuration =
        preset("tiny", {"faults.script=" + script, "firmware.reliability.reclaim_bits=64",
                        "firmware.allocation.programs_per_die=1"});
    RunSpec settings = run_of(configuration, 8);
    RunHooks hooks;
    hooks.failures_are_faults = false;
    const auto source = make_workload(parse_workload("sequential,read=0.5,size=16k,range=0-1MiB,count=512",
                                                     configuration.firmware.exported_sectors));
    return simulate(settings, *source, ClosedLoop(8), hooks);
}

TEST(ScriptedFaults, AFailedProgramGoesElsewhereAndItsBlockIsEmptiedAndRetired) {
    const SimulationOutcome outcome = write_and_read("program 3 of block 0/0/1/0");
    EXPECT_TRUE(outcome.faults.empty()) << outcome.faults.front();
    EXPECT_EQ(outcome.result.at(Pointer("/host/failed")), 0);
    const Json& firmware = outcome.result.at("firmware");
    EXPECT_EQ(firmware.at("ftl.program_failures"), 1);
    EXPECT_EQ(firmware.at("gc.weak_victims"), 1);
    EXPECT_EQ(firmware.at("ftl.retired_superblocks"), 1);
    EXPECT_EQ(outcome.result.at("hardware").at("flash.faults.program_failures"), 1);
}

TEST(ScriptedFaults, AnUncorrectablePageFailsWhereItIsReadAndNowhereElse) {
    const SimulationOutcome outcome = write_and_read("page 0/0/1/0/2 is uncorrectable");
    EXPECT_TRUE(outcome.faults.empty()) << outcome.faults.front();
    EXPECT_GT(outcome.result.at(Pointer("/host/failed")), 0);
    EXPECT_LT(outcome.result.at(Pointer("/host/failed")), 10);
}

TEST(ScriptedFaults, ADieThatDiesTakesItsDataAndNothingElse) {
    const SimulationOutcome outcome = write_and_read("die 1/1 dies at 5ms");
    EXPECT_TRUE(outcome.faults.empty()) << outcome.faults.front();
    EXPECT_GT(outcome.result.at(Pointer("/host/failed")), 0);
    EXPECT_GT(outcome.result.at(Pointer("/host/completed")), 300);
}

// The dead die may have held the newest data: after a power cut the firmware cannot know that, and reports
// it.
TEST(ScriptedFaults, ADriveThatBootsWithADeadDieReturnsNothingRatherThanSomethingOld) {
    RunSpec settings = run_of(preset("tiny", {"faults.script=plane 1/1/0 dies at 30ms"}), 8);
    RunHooks hooks;
    hooks.failures_are_faults = false;
    settings.power_cuts.at = {40'000 * kMicrosecond};
    const auto source = make_workload(parse_workload("random,read=0.5,size=16k,range=0-1MiB,count=2000",
                                                     settings.configuration.firmware.exported_sectors));
    const SimulationOutcome outcome = simulate(settings, *source, ClosedLoop(8), hooks);
    EXPECT_EQ(outcome.result.at(Pointer("/verify/mismatches")), 0);
    EXPECT_EQ(outcome.result.at(Pointer("/power/cuts")), 1);
    EXPECT_GT(outcome.result.at(Pointer("/host/completed")), 100) << "before";
    EXPECT_GT(outcome.result.at(Pointer("/host/failed")), 100) << "after";
}

}  // namespace
}  // namespace solidtlm::testbench
