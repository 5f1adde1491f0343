// SPDX-License-Identifier: Apache-2.0
//
// The whole drive loses power at random instants, under load, while it collects garbage, and while it boots.
// simulate() reports as a fault whatever is not as it must be; the verifier looks at every sector after each
// boot.
#include <gtest/gtest.h>

#include "testbench/run/test_support.h"

namespace solidtlm::testbench {
namespace {

constexpr Ps kUs{1'000'000};

/// Long gaps with work in them, and short ones that end while the drive boots.
std::vector<Ps> random_instants(std::uint64_t seed, std::size_t count) {
    std::mt19937_64 random(seed);
    std::vector<Ps> at;
    Ps next{0};
    while (at.size() < count) {
        const auto longest = static_cast<std::uint64_t>((random() % 4 == 0 ? 3'000 : 30'000) * kUs.count());
        next += 200 * kUs + Ps{static_cast<std::int64_t>(random() % longest)};
        at.push_back(next);
    }
    return at;
}

Json survive(const platform::Configuration& configuration, std::uint64_t seed, std::size_t cuts) {
    RandomMix::Shares shares;
    shares.requests = cuts * 150;
    RandomMix source(seed, configuration.firmware.exported_sectors, shares);
    SimulationSettings settings;
    settings.scenario = "test";
    settings.configuration = configuration;
    settings.host.content = configuration.content;
    settings.quiet = true;
    settings.power_cuts.at = random_instants(seed, cuts);
    settings.power_cuts.off = 100 * kUs;
    const SimulationOutcome outcome =
        simulate(settings, source, ClosedLoop(1 + static_cast<std::uint32_t>(seed % 32)));
    for (const std::string& fault : outcome.faults) {
        ADD_FAILURE() << fault;
    }
    const Json& power = outcome.result["power"];
    EXPECT_EQ(outcome.result["host"]["failed"], power["lost_commands"]);
    EXPECT_EQ(outcome.result["ledger"]["residual_ns"], 0.0);
    EXPECT_EQ(outcome.result["verify"]["mismatches"], 0);
    EXPECT_GT(power["audited_sectors"], 0);
    return outcome.result;
}

class PowerCutDrive : public ::testing::TestWithParam<int> {};

TEST_P(PowerCutDrive, LosesNothingDurable) {
    const auto seed = static_cast<std::uint64_t>(GetParam());
    const Json result = survive(random_variant(seed), seed, 100);
    EXPECT_GT(result["power"]["interrupted_boots"], 0);
    EXPECT_GT(result["power"]["torn_superpages"], 0);
}

INSTANTIATE_TEST_SUITE_P(Seeds, PowerCutDrive, ::testing::Range(1, 21));

}  // namespace
}  // namespace solidtlm::testbench
