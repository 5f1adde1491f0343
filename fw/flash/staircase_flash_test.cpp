// SPDX-License-Identifier: Apache-2.0
//
// Word lines that are programmed in several passes: examples worked by hand.
#include "fw/flash/staircase_flash.h"

#include <gtest/gtest.h>

#include <array>
#include <deque>
#include <string>
#include <vector>

#include "fw/flash/carry_out.h"
#include "fw/flash/program_op.h"
#include "fw/needs.h"
#include "fw/testing/fake_core.h"
#include "fw/testing/one_die.h"

namespace solidtlm::fw::testing::staircase {
namespace {

constexpr std::uint32_t kPages = 3;

FirmwareConfig in_passes(std::uint32_t passes) {
    FirmwareConfig config = four_word_lines();
    config.flash.passes = passes;
    return config;
}

struct Stairs : OneDieBench<StaircaseFlash> {
    explicit Stairs(std::uint32_t passes) : OneDieBench(in_passes(passes)) { flash.watch(stalled); }

    /// A program of superblock `block`, with data or without.
    struct Program {
        ProgramOp program;
        Ledger ledger;
        Stairs* bench = nullptr;
        Ps ended{-1};
    };
    Program& submit(std::uint32_t block, std::uint32_t line, bool data = true) {
        Program& each = programs.emplace_back();
        each.bench = this;
        std::vector<UnitWrite> units(layout.units_per_superpage());
        for (std::uint32_t i = 0; data && i < units.size(); ++i) {
            units[i] = UnitWrite{Lpn{i}, DramAddress{std::uint64_t{i} * 2 * layout.unit_bytes()}};
        }
        each.program.prepare(services, SuperpageAddress{Pu{0}, Superblock{block}, line}, units,
                             SpareHeader{7, PageKind::host, 0}, Cause::host);
        each.ledger.start(Stage::firmware_wait, clock.now());
        each.program.op().ledger = &each.ledger;
        each.program.op().done = hal::Completion{[](void* self) {
                                                     auto& ended = *static_cast<Program*>(self);
                                                     ended.ended = ended.bench->clock.now();
                                                 },
                                                 &each};
        flash.submit(each.program.op());
        return each;
    }
    /// "0a 1a 0b": what the die has got.
    [[nodiscard]] std::string order() const {
        std::string text;
        for (const hal::FlashOp& op : die.seen) {
            text += (text.empty() ? "" : " ") + std::to_string(op.address[0].page.value / kPages) +
                    static_cast<char>('a' + op.pass);
        }
        return text;
    }

    Signal stalled{executor, "a program waits"};
    std::deque<Program> programs;
};

TEST(StaircaseFlash, TakesPassesInTurn) {
    for (const auto& [passes, order] :
         {std::pair{2U, "0a 1a 0b 2a 1b 3a 2b 3b"}, {3U, "0a 1a 0b 2a 1b 0c 3a 2b 1c 3b 2c 3c"}}) {
        Stairs bench(passes);
        for (std::uint32_t line = 0; line < 4; ++line) {
            bench.submit(5, line);
        }
        bench.run();
        EXPECT_EQ(bench.order(), order);
        EXPECT_TRUE(bench.flash.at_rest());
        EXPECT_EQ(bench.flash.waiting(), 0U);
        for (const hal::FlashOp& op : bench.die.seen) {
            EXPECT_EQ(op.address[0].block, hal::Block{5});
            EXPECT_EQ(op.word_line_pages, kPages);
            EXPECT_EQ(op.spare.size(), 2 * kPages * spare_bytes(bench.layout.units_per_page()));
        }
    }
}

// A pass takes 1 ms, and each follows the one before; a further descriptor takes 150 cycles, 300 ns. The core
// builds 0a, then 1a and 0b (300 ns), then 2a and 1b (300 ns), then 3a, 2b and 3b (600 ns), all within the
// first millisecond. Last passes are the 3rd, 5th, 7th and 8th.
TEST(StaircaseFlash, AProgramEndsWithItsLastPass) {
    Stairs bench(2);
    for (std::uint32_t line = 0; line < 4; ++line) {
        bench.submit(5, line);
    }
    bench.run();
    constexpr std::array<Ps, 4> kEnds{3ms, 5ms, 7ms, 8ms};
    for (std::size_t line = 0; line < kEnds.size(); ++line) {
        Stairs::Program& each = bench.programs[line];
        EXPECT_EQ(each.ended, kEnds[line]) << line;
        EXPECT_EQ(each.program.op().status, hal::FlashStatus::ok);
        EXPECT_EQ(each.ledger[Stage::array], 1ms) << "of the last pass";
    }
}

TEST(StaircaseFlash, AProgramWaitsForTheNextWordLine) {
    Stairs bench(3);
    Stairs::Program& first = bench.submit(5, 0);
    bench.run();
    EXPECT_EQ(bench.order(), "0a");
    EXPECT_EQ(first.ended, Ps{-1});
    EXPECT_EQ(bench.flash.waiting_of_host(), 1U);
    const auto waiting_in = [&bench](std::uint32_t block, std::uint32_t line) {
        const hal::FlashAddress at =
            bench.layout.address(SuperpageAddress{Pu{0}, Superblock{block}, line}, 0);
        return std::pair{bench.flash.waiting_in(at, false), bench.flash.waiting_in(at, true)};
    };
    EXPECT_EQ(waiting_in(5, 3), (std::pair{1U, 1U}));
    EXPECT_EQ(waiting_in(4, 0), (std::pair{0U, 0U}));
    EXPECT_TRUE(bench.flash.at_rest()) << "it may wait for ever";
    bench.submit(5, 1);
    bench.run();
    EXPECT_EQ(bench.order(), "0a 1a 0b");
    EXPECT_EQ(bench.flash.waiting(), 2U);
    bench.submit(5, 2);
    bench.run();
    EXPECT_EQ(bench.order(), "0a 1a 0b 2a 1b 0c");
    EXPECT_NE(first.ended, Ps{-1});
    EXPECT_EQ(bench.flash.waiting(), 2U);
}

// It has no data that a later pass could lose, so nothing waits for those.
TEST(StaircaseFlash, PaddingEndsWithItsFirstPass) {
    Stairs bench(2);
    const Stairs::Program& data = bench.submit(5, 0);
    const Stairs::Program& padding = bench.submit(5, 1, false);
    bench.run();
    EXPECT_EQ(padding.ended, 2ms);
    EXPECT_EQ(data.ended, 3ms);
    EXPECT_EQ(bench.flash.waiting(), 0U);
    EXPECT_TRUE(bench.flash.at_rest());
    bench.submit(5, 2);
    bench.run();
    EXPECT_EQ(bench.order(), "0a 1a 0b 2a 1b") << "the further pass has its turn nevertheless";
}

TEST(StaircaseFlash, SaysWhetherEndsAreWanted) {
    Stairs bench(2);
    EXPECT_FALSE(bench.flash.ends_wanted());
    bench.flash.want_ends(true);
    EXPECT_TRUE(bench.flash.ends_wanted());
    EXPECT_FALSE(bench.flash.finishing());
    bench.flash.finish(true);
    bench.flash.want_ends(false);
    EXPECT_TRUE(bench.flash.ends_wanted());
    EXPECT_TRUE(bench.flash.finishing());
    bench.flash.finish(false);
    EXPECT_FALSE(bench.flash.ends_wanted());
}

TEST(StaircaseFlash, BlocksHaveAStaircaseEach) {
    Stairs bench(2);
    bench.submit(5, 2);  // after a loss of power a block goes on somewhere
    bench.submit(6, 0);
    bench.submit(5, 3);
    bench.run();
    EXPECT_EQ(bench.order(), "2a 0a 3a 2b 3b");
    EXPECT_EQ(bench.flash.waiting(), 1U);
}

// 1a fails. 0 and 1 have failed with it, and 2, which comes later, is not sent any more.
TEST(StaircaseFlash, AFailureIsOneOfAllProgramsOfTheBlock) {
    Stairs bench(3);
    bench.die.failing = 1;
    bench.submit(5, 0);
    bench.submit(5, 1);
    bench.run();
    bench.submit(5, 2);
    bench.run();
    EXPECT_EQ(bench.order(), "0a 1a 0b");
    for (Stairs::Program& each : bench.programs) {
        EXPECT_NE(each.ended, Ps{-1});
        EXPECT_EQ(each.program.op().status, hal::FlashStatus::program_failed);
    }
    EXPECT_TRUE(bench.flash.at_rest());
    hal::FlashOp erase = superpage_op(bench.layout, hal::FlashOpcode::erase,
                                      SuperpageAddress{Pu{0}, Superblock{5}, 0}, Cause::gc);
    erase.done = hal::Completion{[](void* /*context*/) {}, nullptr};
    bench.flash.submit(erase);
    bench.submit(5, 0);
    bench.run();
    EXPECT_EQ(bench.order(), "0a 1a 0b 0a 0a") << "an erase (shown as 0a), and a block that begins";
}

TEST(StaircaseFlash, PassesEverythingElseOn) {
    Stairs bench(2);
    hal::FlashOp read = superpage_op(bench.layout, hal::FlashOpcode::read, SuperpageAddress{}, Cause::host);
    read.done = hal::Completion{[](void* /*context*/) {}, nullptr};
    bench.flash.submit(read);
    ASSERT_EQ(bench.die.seen.size(), 1U) << "at once";
    EXPECT_EQ(bench.flash.pending(hal::Channel{0}, hal::Die{0}), 1U);
    EXPECT_TRUE(
        bench.flash.factory_bad({hal::Channel{0}, hal::Die{0}, hal::Plane{0}, hal::Block{3}, hal::Page{0}}));
}

}  // namespace
}  // namespace solidtlm::fw::testing::staircase
