// SPDX-License-Identifier: Apache-2.0
#include "fw/gc/static_wear.h"

#include <gtest/gtest.h>

#include <random>
#include <vector>

#include "fw/needs.h"
#include "fw/testing/collector_bench.h"

namespace solidtlm::fw {
namespace {

constexpr Pu kPu{0};
constexpr std::uint32_t kThreshold = 4;

/// Superblocks 0, 1, 2, ... of one parallel unit, all closed, each erased so often. `valid` units of each are
/// valid. The other superblocks are free, and were erased as often as the last.
struct Worn {
    explicit Worn(const std::vector<std::uint32_t>& erases, std::uint32_t valid = 1) {
        for (std::uint32_t i = 0; i < layout.superblocks(); ++i) {
            table.info(kPu, Superblock{i}).erases = i < erases.size() ? erases[i] : erases.back();
        }
        for (std::size_t i = 0; i < erases.size(); ++i) {
            testing::fill_superblock(layout, table, kPu, valid);
        }
    }
    /// After an erase, when the host has programmed a superblock, with room for all.
    std::optional<Superblock> taken() {
        wear.erase_ended(superblock());
        return wear.take(0, layout.pages());
    }

    /// Programs of a superblock in each parallel unit.
    [[nodiscard]] std::uint64_t superblock() const { return std::uint64_t{layout.pages()} * layout.pus(); }

    FirmwareConfig config = testing::tiny_config();
    MediaLayout layout = media_layout(config);
    SuperblockTable table{layout, false};
    StaticWear wear{kThreshold, layout, table, kPu};
};

TEST(StaticWear, TakesTheLeastErasedOnceErasesDifferByMoreThanTheThreshold) {
    EXPECT_EQ(Worn({7, 3, 5}).taken(), std::nullopt) << "they differ by the threshold";
    EXPECT_EQ(Worn({8, 3, 5}).taken(), Superblock{1});
    EXPECT_EQ(Worn({8, 3, 3}).taken(), Superblock{1}) << "of equals the lowest number";
}

TEST(StaticWear, TakesNoneThatIsFreeOrIsBeingEmptied) {
    EXPECT_EQ(Worn({8, 5, 3}).taken(), Superblock{2});
    Worn worn({8, 5, 3});
    worn.table.info(kPu, Superblock{2}).collecting = true;
    EXPECT_EQ(worn.taken(), std::nullopt);
    Worn free({8, 8});
    free.table.info(kPu, Superblock{5}).erases = 3;
    EXPECT_EQ(free.taken(), std::nullopt);
}

TEST(StaticWear, TakesOneForEachSuperblockThatTheHostPrograms) {
    Worn worn({8, 3, 3});
    const std::uint64_t room = worn.layout.pages();
    EXPECT_FALSE(worn.wear.due());
    EXPECT_EQ(worn.wear.take(0, room), std::nullopt);
    worn.wear.erase_ended(worn.superblock() - 1);
    EXPECT_FALSE(worn.wear.due());
    worn.wear.erase_ended(worn.superblock());
    EXPECT_TRUE(worn.wear.due());
    EXPECT_EQ(worn.wear.take(0, room), Superblock{1});
    EXPECT_FALSE(worn.wear.due());
    EXPECT_EQ(worn.wear.take(0, room), std::nullopt);
    worn.wear.erase_ended(2 * worn.superblock() - 1);
    EXPECT_FALSE(worn.wear.due()) << "the host waits";
    worn.wear.erase_ended(2 * worn.superblock());
    EXPECT_TRUE(worn.wear.due());
}

/// What collection did on a die that is three quarters full, when a quarter of its names are overwritten,
/// each with equal probability, and `writers` programs of the host wait or run at any time.
struct Levelled {
    std::uint64_t victims = 0;
    std::uint64_t wear_victims = 0;
    std::uint32_t difference = 0;  ///< of erase counts, at the end
};

constexpr int kPrograms = 20'000;

Levelled levelled(std::uint32_t threshold, int writers) {
    constexpr std::uint32_t kNames = testing::kBlocks * testing::kUnits * 3 / 4;
    FirmwareConfig config = testing::one_die(testing::aiming_at(2, GcPacing::burst));
    config.wear.static_threshold = threshold;
    testing::GcBench bench(config);
    for (std::uint32_t name = 0; name < kNames; name += 2) {
        bench.run(bench.program({Lpn{name}, Lpn{name + 1}}));
    }
    bench.start();
    std::mt19937 random(1);
    for (int i = 0; i < kPrograms; i += writers) {
        for (int writer = 0; writer < writers; ++writer) {
            const auto name =
                static_cast<std::uint32_t>(random() % (kNames / 8) * 8);  // of every fourth pair
            bench.executor.spawn(bench.program({Lpn{name}, Lpn{name + 1}}));
        }
        bench.core.wake();
        while (bench.clock.run_one()) {
        }
    }
    bench.check();
    const GcCounters& counters = bench.collector.counters();
    const auto range = bench.table.erase_range(kPu);
    return {counters.victims, counters.wear_victims, range.most - range.least};
}

// With one writer collection comes to rest before the next program; with 16 the host takes every free
// superblock that it may take at once.
TEST(StaticWear, KeepsErasesTogetherWhetherOrNotTheHostWaits) {
    const Levelled off = levelled(0, 1);
    EXPECT_EQ(off.wear_victims, 0U);
    EXPECT_GT(off.difference, 10 * kThreshold) << "three of four superblocks hold cold data";
    for (const int writers : {1, 4, 16}) {
        const Levelled on = levelled(kThreshold, writers);
        EXPECT_LE(on.difference, kThreshold + 2) << writers;
        EXPECT_GT(on.wear_victims, 0U) << writers;
        EXPECT_LE(on.wear_victims * testing::kPages, kPrograms) << writers;
    }
}

TEST(StaticWear, LeavesTheVictimWhereItsUnitsAndThoseOfOthersFindNoRoom) {
    const std::uint32_t units = Worn({1}).layout.units_per_superpage();
    for (const std::uint32_t others : {0U, 3U, units}) {
        const std::uint64_t needed =
            (units + others + units - 1) / units;  // superpages: a full one, and others
        for (const std::uint64_t room : {needed - 1, needed}) {
            Worn worn({8, 3}, units);
            worn.wear.erase_ended(worn.superblock());
            EXPECT_EQ(worn.wear.take(others, room).has_value(), room == needed) << others << " others";
            EXPECT_FALSE(worn.wear.due()) << "until the next erase";
        }
    }
}

}  // namespace
}  // namespace solidtlm::fw
