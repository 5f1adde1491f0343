// SPDX-License-Identifier: Apache-2.0
//
// The whole drive under random command streams: every read is right, every command ends, every picosecond is
// accounted for, no NAND rule is broken, and the firmware's tables are consistent. simulate() reports
// violations as faults.
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <fstream>
#include <sstream>

#include "fw/needs.h"
#include "platform/ssd.h"
#include "testbench/sim/test_support.h"

namespace solidtlm::testbench {
namespace {

class RandomStream : public ::testing::TestWithParam<int> {};

TEST_P(RandomStream, IsServedAndVerified) {
    const auto seed = static_cast<std::uint64_t>(GetParam());
    expect_served_and_verified(random_variant(seed), seed, 1 + static_cast<std::uint32_t>(seed % 32));
}

INSTANTIATE_TEST_SUITE_P(Seeds, RandomStream, ::testing::Range(1, 201));

/// The tiny drive exports as much as the firmware can serve, and is filled and overwritten at random.
void overwrite_at_the_limit(const std::string& mode, const std::string& threshold) {
    const std::string foreground = "firmware.gc.foreground_threshold=" + threshold;
    const std::string background =
        "firmware.gc.background_threshold=" + std::to_string(std::stoi(threshold) + 1);
    const platform::Configuration roomy = preset(
        "tiny", {"firmware.allocation.mode=" + mode, foreground, background, "ssd.over_provisioning=0.5"});
    const std::uint64_t most = fw::max_exported_units(roomy.firmware) * roomy.firmware.unit_bytes;
    ASSERT_THROW(preset("tiny", {foreground, background, "ssd.capacity=" + std::to_string(most + 4096)}),
                 platform::ConfigurationError)
        << "one unit more must be refused";
    const platform::Configuration full = preset("tiny", {"firmware.allocation.mode=" + mode, foreground,
                                                         background, "ssd.capacity=" + std::to_string(most)});
    RandomMix::Shares shares;
    shares.requests = 20'000;
    shares.reads = shares.trims = shares.flushes = 0;
    shares.max_sectors = 8;
    shares.whole_units = true;
    RandomMix source(1, full.firmware.exported_sectors, shares);
    const Json result = run_closed(full, source, 32);
    EXPECT_EQ(result["host"]["issued"], result["host"]["completed"]);
    EXPECT_EQ(result["host"]["failed"], 0);
}

TEST(SmallestLegalSpare, NeverStallsWithDynamicAllocation) {
    overwrite_at_the_limit("dynamic", "1");
}
TEST(SmallestLegalSpare, NeverStallsWithStaticAllocation) {
    overwrite_at_the_limit("static", "1");
}
TEST(SmallestLegalSpare, NeverStallsWithMoreBlocksKept) {
    overwrite_at_the_limit("dynamic", "2");
}

// Media errors abort all outstanding commands; the host sends them again while the firmware still works on
// the aborted ones.
TEST(WearOut, EndsEveryCommandThroughManyQueueErrors) {
    const platform::Configuration configuration =
        preset("tiny", {"nand.rules.endurance_cycles=3", "ssd.over_provisioning=0.4"});
    RandomMix::Shares shares;
    shares.requests = 20'000;
    shares.max_sectors = 8;
    shares.whole_units = true;
    RandomMix source(2, configuration.firmware.exported_sectors, shares);
    RunSpec settings;
    settings.configuration = configuration;
    const SimulationOutcome outcome = simulate(settings, source, ClosedLoop(32));
    const Json& host = outcome.result["host"];
    EXPECT_GT(host["failed"], 0);
    EXPECT_EQ(host["issued"], host["completed"].get<int>() + host["failed"].get<int>());
    EXPECT_EQ(outcome.result["ledger"]["residual_ns"], 0.0);
}

/// Runs in a child process, because SystemC elaborates once per process; returns the result without wall
/// times.
std::string run_in_child(std::uint64_t seed) {
    const std::string path = ::testing::TempDir() + "solidtlm_" + std::to_string(getpid()) + ".json";
    const pid_t child = fork();
    if (child == 0) {
        const platform::Configuration configuration = random_variant(seed);
        RandomMix source(seed, configuration.firmware.exported_sectors, RandomMix::Shares{});
        std::ofstream(path) << to_text(without_wall_times(run_closed(configuration, source)));
        _exit(0);
    }
    int status = 0;
    waitpid(child, &status, 0);
    std::ostringstream text;
    text << std::ifstream(path).rdbuf();
    std::remove(path.c_str());
    return text.str();
}

TEST(Determinism, TheSameSeedGivesTheSameBytes) {
    for (const std::uint64_t seed : {3U, 4U}) {
        const std::string first = run_in_child(seed);
        ASSERT_GT(first.size(), 1000U);
        EXPECT_EQ(first, run_in_child(seed));
    }
    EXPECT_NE(run_in_child(3), run_in_child(4));
}

TEST(CheckedDrive, HasACheckerOnEverySocketOfTheBaseProtocol) {
    const platform::Ssd ssd("ssd", preset("tiny", {"nand.geometry.channels=2"}),
                            platform::ProtocolChecks::on);
    const auto checkers = std::ranges::count_if(ssd.get_child_objects(), [](const sc_core::sc_object* child) {
        return dynamic_cast<const hw::ProtocolChecker*>(child) != nullptr;
    });
    EXPECT_EQ(checkers, 7)
        << "link and device to each other; device, hash unit, core and two channels to DRAM";
}

}  // namespace
}  // namespace solidtlm::testbench
