// SPDX-License-Identifier: Apache-2.0
//
// A map cache by itself, compared with a whole table: lookups, writes, trims and moves by data collection,
// many at the same time, with caches down to the smallest legal size. Both agree at every step.
#include <gtest/gtest.h>

#include "fw/map_cache/cache_policy.h"
#include "fw/testing/map_bench.h"

namespace solidtlm::fw::testing {
namespace {

FirmwareConfig small_config(const MapCachePolicy* policy, std::uint64_t seed) {
    FirmwareConfig config = tiny_config();
    std::mt19937_64 random(seed * 15'485'863);
    config.flash.blocks = 24;
    config.map_cache.policy = policy->name;
    config.map_cache.translation_page_bytes = 512U << random() % 2;
    config.map_cache.tafp_bytes = 8U << random() % 6;
    config.exported_sectors = (500 + random() % 1500) * 8;
    config.map_cache.bsb_candidates = random() % 2 == 0 ? "full,tafp_64,tafp_128,tafp_256" : "tafp_8,full";
    const std::uint64_t least = smallest_cache(config);
    config.map_cache.size_bytes = random() % 2 == 0 ? least : least + random() % (6 * least + 1024);
    return config;
}

/// One of several clients that use the map at the same time.
class Client {
  public:
    Client(MapBench& bench, std::uint64_t seed, int steps) : bench_(bench), random_(seed), left_(steps) {}

    Task<void> run() {
        while (left_-- > 0) {
            co_await step();
            for (int probe = 0; probe < 4; ++probe) {
                const Lpn lpn = any();
                bench_.wrong += bench_.map->peek(lpn) != bench_.shadow[lpn.value] ? 1 : 0;
            }
        }
        done = true;
    }
    bool done = false;

  private:
    Lpn any() { return Lpn{static_cast<std::uint32_t>(random_() % bench_.shadow.size())}; }
    /// A random place within the range of the data area.
    Ppa place() { return Ppa{static_cast<std::uint32_t>(random_() % 1'000'000)}; }

    Task<void> step() {
        switch (random_() % 8) {
            case 0:
            case 1:
                co_await span();
                break;
            case 2:
            case 3:
            case 4:
                co_await bench_.write(any(), place());
                break;
            case 5:
                co_await bench_.write(any(), kUnmapped);
                break;
            case 6:
                co_await moves();
                break;
            default:
                co_await bench_.read(any());
                break;
        }
    }
    Task<void> span() {
        const Lpn first = any();
        const std::uint32_t count = std::min(static_cast<std::uint32_t>(1 + random_() % 40),
                                             static_cast<std::uint32_t>(bench_.shadow.size()) - first.value);
        std::vector<Lpn> lpns(count);
        for (std::uint32_t i = 0; i < count; ++i) {
            lpns[i] = Lpn{first.value + i};
        }
        std::vector<Ppa> found(count);
        const MapWatch watch(*bench_.map, lpns, found);
        Charge charge;
        co_await bench_.map->lookup(first, found, nullptr, charge);
        for (std::uint32_t i = 0; i < count; ++i) {
            bench_.wrong += found[i] != bench_.shadow[first.value + i] ? 1 : 0;
        }
    }
    /// Moves a superpage; some of its units have been overwritten since.
    Task<void> moves() {
        std::vector<MapUpdate> updates;
        const std::uint64_t count = 1 + random_() % 8;
        for (std::uint64_t i = 0; i < count; ++i) {
            const Lpn lpn = any();
            const bool twice = std::any_of(updates.begin(), updates.end(),
                                           [lpn](const MapUpdate& other) { return other.lpn == lpn; });
            if (!twice && bench_.shadow[lpn.value] != kUnmapped) {
                const Ppa from = random_() % 4 == 0 ? place() : bench_.shadow[lpn.value];
                updates.push_back(MapUpdate{lpn, place(), from});
            }
        }
        co_await bench_.move(std::move(updates));
    }

    MapBench& bench_;
    std::mt19937_64 random_;
    int left_;
};

class MapCacheTable : public ::testing::TestWithParam<const MapCachePolicy*> {};

TEST_P(MapCacheTable, AgreesWithTheWholeTable) {
    for (std::uint64_t seed = 1; seed <= 200; ++seed) {
        MapBench bench(small_config(GetParam(), seed));
        EXPECT_GT(bench.map->never_mapped(Lpn{0}), 0U);
        std::vector<std::unique_ptr<Client>> clients;
        const std::uint64_t count = seed % 4 == 0 ? 1 : 12;
        for (std::uint64_t i = 0; i < count; ++i) {
            clients.push_back(std::make_unique<Client>(bench, seed * 100 + i, static_cast<int>(360 / count)));
            bench.executor.spawn(clients.back()->run());
        }
        bench.run(bench.read(Lpn{0}));
        for (const auto& client : clients) {
            ASSERT_TRUE(client->done) << "a client waits for ever, seed " << seed;
        }
        EXPECT_EQ(bench.wrong, 0U);
        EXPECT_EQ(bench.map->check(), "");
        EXPECT_TRUE(bench.map->at_rest());
        EXPECT_TRUE(bench.flash.violations.empty()) << bench.flash.violations.front();
        for (std::uint32_t lpn = 0; lpn < bench.shadow.size(); ++lpn) {
            ASSERT_EQ(bench.map->peek(Lpn{lpn}), bench.shadow[lpn]) << "seed " << seed << " LPN " << lpn;
            ASSERT_TRUE(bench.shadow[lpn] == kUnmapped || bench.map->never_mapped(Lpn{lpn}) == 0);
        }
        ASSERT_FALSE(HasFailure()) << "seed " << seed;
    }
}

INSTANTIATE_TEST_SUITE_P(Policies, MapCacheTable, ::testing::ValuesIn(map_cache_policies()),
                         [](const auto& test) { return std::string(test.param->name); });

}  // namespace
}  // namespace solidtlm::fw::testing
