// SPDX-License-Identifier: Apache-2.0
//
// The whole firmware on fake hardware, with a map that does not fit into DRAM: random streams with garbage
// collection, every policy, caches down to the smallest legal size. Every read returns the data written last,
// the tables agree, and the map's flash operations are those that the cache counts.
#include <gtest/gtest.h>

#include "fw/map_cache/cache_policy.h"
#include "fw/map_cache/map_cache.h"
#include "fw/testing/seeds.h"
#include "fw/testing/shadow_host.h"

namespace solidtlm::fw::testing {
namespace {

/// A tiny device with many short translation pages.
FirmwareConfig with_cache(FirmwareConfig config, const MapCachePolicy* policy, std::uint64_t seed) {
    std::mt19937_64 random(seed * 104'729);
    MapCacheConfig& cache = config.map_cache;
    cache.policy = policy->name;
    cache.translation_page_bytes = random() % 3 == 0 ? 1024 : 512;
    cache.tafp_bytes = 8U << random() % 6;
    export_everything(config);
    cache.bsb_balance = random() % 2 == 0;
    cache.bsb_candidates = random() % 2 == 0 ? "full,tafp_64,tafp_128,tafp_256" : "tafp_8,full";
    const std::uint64_t least = smallest_cache(config);
    cache.size_bytes = random() % 3 == 0 ? least : least + random() % (8 * least + 2048);
    return config;
}

std::uint64_t map_operations(FakeDevice& device, hal::FlashOpcode opcode) {
    return device.flash.by_cause[{hal::Cause::map, opcode}];
}

void expect_reconciled(FakeDevice& device) {
    const hal::Metrics map = device.firmware->metrics().of("map_cache");
    const hal::Metrics flash = map.of("flash");
    EXPECT_EQ(map_operations(device, hal::FlashOpcode::read),
              flash.count("miss_reads") + flash.count("merge_reads") + flash.count("gc_reads") +
                  flash.count("copy_reads"));
    EXPECT_EQ(map_operations(device, hal::FlashOpcode::program),
              flash.count("write_backs") + flash.count("gc_programs") + flash.count("copies"));
    EXPECT_EQ(map_operations(device, hal::FlashOpcode::erase), flash.count("erases"));
    EXPECT_EQ(map.count("lookups"), map.count("hits") + map.count("misses"));
    EXPECT_EQ(map.count("misses"), flash.count("miss_reads") + map.count("misses_unwritten") +
                                       map.count("misses_joined") - map.count("misses_refetched"));
}

class MapCacheStreams : public ::testing::TestWithParam<std::tuple<const MapCachePolicy*, int>> {};

TEST_P(MapCacheStreams, EndSoundOnAFullDevice) {
    const auto [policy, number] = GetParam();
    for (int i = 0; i < 10; ++i) {
        const auto seed = static_cast<std::uint64_t>(number * 10 + i);
        FakeDevice device(with_cache(variant(seed), policy, seed), seed);
        ShadowHost host(device, seed);
        host.write_everything();
        ShadowHost::Mix mix;
        mix.max_sectors = seed % 2 == 0 ? 96 : 600;
        mix.depth = seed % 3 == 0 ? 1 : 32;
        host.run(mix, 250);
        host.read_everything();
        expect_sound(device, host);
        EXPECT_EQ(host.failed, 0U);
        expect_reconciled(device);
        if (HasFailure()) {
            FAIL() << "seed " << seed;
        }
    }
}

INSTANTIATE_TEST_SUITE_P(Seeds, MapCacheStreams,
                         ::testing::Combine(::testing::ValuesIn(map_cache_policies()),
                                            ::testing::Range(0, usual_or_sanitized(12, 2))),
                         [](const auto& test) {
                             return std::string(std::get<0>(test.param)->name) + "_" +
                                    std::to_string(std::get<1>(test.param));
                         });

TEST(MapCacheDevice, GrownBadBlocksLoseNoData) {
    std::uint64_t failed_map_programs = 0;
    for (const MapCachePolicy* policy : map_cache_policies()) {
        FirmwareConfig config = tiny_config();
        config.flash.blocks = 64;
        config = with_cache(config, policy, 3);
        config.exported_sectors = config.exported_sectors / 3 / 8 * 8;  // room to lose blocks
        const hal::Metrics flash = grow_bad_blocks(config, 0.0001, 0.001, 1500).of("map_cache.flash");
        failed_map_programs += flash.count("failed_programs") + flash.count("failed_copies");
    }
    EXPECT_GT(failed_map_programs, 0U);
}

TEST(MapCacheDevice, AWornOutDeviceFailsWritesButEndsEveryCommand) {
    for (const MapCachePolicy* policy : map_cache_policies()) {
        SCOPED_TRACE(policy->name);
        wear_out(with_cache(tiny_config(), policy, 5), 10, 3000);
    }
}

TEST(MapCacheDevice, APowerCutDestroysItInAnyState) {
    for (const MapCachePolicy* policy : map_cache_policies()) {
        for (int events = 0; events < 3000; events += 197) {
            cut_power_after(with_cache(tiny_config(), policy, 4), events);
        }
    }
}

}  // namespace
}  // namespace solidtlm::fw::testing
