// SPDX-License-Identifier: Apache-2.0
//
// Deduplication on fake hardware: random streams with many equal contents, and overwriting, TRIM, collection
// and power cuts. In the end the host reads what it wrote.
#include <gtest/gtest.h>

#include "fw/testing/deduplicating.h"
#include "fw/testing/power_host.h"
#include "fw/testing/seeds.h"
#include "fw/testing/shadow_host.h"

namespace solidtlm::fw::testing {
namespace {

constexpr std::array<std::string_view, 5> kSystems{"none", "online", "offline", "offline_separated",
                                                   "offline_crc32"};

FirmwareConfig dedup_config(std::string_view system, std::uint64_t seed) {
    return deduplicating(variant(seed), system, std::chrono::microseconds(200));
}

/// Bursts of commands with many equal contents, and idle time between them; `cuts`: power cuts at random
/// instants, also during boots.
void survive(const FirmwareConfig& config, std::uint64_t seed, int rounds, bool cuts) {
    std::mt19937_64 random(seed * 97);
    FakeDevice device(config, seed);
    device.hash.crc_bits = seed % 2 == 0 ? 4 : 32;
    PowerHost host(device, seed);
    host.repeat_contents(static_cast<unsigned>(30 + seed % 60), 1 + seed % 40);
    for (int round = 0; round < rounds; ++round) {
        host.keep_busy(static_cast<int>(1 + random() % 200), 1 + random() % 32);
        run_events(device, random() % 8000);
        if (cuts && random() % 3 != 0) {
            host.power_cut();
            while (random() % 4 == 0) {
                run_events(device, random() % 600);
                host.power_cut();
            }
            device.run();
            ASSERT_TRUE(device.firmware->ready());
            ASSERT_EQ(device.firmware->check(), "") << "round " << round;
            host.settle();
            ASSERT_EQ(host.mismatches, 0U) << host.first_mismatch << ", round " << round;
        }
    }
    device.run();
    host.settle();
    EXPECT_EQ(host.mismatches, 0U) << host.first_mismatch;
    EXPECT_EQ(host.failed, 0U);
    EXPECT_EQ(device.firmware->check(), "");
    ASSERT_TRUE(device.flash.violations.empty()) << device.flash.violations.front();
    ASSERT_FALSE(device.firmware->translation().read_only());
}

class DedupStreams : public ::testing::TestWithParam<int> {};

TEST_P(DedupStreams, EndWithWhatWasWritten) {
    const auto seed = static_cast<std::uint64_t>(GetParam());
    for (const std::string_view system : kSystems) {
        SCOPED_TRACE(system);
        survive(dedup_config(system, seed), seed, 30, false);
    }
}

TEST_P(DedupStreams, LoseNothingDurableWhenPowerIsCut) {
    const auto seed = static_cast<std::uint64_t>(GetParam());
    for (const std::string_view system : kSystems) {
        SCOPED_TRACE(system);
        FirmwareConfig config = dedup_config(system, seed);
        if (system == "online") {
            config.dedup.protection = seed % 2 == 0 ? DedupProtection::capacitor : DedupProtection::journal;
        }
        config.recovery.trims = static_cast<TrimPersistence>(seed / 2 % 3);
        config.recovery.checkpoint_interval = seed % 3 == 0 ? (1 + seed % 7) * 131072 : 0;
        export_everything(config);
        config.exported_sectors = config.exported_sectors * 7 / 10 / 16 * 16;
        survive(config, seed, 12, true);
    }
}

// Journal pages of 62 records: the log is compacted many times, and often has little room left.
TEST_P(DedupStreams, LoseNothingWithASmallLog) {
    const auto seed = static_cast<std::uint64_t>(GetParam());
    FirmwareConfig config = dedup_config(kSystems[seed % kSystems.size()], seed);
    config.flash.channels = config.flash.dies = 2;
    config.flash.page_bytes = 1024;
    config.unit_bytes = 512;
    config.dedup.shared_bytes = 4096;
    if (config.dedup.online()) {
        config.dedup.protection = seed % 8 == 0 ? DedupProtection::journal : DedupProtection::capacitor;
    }
    config.recovery.trims = static_cast<TrimPersistence>(seed / 4 % 3);
    config.recovery.checkpoint_interval = seed % 3 == 0 ? 131072 : 0;
    export_everything(config);
    config.exported_sectors = config.exported_sectors * 7 / 10 / 16 * 16;
    survive(config, seed, 12, true);
}

// Without protection a power cut loses the duplicates that are recorded in DRAM alone, and nothing else.
TEST_P(DedupStreams, OnlineWithoutProtectionLosesWhatIsPredicted) {
    const auto seed = static_cast<std::uint64_t>(GetParam());
    std::mt19937_64 random(seed * 89);
    FirmwareConfig config = dedup_config("online", seed);
    FakeDevice device(config, seed);
    PowerHost host(device, seed);
    host.repeat_contents(70, 20);
    for (int cut = 0; cut < 8; ++cut) {
        host.keep_busy(100'000, 1 + random() % 32);
        run_events(device, 500 + random() % 5000);
        std::set<std::uint64_t> predicted;
        const std::uint64_t per_unit = config.unit_bytes / 512;
        for (const Lpn lpn : device.firmware->translation().unwritten_references()) {
            for (std::uint64_t sector = 0; sector < per_unit; ++sector) {
                predicted.insert(lpn.value * per_unit + sector);
            }
        }
        host.mismatched.clear();
        host.power_cut();
        device.run();
        ASSERT_EQ(device.firmware->check(), "");
        host.settle();
        for (const std::uint64_t sector : host.mismatched) {
            ASSERT_TRUE(predicted.contains(sector)) << host.first_mismatch << ", cut " << cut;
        }
    }
    ASSERT_TRUE(device.flash.violations.empty());
}

INSTANTIATE_TEST_SUITE_P(Seeds, DedupStreams, ::testing::Range(1, usual_or_sanitized(51, 11)));

}  // namespace
}  // namespace solidtlm::fw::testing
