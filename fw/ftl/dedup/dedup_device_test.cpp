// SPDX-License-Identifier: Apache-2.0
//
// Deduplication on fake hardware: random streams full of equal contents, with overwriting, TRIM, collection
// and power cuts, end with what was written.
#include <gtest/gtest.h>

#include "fw/testing/power_host.h"
#include "fw/testing/shadow_host.h"

namespace solidtlm::fw::testing {
namespace {

constexpr std::array kSystems{DedupSystem::online, DedupSystem::offline, DedupSystem::offline_separated,
                              DedupSystem::offline_crc32};

FirmwareConfig dedup_config(DedupSystem system, std::uint64_t seed) {
    FirmwareConfig config = variant(seed);
    config.gc.copy_back = false;
    config.dedup.system = system;
    config.dedup.table_bytes = 64ULL << 10;
    config.dedup.shared_bytes = 16ULL << 10;
    config.dedup.idle_threshold = std::chrono::microseconds(200);
    export_everything(config);
    config.exported_sectors = config.exported_sectors * 8 / 10 / 16 * 16;
    return config;
}

class DedupStreams : public ::testing::TestWithParam<int> {};

TEST_P(DedupStreams, EndWithWhatWasWritten) {
    const auto seed = static_cast<std::uint64_t>(GetParam());
    for (const DedupSystem system : kSystems) {
        SCOPED_TRACE(static_cast<int>(system));
        FirmwareConfig config = dedup_config(system, seed);
        FakeDevice device(config, seed);
        device.hash.crc_bits = seed % 2 == 0 ? 4 : 32;
        PowerHost host(device, seed);
        host.repeat_contents(60, 30);
        for (int round = 0; round < 6; ++round) {
            host.keep_busy(300, 1 + seed % 32);
            device.run();
        }
        EXPECT_EQ(device.firmware->check(), "");
        EXPECT_EQ(host.mismatches, 0U) << host.first_mismatch;
        EXPECT_EQ(host.failed, 0U);
        EXPECT_TRUE(device.flash.violations.empty());
        const DedupState state = *device.firmware->translation().dedup();
        EXPECT_GT(state.counters.duplicates, 0U);
    }
}

INSTANTIATE_TEST_SUITE_P(Seeds, DedupStreams, ::testing::Range(1, 11));

}  // namespace
}  // namespace solidtlm::fw::testing
