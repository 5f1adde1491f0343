// SPDX-License-Identifier: Apache-2.0
#include "fw/flash/superblock_table.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>
#include <random>
#include <set>
#include <vector>

#include "fw/needs.h"

namespace solidtlm::fw {
namespace {

/// 8 parallel units of 4 superblocks of 160 units: boundaries of superblocks lie within words of bits.
FirmwareConfig config() {
    FirmwareConfig config;
    config.flash = FlashLayout{2, 4, 2, 2, 4, 40, 8192};
    config.allocation.order = "PDCW";
    return config;
}

/// Compares the table with a set of numbers.
void expect_same(const SuperblockTable& table, const std::set<std::uint32_t>& valid, std::uint32_t from,
                 std::uint32_t end, std::uint32_t most) {
    std::vector<std::uint32_t> expected;
    std::uint32_t behind = end;
    for (auto at = valid.lower_bound(from); at != valid.end() && *at < end && expected.size() < most; ++at) {
        expected.push_back(*at);
        if (expected.size() == most) {
            behind = *at + 1;
        }
    }
    std::vector<std::uint32_t> taken;
    const Ppa cursor = table.take_valid(Ppa{from}, Ppa{end}, most, [&taken](Ppa first, std::uint32_t units) {
        for (std::uint32_t unit = 0; unit < units; ++unit) {
            taken.push_back(first.value + unit);
        }
    });
    EXPECT_EQ(taken, expected) << from << " to " << end;
    EXPECT_EQ(cursor.value, behind) << most << " of " << from << " to " << end;
    const auto next = valid.lower_bound(from);
    EXPECT_EQ(table.next_valid(Ppa{from}, Ppa{end}).value, next != valid.end() && *next < end ? *next : end);
}

TEST(SuperblockTable, FindsValidUnitsAsASetOfNumbersDoes) {
    const MediaLayout layout = media_layout(config());
    const std::uint32_t units = layout.pus() * layout.superblocks() * layout.units_per_superblock();
    std::mt19937 engine(1);
    const auto random = [&engine] { return static_cast<std::uint32_t>(engine()); };
    for (const std::uint32_t one_in : {1U, 2U, 9U, 200U}) {
        SuperblockTable table(layout, false);
        std::set<std::uint32_t> valid;
        for (std::uint32_t unit = 0; unit < units; ++unit) {
            if (random() % one_in == 0) {
                table.mark_valid(Ppa{unit});
                valid.insert(unit);
            }
        }
        for (int i = 0; i < 2000; ++i) {
            const std::uint32_t from = random() % units;
            const std::uint32_t end = from + random() % std::min(400U, units - from + 1);
            expect_same(table, valid, from, end, static_cast<std::uint32_t>(1 + random() % 20));
            if (!valid.empty() && i % 4 == 0) {
                const auto victim = std::next(valid.begin(), random() % valid.size());
                table.mark_invalid(Ppa{*victim});
                valid.erase(victim);
            }
        }
    }
}

// Three units come from two superblocks, alternately.
TEST(SuperblockTable, CountsUnitsThatUpdatesMakeValidOrInvalid) {
    const MediaLayout layout = media_layout(config());
    SuperblockTable table(layout, false);
    const SuperpageAddress from{Pu{3}, Superblock{0}, 39};
    const SuperpageAddress other{Pu{3}, Superblock{1}, 0};
    const SuperpageAddress at{Pu{3}, Superblock{2}, 17};
    std::vector<MapUpdate> updates;
    table.mark_valid(updates);
    for (std::uint32_t slot = 0; slot < layout.units_per_superpage(); ++slot) {
        table.mark_valid(layout.ppa(from, slot));
        table.mark_valid(layout.ppa(other, slot));
    }
    for (const std::uint32_t slot : {0U, 1U, 3U}) {
        MapUpdate update{Lpn{slot}, layout.ppa(at, slot)};
        update.previous = layout.ppa(slot == 1 ? other : from, slot);
        updates.push_back(update);
    }
    table.mark_moved(updates);
    EXPECT_EQ(table.info(from.pu, from.superblock).valid, 2U);
    EXPECT_EQ(table.info(other.pu, other.superblock).valid, 3U);
    EXPECT_EQ(table.info(at.pu, at.superblock).valid, 3U);
    for (std::uint32_t slot = 0; slot < layout.units_per_superpage(); ++slot) {
        EXPECT_EQ(table.is_valid(layout.ppa(from, slot)), slot == 1 || slot == 2) << slot;
        EXPECT_EQ(table.is_valid(layout.ppa(other, slot)), slot != 1) << slot;
        EXPECT_EQ(table.is_valid(layout.ppa(at, slot)), slot != 2) << slot;
    }
}

// Against a list in the order in which superblocks became free, searched from its beginning.
TEST(SuperblockTable, OpensTheLeastErasedOfTheFreeOrTheLongestFree) {
    FirmwareConfig many = config();
    many.flash.blocks = 50;
    const MediaLayout layout = media_layout(many);
    std::mt19937 random(1);
    for (const bool dynamic : {false, true}) {
        SuperblockTable table(layout, dynamic);
        const Pu pu{5};
        std::vector<std::uint32_t> free(layout.superblocks());
        std::iota(free.begin(), free.end(), 0U);
        std::vector<std::uint32_t> in_use;
        for (int i = 0; i < 5000; ++i) {
            if (!free.empty() && random() % 2 == 0) {
                const auto expected = dynamic ? std::ranges::min_element(
                                                    free, {},
                                                    [&](std::uint32_t superblock) {
                                                        return table.info(pu, Superblock{superblock}).erases;
                                                    })
                                              : free.begin();
                ASSERT_EQ(table.open(pu), Superblock{*expected});
                in_use.push_back(*expected);
                free.erase(expected);
            } else if (!in_use.empty()) {
                const auto back = in_use.begin() + random() % in_use.size();
                table.info(pu, Superblock{*back}).erases += static_cast<std::uint32_t>(random() % 3);
                table.begin_erase(pu, Superblock{*back});
                table.recycle(pu, Superblock{*back});
                free.push_back(*back);
                in_use.erase(back);
            }
            ASSERT_EQ(table.free_count(pu), free.size());
        }
    }
}

}  // namespace
}  // namespace solidtlm::fw
