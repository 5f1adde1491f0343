// SPDX-License-Identifier: Apache-2.0
//
// Power cuts on fake hardware, at any instant: data acknowledged as durable is there afterwards, and no
// sector holds data that was never sent.
#include <gtest/gtest.h>

#include "fw/log/needs.h"
#include "fw/needs.h"
#include "fw/testing/power_host.h"
#include "fw/testing/seeds.h"
#include "fw/testing/shadow_host.h"
#include "fw/testing/survive.h"

namespace solidtlm::fw::testing {
namespace {

FirmwareConfig power_variant(std::uint64_t seed) {
    FirmwareConfig config = variant(seed);
    // Each cut may cost every parallel unit a superpage until collection recovers it, so some superblocks
    // stay spare.
    config.exported_sectors = config.exported_sectors * 8 / 10 / 16 * 16;
    return config;
}

class PowerCuts : public ::testing::TestWithParam<int> {};

TEST_P(PowerCuts, LoseNothingDurableAtAnyInstant) {
    const auto seed = static_cast<std::uint64_t>(GetParam());
    survive(power_variant(seed), seed, 12);
}

TEST_P(PowerCuts, LoseNothingWithACachedMap) {
    const auto seed = static_cast<std::uint64_t>(GetParam());
    FirmwareConfig config = power_variant(seed);
    cache_map(config, seed);
    survive(config, seed, 6);
}

TEST_P(PowerCuts, NeverBringDurablyTrimmedDataBack) {
    const auto seed = static_cast<std::uint64_t>(GetParam());
    FirmwareConfig config = variant(seed);
    config.recovery.trims = seed % 2 == 0 ? TrimPersistence::journal : TrimPersistence::immediate;
    export_everything(config);
    config.exported_sectors = config.exported_sectors * 7 / 10 / 16 * 16;
    survive(config, seed, 10);
}

TEST_P(PowerCuts, LoseNothingWithCheckpoints) {
    const auto seed = static_cast<std::uint64_t>(GetParam());
    FirmwareConfig config = variant(seed);
    keep_log(config, seed);
    export_everything(config);
    config.exported_sectors = config.exported_sectors * 7 / 10 / 16 * 16;
    survive(config, seed, 10);
}

// 2 x 2 x 2 planes of 16 blocks of 8 pages of 8 KiB; 4 parallel units with superblocks of 32 units. A
// checkpoint page holds (8192 - 32) / 4 = 2,040 entries, so one page is a checkpoint. With a block of journal
// pages, a bank takes 2 blocks, and two banks take 4 of the 8 blocks that a superblock on each parallel unit
// has. Collection keeps 3 superblocks.
TEST(RecoveryLogSize, TakesASuperblockOfTheSmallDrive) {
    FirmwareConfig config = tiny_config();
    EXPECT_EQ(max_exported_units(config), (16U - 3) * 32 * 4);
    EXPECT_EQ(recovery_log_size(config).superblocks, 0U);
    config.recovery.trims = TrimPersistence::journal;
    EXPECT_EQ(max_exported_units(config), (16U - 3 - 1) * 32 * 4);
    const RecoveryLogSize size = recovery_log_size(config, max_exported_units(config));
    EXPECT_EQ(size.entries_per_page, 2040U);
    EXPECT_EQ(size.records_per_page, 510U);
    EXPECT_EQ(size.checkpoint_pages, 1U);
    EXPECT_EQ(size.superblocks, 1U);
    EXPECT_EQ(size.bank_blocks, 4U) << "what is set aside is used";
}

INSTANTIATE_TEST_SUITE_P(Seeds, PowerCuts, ::testing::Range(1, usual_or_sanitized(41, 11)));

}  // namespace
}  // namespace solidtlm::fw::testing
