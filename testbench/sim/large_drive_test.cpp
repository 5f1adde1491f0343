// SPDX-License-Identifier: Apache-2.0
//
// Drives with more than 2^31 mapping units, whose numbers use all 32 bits. Memory is used only where data is
// written, so the drives cost no more than their requests.
#include <gtest/gtest.h>

#include "testbench/sim/test_support.h"

namespace solidtlm::testbench {
namespace {

constexpr std::uint64_t kHalfOfAllNumbers = std::uint64_t{1} << 31U;

/// Dies of four planes, each of 2,000 blocks of 16,384 pages of four units: 2 * 4 * 4 * 2000 * 16384 * 4 =
/// 4,194,304,000 units.
platform::Configuration large_drive(std::vector<std::string> settings) {
    for (const char* setting :
         {"content=tags", "nand.geometry.channels=2", "nand.geometry.dies=4", "nand.geometry.planes=4",
          "nand.geometry.blocks=2000", "nand.geometry.pages=16384", "dram.size=20GiB"}) {
        settings.emplace_back(setting);
    }
    platform::Configuration configuration = preset("default", settings);
    EXPECT_EQ(configuration.raw_units(), 4'194'304'000U);
    return configuration;
}

constexpr const char* kLargeMix = "random,read=0.4,trim=0.1,flush=50,size=64k,count=1000";

TEST(LargeDrive, LogicalPagesAndPlacesBeyondHalfOfAllNumbers) {
    const platform::Configuration configuration = large_drive({"firmware.map_cache.policy=tafp"});
    const std::uint64_t sectors = configuration.firmware.exported_sectors;
    ASSERT_GT(sectors / 8, kHalfOfAllNumbers) << "logical pages";
    const std::string last = ",range=" + std::to_string((sectors - 80'000) * hal::kSectorBytes) + "-100%";
    const Json result = run_workload(configuration, kLargeMix + last);
    EXPECT_EQ(result["host"]["failed"], 0);
    EXPECT_EQ(result["verify"]["mismatches"], 0);
    EXPECT_GT(result["verify"]["reads_checked"], 300);
}

/// Few logical pages on many physical ones: the search after a power cut handles places, not logical pages.
/// With a journal, a TRIM has an effect only where nothing newer was written.
TEST(LargeDrive, PlacesBeyondHalfOfAllNumbersAreFoundAgainAfterAPowerCut) {
    const platform::Configuration configuration =
        large_drive({"ssd.over_provisioning=0.95", "firmware.trim.persist=journal"});
    RunSpec settings = run_of(configuration);
    RunHooks hooks;
    hooks.check_protocol = true;
    settings.power_cuts.at = {Ps{10'000'000'000}, Ps{25'000'000'000}};
    const auto source = make_workload(
        parse_workload(std::string(kLargeMix) + ",range=0-40MB", configuration.firmware.exported_sectors));
    const SimulationOutcome outcome = simulate(settings, *source, ClosedLoop(8), hooks);
    EXPECT_EQ(outcome.faults, std::vector<std::string>{});
    EXPECT_EQ(outcome.result["power"]["cuts"], 2);
    EXPECT_GT(outcome.result["power"]["audited_sectors"], 10'000);
    EXPECT_EQ(outcome.result["verify"]["mismatches"], 0);
}

}  // namespace
}  // namespace solidtlm::testbench
