// SPDX-License-Identifier: Apache-2.0
#include "fw/gc/static_wear.h"

#include <gtest/gtest.h>

#include <vector>

#include "fw/needs.h"
#include "fw/testing/fake_hardware.h"

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
            const Superblock superblock = *table.open(kPu);
            const Ppa first = layout.ppa(SuperpageAddress{kPu, superblock, 0}, 0);
            for (std::uint32_t unit = 0; unit < valid; ++unit) {
                table.mark_valid(Ppa{first.value + unit});
            }
            for (std::uint32_t page = 0; page < layout.pages(); ++page) {
                table.begin_program(table.index(kPu, superblock));
                table.end_program(table.index(kPu, superblock), true);
            }
        }
    }
    /// After an erase, with room for all.
    std::optional<Superblock> taken() {
        wear.erase_ended();
        return wear.take(0, layout.pages());
    }

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

TEST(StaticWear, TakesOneAfterAnErase) {
    Worn worn({8, 3, 3});
    EXPECT_FALSE(worn.wear.due());
    EXPECT_EQ(worn.wear.take(0, worn.layout.pages()), std::nullopt);
    worn.wear.erase_ended();
    EXPECT_TRUE(worn.wear.due());
    EXPECT_EQ(worn.wear.take(0, worn.layout.pages()), Superblock{1});
    EXPECT_FALSE(worn.wear.due());
    EXPECT_EQ(worn.wear.take(0, worn.layout.pages()), std::nullopt);
}

TEST(StaticWear, LeavesTheVictimWhereItsUnitsAndThoseOfOthersFindNoRoom) {
    const std::uint32_t units = Worn({1}).layout.units_per_superpage();
    for (const std::uint32_t others : {0U, 3U, units}) {
        const std::uint64_t needed =
            (units + others + units - 1) / units;  // superpages: a full one, and others
        for (const std::uint64_t room : {needed - 1, needed}) {
            Worn worn({8, 3}, units);
            worn.wear.erase_ended();
            EXPECT_EQ(worn.wear.take(others, room).has_value(), room == needed) << others << " others";
            EXPECT_FALSE(worn.wear.due()) << "until the next erase";
        }
    }
}

}  // namespace
}  // namespace solidtlm::fw
