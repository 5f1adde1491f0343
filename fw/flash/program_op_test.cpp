// SPDX-License-Identifier: Apache-2.0
#include "fw/flash/program_op.h"

#include <gtest/gtest.h>

#include <map>
#include <random>
#include <tuple>

#include "fw/testing/map_bench.h"

namespace solidtlm::fw::testing {
namespace {

/// Where each sector of a program comes from, by plane and column.
using Sectors = std::map<std::tuple<std::uint32_t, std::uint32_t>, std::uint64_t>;

Sectors sectors_of(const hal::FlashOp& op) {
    Sectors sectors;
    for (const hal::FlashPiece& piece : op.pieces) {
        const bool padding = piece.dram.value == hal::FlashPiece::kPadding;
        for (std::uint32_t at = 0; at < piece.length_bytes; at += hal::kSectorBytes) {
            const bool first =
                sectors
                    .emplace(std::tuple(std::uint32_t{piece.plane_slot}, piece.column_bytes + at),
                             padding ? piece.dram.value : piece.dram.value + at)
                    .second;
            EXPECT_TRUE(first) << "each sector once";
        }
    }
    return sectors;
}

// Units that follow each other in DRAM, padding and gaps: every sector comes from its place, wherever the
// pieces are cut.
class ProgramOps : public ::testing::TestWithParam<std::uint32_t> {};

TEST_P(ProgramOps, BringEverySectorFromItsPlaceInAsFewPiecesAsThereAreRuns) {
    FirmwareConfig config = tiny_config();
    config.flash.pages_per_program = GetParam();
    MapBench bench(config);
    const MediaLayout& layout = bench.layout;
    std::mt19937 random(3);
    for (int round = 0; round < 200; ++round) {
        std::vector<UnitWrite> units(layout.units_per_superpage());
        Sectors expected;
        std::size_t runs = 0;
        std::uint64_t dram = 0;
        for (std::uint32_t slot = 0; slot < units.size(); ++slot) {
            const bool page_begins = slot % layout.units_per_page() == 0;
            const bool padding = random() % 4 == 0;
            const bool gap = random() % 3 == 0;
            const bool after_padding = slot > 0 && units[slot - 1].lpn == kNoLpn;
            dram += (slot == 0 ? 0 : layout.unit_bytes()) + (gap ? 8 * hal::kSectorBytes : 0);
            if (!padding) {
                units[slot] = UnitWrite{Lpn{slot}, DramAddress{dram}};
            }
            const bool goes_on = slot > 0 && !page_begins && after_padding == padding && (padding || !gap);
            runs += goes_on ? 0 : 1;
            for (std::uint32_t sector = 0; sector < layout.sectors_per_unit(); ++sector) {
                const std::uint32_t offset = sector * hal::kSectorBytes;
                expected[{layout.page_of(slot), layout.unit_in_page(slot) * layout.unit_bytes() + offset}] =
                    padding ? std::uint64_t{hal::FlashPiece::kPadding} : dram + offset;
            }
        }
        ProgramOp program;
        program.prepare(bench.services, SuperpageAddress{}, units, SpareHeader{}, Cause::host);
        EXPECT_EQ(sectors_of(program.op()), expected);
        EXPECT_EQ(program.op().pieces.size(), runs);
        EXPECT_EQ(program.op().planes, 2);
        EXPECT_EQ(program.op().word_line_pages, GetParam());
    }
}

INSTANTIATE_TEST_SUITE_P(PagesPerProgram, ProgramOps, ::testing::Values(1U, 2U, 4U));

// The second word line of a superblock on 2 planes: pages 4 to 7 of each.
TEST(ProgramOp, NamesThePagesOfAWordLineRowByRow) {
    FirmwareConfig config = tiny_config();
    config.flash.pages_per_program = 4;
    MapBench bench(config);
    const std::vector<UnitWrite> units(bench.layout.units_per_superpage());
    ProgramOp program;
    program.prepare(bench.services, SuperpageAddress{Pu{1}, Superblock{3}, 1}, units, SpareHeader{},
                    Cause::host);
    ASSERT_EQ(program.op().slots(), 8U);
    for (std::uint32_t slot = 0; slot < 8; ++slot) {
        const hal::FlashAddress& page = program.op().address[slot];
        EXPECT_EQ(page.plane.value, slot % 2) << slot;
        EXPECT_EQ(page.block, hal::Block{3}) << slot;
        EXPECT_EQ(page.page.value, 4 + slot / 2) << slot;
    }
}

}  // namespace
}  // namespace solidtlm::fw::testing
