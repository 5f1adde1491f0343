// SPDX-License-Identifier: Apache-2.0
//
// A drive that loses power at random instants under a random load. simulate() reports every error as a fault;
// the verifier checks every sector after each boot.
#pragma once

#include <gtest/gtest.h>

#include "fw/map_cache/cache_policy.h"
#include "testbench/sim/test_support.h"

namespace solidtlm::testbench {

constexpr Ps kMicrosecond{1'000'000};

/// Long intervals with work in them, and short ones that end during a boot.
inline std::vector<Ps> random_instants(std::uint64_t seed, std::size_t count) {
    std::mt19937_64 random(seed);
    std::vector<Ps> at;
    Ps next{0};
    while (at.size() < count) {
        const std::int64_t longest = (random() % 4 == 0 ? 3'000 : 30'000) * kMicrosecond.count();
        next += 200 * kMicrosecond +
                Ps{static_cast<std::int64_t>(random() % static_cast<std::uint64_t>(longest))};
        at.push_back(next);
    }
    return at;
}

/// Variants of the tiny drive: a third each with one of the ways of keeping trims, half with checkpoints, a
/// quarter with a cached map.
inline platform::Configuration power_variant(std::uint64_t seed) {
    platform::Configuration configuration = random_variant(seed);
    fw::FirmwareConfig& firmware = configuration.firmware;
    // Leaves room for recovery log and map area, and for the space that power cuts cost.
    firmware.exported_sectors = firmware.exported_sectors * 3 / 4 / 64 * 64;
    configuration.sata.exported_sectors = firmware.exported_sectors;
    firmware.recovery.trims = static_cast<fw::TrimPersistence>(seed % 3);
    if (seed % 2 == 0) {
        firmware.recovery.checkpoint_interval = (1 + seed % 5) << 19U;
    }
    if (seed % 4 == 1) {
        firmware.map_cache.policy =
            fw::map_cache_policies()[seed / 4 % fw::map_cache_policies().size()]->name;
        firmware.map_cache.size_bytes = 8192;
        firmware.map_cache.translation_page_bytes = 512;
    }
    return configuration;
}

inline Json survive_power_cuts(const platform::Configuration& configuration, std::uint64_t seed,
                               std::size_t cuts, PowerSwitch* power_switch = nullptr) {
    RandomMix::Shares shares;
    shares.requests = cuts * 150;
    RandomMix source(seed, configuration.firmware.exported_sectors, shares);
    RunSpec settings = run_of(configuration);
    RunHooks hooks;
    hooks.check_protocol = true;
    hooks.power_switch = power_switch;
    settings.power_cuts.at = random_instants(seed, cuts);
    settings.power_cuts.off = 100 * kMicrosecond;
    const SimulationOutcome outcome =
        simulate(settings, source, ClosedLoop(1 + static_cast<std::uint32_t>(seed % 32)), hooks);
    for (const std::string& fault : outcome.faults) {
        ADD_FAILURE() << fault;
    }
    const Json& power = outcome.result["power"];
    EXPECT_EQ(outcome.result["host"]["failed"], power["lost_commands"]);
    EXPECT_EQ(outcome.result["ledger"]["residual_ns"], 0.0);
    EXPECT_EQ(outcome.result["verify"]["mismatches"], 0);
    EXPECT_GT(power["audited_sectors"], 0);
    EXPECT_GT(power["interrupted_boots"], 0);
    const bool finishes = configuration.firmware.word_lines.protect == fw::WordLineProtection::capacitor;
    EXPECT_TRUE(finishes || power["torn_superpages"] > 0);
    EXPECT_GT(outcome.result["nand"]["by_cause"]["recovery"]["reads"], 0);
    return outcome.result;
}

}  // namespace solidtlm::testbench
