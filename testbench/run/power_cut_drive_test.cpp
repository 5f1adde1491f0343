// SPDX-License-Identifier: Apache-2.0
//
// The whole drive loses power: 2,000 random instants under load, while it collects garbage and while it
// boots; and how long a boot takes.
#include "testbench/run/power_cut_test_support.h"

namespace solidtlm::testbench {
namespace {

class PowerCutDrive : public ::testing::TestWithParam<int> {};

TEST_P(PowerCutDrive, LosesNothingDurable) {
    const auto seed = static_cast<std::uint64_t>(GetParam());
    survive_power_cuts(power_variant(seed), seed, 100);
}

INSTANTIATE_TEST_SUITE_P(Seeds, PowerCutDrive, ::testing::Range(1, 21));

/// One cut, after everything has been written twice.
Json boot_once(const std::vector<std::string>& settings) {
    const platform::Configuration configuration = preset("tiny", settings);
    RandomMix::Shares shares;
    shares.requests = 3000;
    shares.trims = 0;
    RandomMix source(1, configuration.firmware.exported_sectors, shares);
    SimulationSettings simulation;
    simulation.configuration = configuration;
    simulation.host.content = configuration.content;
    simulation.quiet = true;
    simulation.power_cuts.at = {250'000 * kMicrosecond};
    const SimulationOutcome outcome = simulate(simulation, source, ClosedLoop(32));
    EXPECT_TRUE(outcome.faults.empty());
    EXPECT_EQ(outcome.result["power"]["cuts"], 1);
    return outcome.result["power"];
}

// tR of 35 us, and what goes with each read of two planes: 2 x 7 command and address cycles, status, 16 bytes
// of metadata a plane, the decoder. The dies read at the same time.
TEST(PowerCutBoot, TakesTheReadsOfADieOneAfterTheOther) {
    const Json power = boot_once({});
    const double reads_of_a_die = power["scanned_superpages"].get<double>() / 4;
    EXPECT_GT(power["scan_us"]["max"], 35.0 * reads_of_a_die);
    EXPECT_LT(power["scan_us"]["max"], 45.0 * reads_of_a_die);
    EXPECT_LT(power["boot_us"]["max"].get<double>(), 1.1 * power["scan_us"]["max"].get<double>());
}

// 16 superblocks of 16 superpages on each of 4 dies. What was full at the checkpoint takes one read, a free
// one two; a superpage is 16 KiB, so the interval is 32 superpages, on any dies, which touches 2 superblocks
// of each at most, and as many are open.
TEST(PowerCutBoot, IsBoundedByCheckpoints) {
    const Json without = boot_once({});
    const Json with = boot_once({"firmware.recovery.checkpoint_interval=512KiB"});
    const double most = 4 * (16 * 2 + 4 * 16);
    EXPECT_LT(with["scanned_superpages"], most);
    EXPECT_LT(with["scanned_superpages"].get<double>(), 0.6 * without["scanned_superpages"].get<double>());
    EXPECT_LT(with["boot_us"]["max"].get<double>(), 0.8 * without["boot_us"]["max"].get<double>());
    EXPECT_GT(with["log_pages"], 0);
}

}  // namespace
}  // namespace solidtlm::testbench
