// SPDX-License-Identifier: Apache-2.0
//
// The whole drive loses power: at 2,000 random instants under load, during garbage collection and during
// boot; and the time that a boot takes.
#include "testbench/sim/power_cut_test_support.h"

namespace solidtlm::testbench {
namespace {

constexpr std::size_t kCuts = 100;

class PowerCutDrive : public ::testing::TestWithParam<int> {};

TEST_P(PowerCutDrive, LosesNothingDurable) {
    const auto seed = static_cast<std::uint64_t>(GetParam());
    survive_power_cuts(power_variant(seed), seed, kCuts);
}

INSTANTIATE_TEST_SUITE_P(Seeds, PowerCutDrive, ::testing::Range(1, 21));

class PowerCutCopyBack : public ::testing::TestWithParam<int> {};

// A drive with little free space and 130 to 200 cuts while superpages move inside the dies. After each cut,
// the firmware must recognise what collection has written; otherwise the host takes the space that collection
// needs.
TEST_P(PowerCutCopyBack, ReservesSpaceForCollection) {
    const std::string seed = std::to_string(GetParam());
    RunSpec settings;
    settings.configuration =
        preset("tiny", {"firmware.gc.copy_back=true", "firmware.map_cache.policy=tafp", "seed=" + seed});
    RunHooks hooks;
    hooks.check_protocol = true;
    settings.power_cuts.every = 17'000 * kMicrosecond;
    const auto source =
        make_workload(parse_workload("sequential,read=0.12,flush=1000,count=2000,size=128k,seed=" + seed,
                                     settings.configuration.firmware.exported_sectors));
    const SimulationOutcome outcome = simulate(settings, *source, ClosedLoop(1), hooks);
    for (const std::string& fault : outcome.faults) {
        ADD_FAILURE() << fault;
    }
    EXPECT_GT(outcome.result["power"]["cuts"], 100);
    EXPECT_GT(outcome.result["firmware"]["gc.copied_back_superpages"], 1000.0);
}

INSTANTIATE_TEST_SUITE_P(Seeds, PowerCutCopyBack, ::testing::Range(1, 7));

/// One cut, after everything was written twice.
Json boot_once(const std::vector<std::string>& settings) {
    const platform::Configuration configuration = preset("tiny", settings);
    RandomMix::Shares shares;
    shares.requests = 3000;
    shares.trims = 0;
    RandomMix source(1, configuration.firmware.exported_sectors, shares);
    RunSpec simulation;
    simulation.configuration = configuration;
    simulation.power_cuts.at = {250'000 * kMicrosecond};
    const SimulationOutcome outcome = simulate(simulation, source, ClosedLoop(32));
    EXPECT_TRUE(outcome.faults.empty());
    EXPECT_EQ(outcome.result["power"]["cuts"], 1);
    return outcome.result["power"];
}

// A read of two planes takes tR of 35 us and less than 15 us for 2 x 7 command and address cycles, tDBSY,
// status, 16 bytes of metadata per plane and the decoder. The dies read in parallel.
TEST(PowerCutBoot, TakesTheReadsOfADieOneAfterTheOther) {
    const Json power = boot_once({});
    EXPECT_GT(power["scanned_superpages"], 800) << "of 4 x 16 x 16, nearly all written";
    const double reads_of_a_die = power["scanned_superpages"].get<double>() / 4;
    EXPECT_GT(power["scan_us"]["max"], 35.0 * reads_of_a_die);
    EXPECT_LT(power["scan_us"]["max"], 50.0 * reads_of_a_die);
    EXPECT_LT(power["boot_us"]["max"].get<double>(), 1.1 * power["scan_us"]["max"].get<double>());
}

// There are 15 superblocks of 16 superpages on each of 4 dies, and one of the log. A superblock that was full
// at the checkpoint takes one read, a free one two. A superpage is 16 KiB, so the interval is 32 superpages
// on any dies; they touch at most 2 superblocks of each die, and as many are open. The same drive without
// checkpoints reads more than 800 (above).
TEST(PowerCutBoot, IsBoundedByCheckpoints) {
    const Json power = boot_once({"firmware.recovery.checkpoint_interval=512KiB"});
    EXPECT_LT(power["scanned_superpages"], 4 * (15 * 2 + 4 * 16));
    EXPECT_GT(power["log_pages"], 0);
    EXPECT_LT(power["boot_us"]["max"], 35.0 * 800 / 4) << "less than a full scan in the array alone";
}

// What a cached map and a log add to a boot. The counters beside the steps must equal those of the steps.
TEST(PowerCutBoot, ReportsTheTimesOfItsSteps) {
    const Json power = boot_once({"firmware.map_cache.policy=tafp", "firmware.trim.persist=journal"});
    std::vector<std::string> names;
    double sum = 0;
    for (const Json& step : power["boot_steps"]) {
        names.push_back(step["name"]);
        sum += step["us"]["mean"].get<double>();
        EXPECT_EQ(step["us"]["mean"], step["us"]["max"]) << "of one boot";
        EXPECT_GT(step["us"]["mean"], 0.0);
    }
    EXPECT_EQ(names,
              (std::vector<std::string>{"recovery_log", "spare_areas", "mapping", "translation_pages"}));
    EXPECT_NEAR(sum, power["boot_us"]["mean"], 1e-6);
    EXPECT_EQ(power["boot_steps"][1]["us"], power["scan_us"]);
    const Json& area = power["boot_steps"][3]["found"];
    EXPECT_EQ(area["translation_pages"], power["translation_pages"]);
    EXPECT_EQ(power["boot_steps"][1]["found"]["superpages"].get<std::uint64_t>() +
                  area["map_blocks"].get<std::uint64_t>(),
              power["scanned_superpages"]);
}

}  // namespace
}  // namespace solidtlm::testbench
