// SPDX-License-Identifier: Apache-2.0
//
// Drives that are written until they wear out: acknowledged data reads back as long as power lasts, flushed
// data also after a power cut, and every command ends.
#include <gtest/gtest.h>

#include "fw/block_map/block_layer.h"
#include "fw/map_cache/cache_policy.h"
#include "fw/needs.h"
#include "fw/testing/death_host.h"
#include "fw/testing/deduplicating.h"
#include "fw/testing/seeds.h"
#include "fw/testing/shadow_host.h"

namespace solidtlm::fw::testing {
namespace {

/// Every layer and every map, each with several seeds; the seed draws the other parameters.
FirmwareConfig mortal(std::uint64_t seed) {
    FirmwareConfig config = variant(seed);
    switch (seed % 4) {
        case 1:
            config.map_cache.policy = map_cache_policies()[seed / 4 % map_cache_policies().size()]->name;
            config.map_cache.size_bytes = 16ULL << 10;
            config.map_cache.translation_page_bytes = 512;
            export_everything(config);
            break;
        case 2:
            config = deduplicating(config, dedup_systems()[seed / 4 % dedup_systems().size()]->name,
                                   Ps{1'000'000'000});
            config.dedup.protection =
                config.dedup.online() ? DedupProtection::journal : DedupProtection::none;
            break;
        case 3:
            config.unit_bytes = config.flash.page_bytes;
            config.translation = *translation_layers()[seed / 4 % translation_layers().size()];
            export_everything(config);
            break;
        default:
            break;
    }
    config.exported_sectors = config.exported_sectors * 9 / 10 / 16 * 16;
    return config;
}

class WornOut : public ::testing::TestWithParam<int> {};

TEST_P(WornOut, ADriveKeepsAcknowledgedData) {
    const auto seed = static_cast<std::uint64_t>(GetParam());
    FakeDevice device(mortal(seed), seed, [seed](FakeFlash& flash) {
        flash.endurance = 1 + static_cast<std::uint32_t>(seed % 3);
    });
    DeathHost host(device, seed);
    host.wear_out(40, 20'000);
    device.run();
    ASSERT_EQ(host.ended, host.submitted) << "a command was lost";
    EXPECT_GE(host.failed, 40U);
    host.check(false);
    EXPECT_EQ(host.lost, 0U);
    host.flush();  // it may succeed or fail
    device.run();
    const bool accepts = !device.firmware->translation().read_only();  // overwriting has made room
    const std::uint64_t before = host.failed;
    host.write(0, 8, false);
    device.run();
    EXPECT_EQ(host.failed, before + (accepts ? 0 : 1));
    EXPECT_EQ(host.ended, host.submitted);
    host.check(false);
    EXPECT_EQ(host.lost, 0U);
    EXPECT_TRUE(device.flash.violations.empty()) << device.flash.violations.front();
    EXPECT_EQ(device.firmware->check(), "");
    if (device.firmware->translation().recoverable()) {
        device.cycle_power([](FakeHost::Issued&) {});
        device.run();
        host.ended = host.submitted = 0;
        host.check(true);
        EXPECT_EQ(host.lost, 0U) << "was flushed";
    }
}

// Erases fail until the drive takes no more writes, then they work again. Superblocks that TRIM empties are
// erased, the rest of the write buffer is written, and the drive takes writes again.
TEST_P(WornOut, ADriveThatIsTrimmedTakesWritesAgain) {
    const auto seed = static_cast<std::uint64_t>(GetParam());
    FakeDevice device(mortal(seed), seed, [](FakeFlash& flash) { flash.endurance = 1; });
    DeathHost host(device, seed);
    host.wear_out(1, 20'000);
    device.run();
    device.flash.endurance = 0;
    host.trim(0, static_cast<std::uint32_t>(device.config.exported_sectors));
    device.run();
    if (const auto stop = device.firmware->translation().write_stop()) {
        const bool map_is_lost = stop->why.starts_with("no block of the map area is left");
        const MediaLayout layout = media_layout(device.config, device.flash);
        const double spare = spare_superblocks(device.config, layout) * layout.pus();
        EXPECT_TRUE(map_is_lost || device.firmware->metrics().at("ftl.retired_superblocks") > spare)
            << stop->why;
        GTEST_SKIP() << "the map is worn out, or too many superblocks are gone";
    }
    const std::uint64_t before = host.failed;
    const std::uint64_t flushes_before = host.failed_flushes;
    host.write(0, 64, false);
    host.flush();
    device.run();
    EXPECT_EQ(host.failed, before);
    EXPECT_EQ(host.failed_flushes, flushes_before);
    EXPECT_EQ(host.ended, host.submitted);
    host.check(false);
    EXPECT_EQ(host.lost, 0U);
    EXPECT_EQ(device.firmware->check(), "");
}

INSTANTIATE_TEST_SUITE_P(Seeds, WornOut, ::testing::Range(1, usual_or_sanitized(97, 13)));

}  // namespace
}  // namespace solidtlm::fw::testing
