// SPDX-License-Identifier: Apache-2.0
//
// A word line that is programmed page by page: examples worked by hand.
#include "fw/flash/word_line_flash.h"

#include <gtest/gtest.h>

#include <vector>

#include "fw/flash/carry_out.h"
#include "fw/flash/program_op.h"
#include "fw/needs.h"
#include "fw/testing/fake_core.h"
#include "fw/testing/one_die.h"

namespace solidtlm::fw::testing {
namespace {

constexpr std::uint32_t kPlanes = 2;
constexpr std::uint32_t kPages = 3;

FirmwareConfig three_pages() {
    FirmwareConfig config = four_word_lines();
    config.flash.page_by_page = true;
    return config;
}

struct WordLineFlashTest : public ::testing::Test, public OneDieBench<WordLineFlash> {
    WordLineFlashTest() : OneDieBench(three_pages()) {
        // The second word line of superblock 5: pages 3, 4, 5. Every unit has its own name and place.
        for (std::uint32_t i = 0; i < layout.units_per_superpage(); ++i) {
            units.push_back(UnitWrite{Lpn{i}, DramAddress{std::uint64_t{i} * 2 * layout.unit_bytes()}});
        }
        program.prepare(services, SuperpageAddress{Pu{0}, Superblock{5}, 1}, units,
                        SpareHeader{7, PageKind::host, 0}, Cause::host);
        program.op().done = hal::Completion{[](void* self) {
                                                auto& test = *static_cast<WordLineFlashTest*>(self);
                                                test.ended.push_back(test.clock.now());
                                            },
                                            this};
    }
    void run() {
        flash.submit(program.op());
        OneDieBench::run();
    }

    std::vector<UnitWrite> units;
    ProgramOp program;
    Ledger ledger;
    std::vector<Ps> ended;
};

TEST_F(WordLineFlashTest, ProgramsItsPagesFromTheLowerOneUp) {
    run();
    ASSERT_EQ(die.seen.size(), kPages);
    const std::uint32_t in_row = layout.units_per_row();
    for (std::uint32_t row = 0; row < kPages; ++row) {
        const hal::FlashOp& op = die.seen[row];
        EXPECT_EQ(op.opcode, hal::FlashOpcode::program);
        EXPECT_EQ(op.planes, kPlanes);
        EXPECT_EQ(op.word_line_pages, 1);
        for (std::uint8_t plane = 0; plane < kPlanes; ++plane) {
            EXPECT_EQ(op.address[plane].page, hal::Page{3 + row});
            EXPECT_EQ(op.address[plane].plane, hal::Plane{plane});
            EXPECT_EQ(op.address[plane].block, hal::Block{5});
        }
        const std::size_t bytes = spare_bytes(layout.units_per_page());
        ASSERT_EQ(op.spare.size(), kPlanes * bytes);
        for (std::uint32_t i = 0; i < in_row; ++i) {
            const std::uint32_t plane = i / layout.units_per_page();
            EXPECT_EQ(decode_lpn(op.spare.subspan(plane * bytes, bytes), i % layout.units_per_page()),
                      Lpn{row * in_row + i});
        }
    }
}

TEST_F(WordLineFlashTest, EachPageHasItsOwnData) {
    // Recorded at submission: afterwards other programs use the memory.
    struct Pieces : OneDie {
        using OneDie::OneDie;
        void submit(hal::FlashOp& op) override {
            all.emplace_back(op.pieces.begin(), op.pieces.end());
            OneDie::submit(op);
        }
        std::vector<std::vector<hal::FlashPiece>> all;
    } pieces{clock};
    flash.move_to(pieces);
    run();
    ASSERT_EQ(pieces.all.size(), kPages);
    std::uint32_t unit = 0;
    for (const std::vector<hal::FlashPiece>& row : pieces.all) {
        ASSERT_EQ(row.size(), layout.units_per_row());
        for (const hal::FlashPiece& piece : row) {
            EXPECT_EQ(piece.plane_slot, unit % layout.units_per_row() / layout.units_per_page());
            EXPECT_EQ(piece.dram, units[unit].dram);
            ++unit;
        }
    }
}

// The core builds one descriptor and handles one completion for each page after the first: 2 x 150 cycles are
// 600 ns. Three programs follow each other. The ledger shows the last page: 600 ns at the core, 2 ms waiting
// for the other pages, 1 ms in the array.
TEST_F(WordLineFlashTest, TakesTheTimesOfAllItsPages) {
    ledger.start(Stage::firmware_wait, clock.now());
    program.op().ledger = &ledger;
    run();
    EXPECT_EQ(ended, std::vector<Ps>{3ms + 600ns});
    EXPECT_EQ(program.op().status, hal::FlashStatus::ok);
    EXPECT_EQ(ledger[Stage::firmware_execute], 600ns);
    EXPECT_EQ(ledger[hal::die_wait_for(hal::Holder::host)], 2ms);
    EXPECT_EQ(ledger[Stage::array], 1ms);
}

TEST_F(WordLineFlashTest, FailsIfOneOfItsPagesDoes) {
    die.failing = 1;
    run();
    EXPECT_EQ(program.op().status, hal::FlashStatus::program_failed);
    for (std::uint32_t slot = 0; slot < kPlanes * kPages; ++slot) {
        EXPECT_EQ(program.op().plane_status[slot],
                  slot / kPlanes == 1 ? hal::FlashStatus::program_failed : hal::FlashStatus::ok);
    }
    EXPECT_EQ(ended.size(), 1U);
}

TEST_F(WordLineFlashTest, PassesEverythingElseOn) {
    hal::FlashOp erase = superpage_op(layout, hal::FlashOpcode::erase, SuperpageAddress{}, Cause::gc);
    erase.done = hal::Completion{[](void* /*context*/) {}, nullptr};
    flash.submit(erase);
    ASSERT_EQ(die.seen.size(), 1U) << "at once";
    EXPECT_EQ(die.seen[0].opcode, hal::FlashOpcode::erase);
    EXPECT_EQ(flash.pending(hal::Channel{0}, hal::Die{0}), 1U);
    EXPECT_TRUE(
        flash.factory_bad({hal::Channel{0}, hal::Die{0}, hal::Plane{0}, hal::Block{3}, hal::Page{0}}));
    EXPECT_FALSE(flash.factory_bad({}));
}

}  // namespace
}  // namespace solidtlm::fw::testing
