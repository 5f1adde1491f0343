// SPDX-License-Identifier: Apache-2.0
//
// Which pages are copied when, worked by hand for word lines of two pages in shifted order and of three
// pages.
#include "fw/flash/backup_flash.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "fw/flash/carry_out.h"
#include "fw/flash/needs.h"
#include "fw/flash/program_op.h"
#include "fw/needs.h"
#include "fw/testing/fake_core.h"
#include "fw/testing/one_die.h"

namespace solidtlm::fw::testing {
namespace {

using Texts = std::vector<std::string>;

const std::vector<std::uint32_t> kThreePages{0, 0, 1, 3, 3, 4, 6, 6, 7, 9, 9, 10};
/// Lower pages are 0, 1, 3, 5, 7 and 9.
const std::vector<std::uint32_t> kShifted{0, 1, 0, 3, 1, 5, 3, 7, 5, 9, 7, 9};

FirmwareConfig copying(std::vector<std::uint32_t> page_below, std::uint32_t slc_pages) {
    FirmwareConfig config = four_word_lines();
    config.flash.pages_per_program = 1;
    config.flash.page_below = std::move(page_below);
    config.flash.slc_pages = slc_pages;
    config.flash.blocks = 24;
    return config;
}

struct CopyBench : OneDieBench<BackupFlash> {
    explicit CopyBench(const FirmwareConfig& configuration) : OneDieBench(configuration) {
        flash.attach(services, DramAddress{0});
    }
    /// Programs `pages` of superblock 5, all at once.
    void program(const std::vector<std::uint32_t>& pages) {
        const std::vector<UnitWrite> units(layout.units_per_superpage());
        for (const std::uint32_t page : pages) {
            programs.push_back(std::make_unique<ProgramOp>());
            hal::FlashOp& op = programs.back()->op();
            programs.back()->prepare(services, SuperpageAddress{Pu{0}, Superblock{5}, page}, units,
                                     SpareHeader{7 + page, PageKind::host, 0}, Cause::host);
            op.done = hal::Completion{[](void* self) { ++static_cast<CopyBench*>(self)->ended; }, this};
            flash.submit(op);
        }
        run();
    }
    void erase() {
        hal::FlashOp op = superpage_op(layout, hal::FlashOpcode::erase,
                                       SuperpageAddress{Pu{0}, Superblock{5}, 0}, Cause::gc);
        op.done = hal::Completion{[](void* /*context*/) {}, nullptr};
        flash.submit(op);
        run();
    }
    /// What the die has done: "program 2", "read 0", "copy 1.3" (superblock of the area, page), "erase area".
    Texts done() {
        Texts texts;
        const hal::Block area = layout.nand_page(Pu{0}, layout.first(kBackupArea), 0, 0).block;
        for (const hal::FlashOp& op : die.seen) {
            const std::string page = std::to_string(op.address[0].page.value);
            const bool copies = op.address[0].block >= area;
            const std::string block =
                copies ? std::to_string(op.address[0].block.value - area.value) : std::string();
            EXPECT_EQ(op.planes, 2);
            EXPECT_EQ(op.slc, copies && op.opcode != hal::FlashOpcode::erase);
            if (op.opcode == hal::FlashOpcode::erase) {
                texts.push_back("erase " + block);
            } else if (op.opcode == hal::FlashOpcode::read) {
                texts.push_back("read " + (copies ? block + "." + page : page));
            } else {
                texts.push_back(copies ? "copy " + block + "." + page : "program " + page);
            }
        }
        die.seen.clear();
        return texts;
    }

    std::vector<std::unique_ptr<ProgramOp>> programs;
    std::uint32_t ended = 0;
};

// Page 1 takes page 0 along, page 2 takes 0 and 1: 0 has a copy already.
TEST(BackupFlash, CopiesEachEarlierPageOfThreeOnce) {
    CopyBench bench(copying(kThreePages, 4));
    bench.program({0, 1, 2, 3, 4, 5});
    EXPECT_EQ(bench.done(),
              (Texts{"program 0", "read 0", "copy 0.0", "program 1", "read 1", "copy 0.1", "program 2",
                     "program 3", "read 3", "copy 0.2", "program 4", "read 4", "copy 0.3", "program 5"}));
    EXPECT_EQ(bench.ended, 6U);
    EXPECT_EQ(bench.flash.counters().copies, 4U);
}

TEST(BackupFlash, CopiesTheLowerPageBeforeItsUpperOneInShiftedOrder) {
    CopyBench bench(copying(kShifted, 6));
    bench.program({0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11});
    EXPECT_EQ(bench.done(),
              (Texts{"program 0", "program 1", "read 0",     "copy 0.0",  "program 2", "program 3",
                     "read 1",    "copy 0.1",  "program 4",  "program 5", "read 3",    "copy 0.2",
                     "program 6", "program 7", "read 5",     "copy 0.3",  "program 8", "program 9",
                     "read 7",    "copy 0.4",  "program 10", "read 9",    "copy 0.5",  "program 11"}));
}

// The first superblock of the area has two copies of page 0: one from the present life of its superblock,
// which counts, and an older one.
TEST(BackupFlash, WritesAgainWhatCountsBeforeItErases) {
    CopyBench bench(copying(kThreePages, 4));
    const std::uint32_t superblocks = bench.layout.superblocks(kBackupArea);
    bench.program({0, 1});  // 0 has a copy that counts, in 0.0
    bench.erase();
    bench.program({0, 1});  // 0.1
    EXPECT_EQ(bench.done(), (Texts{"program 0", "read 0", "copy 0.0", "program 1", "erase ", "program 0",
                                   "read 0", "copy 0.1", "program 1"}));
    // Other superblocks fill the area.
    std::uint32_t copies = 2;
    const std::uint32_t all = superblocks * 4;
    const std::vector<UnitWrite> units(bench.layout.units_per_superpage());
    for (std::uint32_t superblock = 6; copies < all; ++superblock, copies += 8) {
        for (std::uint32_t page = 0; page < 12; ++page) {
            ProgramOp program;
            program.prepare(bench.services, SuperpageAddress{Pu{0}, Superblock{superblock % 4 + 6}, page},
                            units, SpareHeader{100, PageKind::host, 0}, Cause::host);
            program.op().done = hal::Completion{[](void* /*context*/) {}, nullptr};
            bench.flash.submit(program.op());
            bench.run();
        }
    }
    const Texts texts = bench.done();
    const auto erase = std::ranges::find(texts, "erase 0");
    ASSERT_NE(erase, texts.end());
    const std::string last = std::to_string(superblocks - 1);
    EXPECT_EQ(*(erase - 1), "copy " + last + ".0");
    EXPECT_EQ(*(erase - 2), "read 0.1");
    EXPECT_NE(*(erase - 4), "read 0.0") << "it is from an earlier life of the superblock";
    EXPECT_EQ(bench.flash.counters().again, 1U);
}

TEST(BackupFlash, CopiesAgainElsewhereIfACopyFails) {
    CopyBench bench(copying(kThreePages, 4));
    bench.die.failing = 2;
    bench.program({0, 1});
    EXPECT_EQ(bench.done(), (Texts{"program 0", "read 0", "copy 0.0", "read 0", "copy 1.0", "program 1"}));
}

// Without a superblock that takes copies, page 1 fails, and page 2 after it: page 1 stays erased, and a boot
// would take that for the end of the superblock.
TEST(BackupFlash, FailsWhatItCannotProtectUntilTheErase) {
    struct NoCopies : OneDie {
        using OneDie::OneDie;
        void submit(hal::FlashOp& op) override {
            failing = op.opcode == hal::FlashOpcode::program && op.slc ? seen.size() : ~std::size_t{0};
            OneDie::submit(op);
        }
    };
    CopyBench bench(copying(kThreePages, 4));
    NoCopies broken(bench.clock);
    bench.flash.move_to(broken);
    bench.program({0, 1, 2, 3});
    EXPECT_EQ(bench.ended, 4U);
    EXPECT_EQ(bench.programs[0]->op().status, hal::FlashStatus::ok);
    for (std::uint32_t page = 1; page < 4; ++page) {
        EXPECT_EQ(bench.programs[page]->op().status, hal::FlashStatus::program_failed) << page;
    }
    for (const hal::FlashOp& op : broken.seen) {
        EXPECT_TRUE(op.opcode != hal::FlashOpcode::program || op.slc || op.address[0].page == hal::Page{0});
    }
    bench.erase();
    bench.program({0});
    EXPECT_EQ(bench.programs.back()->op().status, hal::FlashStatus::ok);
}

// Each superblock that is open or was cut needs the earlier pages of one word line.
TEST(BackupFlash, TakesRoomForOpenSuperblocksAndFourCuts) {
    EXPECT_EQ(most_backup_copies(copying(kShifted, 6)), 7U);
    EXPECT_EQ(most_backup_copies(copying(kThreePages, 4)), 14U);
    EXPECT_EQ(kBackupArea.superblocks(copying(kShifted, 6), 1), 5U);
    EXPECT_EQ(kBackupArea.superblocks(copying(kThreePages, 4), 1), 7U);
    EXPECT_EQ(kBackupArea.superblocks(copying({}, 4), 1), 0U);
}

}  // namespace
}  // namespace solidtlm::fw::testing
