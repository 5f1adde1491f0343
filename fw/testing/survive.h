// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <random>

#include "fw/map_cache/cache_policy.h"
#include "fw/testing/power_host.h"
#include "fw/testing/shadow_host.h"

namespace solidtlm::fw::testing {

/// Caches the map in little DRAM, with a policy that `seed` draws, and exports 70 % of what then fits.
inline void cache_map(FirmwareConfig& config, std::uint64_t seed) {
    config.map_cache.policy = map_cache_policies()[seed % map_cache_policies().size()]->name;
    config.map_cache.size_bytes = 16ULL << 10;
    config.map_cache.translation_page_bytes = 512;
    export_everything(config);
    config.exported_sectors = config.exported_sectors * 7 / 10 / 16 * 16;
}

/// Adds a recovery log with checkpoints, as `seed` draws.
inline void keep_log(FirmwareConfig& config, std::uint64_t seed) {
    config.recovery.trims = static_cast<TrimPersistence>(seed % 3);
    config.recovery.checkpoint_interval = (1 + seed % 7) * 131072;
}

/// Cuts power `cuts` times at random instants, also during recovery: no durable data may be lost.
inline void survive(const FirmwareConfig& config, std::uint64_t seed, int cuts,
                    const std::function<void(FakeFlash&)>& prepare = {}) {
    std::mt19937_64 random(seed * 31);
    FakeDevice device(config, seed, prepare);
    PowerHost host(device, seed);
    host.keep_busy(600, 32);
    device.run();
    for (int cut = 0; cut < cuts; ++cut) {
        host.keep_busy(100'000, 1 + random() % 32);
        run_events(device, random() % 6000);
        host.power_cut();
        while (random() % 3 == 0) {  // during recovery, or just after it
            run_events(device, random() % 600);
            host.power_cut();
        }
        device.run();
        ASSERT_TRUE(device.firmware->ready());
        ASSERT_EQ(device.firmware->check(), "") << "after cut " << cut;
        host.settle();
        ASSERT_EQ(host.mismatches, 0U) << host.first_mismatch << ", cut " << cut;
        ASSERT_TRUE(device.flash.violations.empty()) << device.flash.violations.front();
        ASSERT_FALSE(device.firmware->translation().read_only());
    }
    host.keep_busy(300, 16);
    device.run();
    EXPECT_EQ(host.failed, 0U);
    EXPECT_EQ(host.mismatches, 0U) << host.first_mismatch;
    EXPECT_EQ(device.firmware->check(), "");
}

/// Superblocks with hardly anything valid, among others that are full: collection has soon nothing left to
/// gather. Every write must be carried out nevertheless. They have 1 to `most_units` units.
inline void rewrite_little(const FirmwareConfig& config, std::uint64_t seed, std::uint32_t most_units = 1) {
    FakeDevice device(config, seed);
    ShadowHost host(device, seed);
    host.write_everything();
    const MediaLayout& layout = device.firmware->layout();
    const std::uint64_t rewritten = std::uint64_t{layout.units_per_superblock()} * layout.pus() / 4;
    std::mt19937_64 random(seed);
    for (std::uint32_t i = 0; i < 4000; ++i) {
        const std::uint32_t sectors = layout.sectors_per_unit();
        host.write(random() % rewritten * sectors, (1 + i % most_units) * sectors, false);
        if (random() % 16 == 0) {
            device.run();
        }
    }
    device.run();
    host.read_everything();
    expect_sound(device, host);
    EXPECT_EQ(host.failed, 0U);
    EXPECT_FALSE(device.firmware->translation().read_only());
}

}  // namespace solidtlm::fw::testing
