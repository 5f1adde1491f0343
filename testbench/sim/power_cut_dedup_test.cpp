// SPDX-License-Identifier: Apache-2.0
//
// The whole drive with deduplication loses power at random instants. If durability is promised, no durable
// data is lost, and a capacitor lasts for everything it has to write.
#include "testbench/sim/host/pacing/open_loop.h"
#include "testbench/sim/power_cut_test_support.h"

namespace solidtlm::testbench {
namespace {

constexpr std::size_t kDedupCuts = 40;

Json cut_power(const std::string& system, const std::string& protection, std::uint64_t seed) {
    const platform::Configuration configuration =
        preset("tiny", {"firmware.dedup.system=" + system, "firmware.dedup.protection=" + protection,
                        "firmware.dedup.shared_size=16KiB", "firmware.dedup.table_size=64KiB",
                        "firmware.idle_threshold=100us", "ssd.over_provisioning=0.6",
                        "firmware.trim.persist=" + std::string(seed % 2 == 0 ? "lazy" : "journal"),
                        "firmware.recovery.checkpoint_interval=" + std::string(seed % 3 == 0 ? "0B" : "1MiB"),
                        "seed=" + std::to_string(seed)});
    const auto source =
        make_workload(parse_workload("random,read=0.2,trim=0.02,flush=20,duplicates=0.5,size=4k:2/"
                                     "16k:1,rate=10k,idle=6ms,burst=64,count=8000,seed=" +
                                         std::to_string(seed),
                                     configuration.firmware.exported_sectors));
    RunSpec settings = run_of(configuration);
    settings.power_cuts.at = random_instants(seed, kDedupCuts);
    settings.power_cuts.off = 100 * kMicrosecond;
    const SimulationOutcome outcome = simulate(settings, *source, OpenLoop());
    for (const std::string& fault : outcome.faults) {
        ADD_FAILURE() << fault;
    }
    EXPECT_EQ(outcome.result["verify"]["mismatches"], 0);
    EXPECT_EQ(outcome.result["power"]["cuts"], kDedupCuts);
    return outcome.result;
}

class PowerCutDedup : public ::testing::TestWithParam<std::tuple<std::string, std::string, int>> {};

TEST_P(PowerCutDedup, LosesNothingDurable) {
    const auto [system, protection, seed] = GetParam();
    const Json result = cut_power(system, protection, static_cast<std::uint64_t>(seed));
    const Json& power = result["power"];
    EXPECT_GT(power["log_pages"], 0);
    EXPECT_GT(result["dedup"]["duplicates"], 0);
    if (protection != "capacitor") {
        EXPECT_EQ(power["capacitor_pages"], 0);
        EXPECT_EQ(power["capacitor_us"], 0.0);
        return;
    }
    EXPECT_GT(power["capacitor_pages"], 0);
    EXPECT_LE(power["capacitor_pages"], 2 * kDedupCuts) << "a journal page is written as soon as it is full";
    // 8,192 bytes and 8 x 112 of parity at 2.5 ns, and 350 us in the array; at most two such pages follow
    // each other.
    const double page = 9088 * 0.0025 + 350;
    EXPECT_GT(power["capacitor_us"], page);
    EXPECT_LT(power["capacitor_us"], 2 * page + 5);
}

INSTANTIATE_TEST_SUITE_P(Systems, PowerCutDedup,
                         ::testing::Combine(::testing::Values("offline", "offline_separated",
                                                              "offline_crc32"),
                                            ::testing::Values("none"), ::testing::Range(1, 4)));
INSTANTIATE_TEST_SUITE_P(Protections, PowerCutDedup,
                         ::testing::Combine(::testing::Values("online"),
                                            ::testing::Values("capacitor", "journal"),
                                            ::testing::Range(1, 7)));

}  // namespace
}  // namespace solidtlm::testbench
