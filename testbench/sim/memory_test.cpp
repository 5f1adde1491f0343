// SPDX-License-Identifier: Apache-2.0
//
// Memory depends on the device and on its contents, not on the number of requests it has served.
#include <gtest/gtest.h>

#include "testbench/sim/age/ageing.h"
#include "testbench/sim/resident_memory.h"
#include "testbench/sim/test_support.h"

namespace solidtlm::testbench {
namespace {

TEST(Memory, DoesNotGrowWithTheRequestsServed) {
    const platform::Configuration configuration = preset("tiny", {"content=none"});
    MemoryProbe source(make_workload(parse_workload("random,read=0.2,trim=0.01,flush=100,count=480000",
                                                    configuration.firmware.exported_sectors)),
                       {240'000, 479'999});
    run_closed(configuration, source);
    ASSERT_EQ(source.bytes.size(), 2U);
    EXPECT_LT(source.bytes[1], source.bytes[0] + hal::kMiB) << "4.4 bytes per request";
}

/// 8 x 4 dies of 2 planes of 4,096 blocks of 256 pages of 16 KiB: 1 TiB. A new drive uses memory only where
/// it is written; its map table alone would need 1 GiB.
TEST(Memory, ATerabyteStartsSmall) {
    const std::uint64_t before = resident_bytes();
    const platform::Configuration configuration =
        preset("default", {"content=none", "nand.geometry.blocks=4096", "dram.size=\"2GiB\""});
    ASSERT_EQ(configuration.nand.geometry.total_bytes(), 1ULL << 40U);
    MemoryProbe source(
        make_workload(parse_workload("random,read=0,count=1000", configuration.firmware.exported_sectors)),
        {999});
    run_closed(configuration, source);
    ASSERT_EQ(source.bytes.size(), 1U);
    EXPECT_LT(source.bytes[0] - before, 100 * hal::kMiB);
}

/// An aged drive holds metadata of 24 bytes per page and the map of 4 bytes per unit: 6.3 and 3.8 MiB for 4
/// GiB raw. The rest is the model itself with its write buffer.
TEST(Memory, AnAgedDriveHoldsMetadataAndMap) {
    const std::uint64_t before = resident_bytes();
    const platform::Configuration configuration = preset(
        "default",
        {"content=none", "nand.geometry.blocks=64", "nand.geometry.pages=64", "ssd.over_provisioning=0.12"});
    ASSERT_EQ(configuration.nand.geometry.total_bytes(), 4096 * hal::kMiB);
    platform::Ssd ssd("ssd", configuration);
    Verifier verifier(VerifierConfig{hal::ContentMode::none, 0, true, true});
    const AgeingReport report = age(ssd, parse_preconditioning("random=0.5"), verifier, ProgressMode::off);
    EXPECT_EQ(report.failed, 0U);
    EXPECT_LT(resident_bytes() - before, 40 * hal::kMiB);
}

}  // namespace
}  // namespace solidtlm::testbench
