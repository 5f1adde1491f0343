// SPDX-License-Identifier: Apache-2.0
//
// Parts that program all pages of a word line at once: times, rules, and the effects of a power cut.
#include <gtest/gtest.h>

#include "hw/nand/word_line_test_support.h"
#include "hw/tlm/test_printing.h"

namespace solidtlm::hw::one_shot {
namespace {

using namespace test;

constexpr Ps kProgram = 1500us;

NandConfig config_of(const Part& part) {
    return word_line_config(part, kProgram);
}

class OneShot : public WordLineTest {};

// Every page crosses the bus; the array works once.
TEST_P(OneShot, AWordLineTakesOneProgram) {
    Bench bench(config_of(part));
    for (unsigned number = 0; number < 6; ++number) {
        WordLine program(part, 1, number);
        program.with_ledger();
        const Ps busy = (part.pages() - 1) * kPlaneBusy + kProgram;
        const Ps bus = part.pages() * kPageIn + kStatusRead;
        bench.expect_takes(program.op, bus + busy);
        EXPECT_EQ(program.op.status, FlashStatus::ok);
        EXPECT_EQ(program.ledger[Stage::array], busy);
        EXPECT_EQ(program.ledger[Stage::channel_transfer], bus);
        expect_pages(bench, 1, number, kSound);
    }
    const FlashControllerStatistics statistics = bench.channel.controller.statistics();
    EXPECT_EQ(statistics.programs[static_cast<std::size_t>(Cause::host)], 6 * part.pages());
    EXPECT_EQ(statistics.operations, 6U);
    EXPECT_EQ(bench.channel.violations(), 0U);
}

TEST_P(OneShot, ContentsAndMetadataComeBackPageByPage) {
    NandConfig config = config_of(part);
    Bench bench(config);
    for (std::size_t i = 0; i < bench.dram.memory.size(); ++i) {
        bench.dram.memory[i] = static_cast<std::byte>(i / 8 * 31 % 251);
    }
    WordLine program(part, 1, 2);
    program.with_spare(part.pages() * config.metadata_bytes);
    for (std::size_t i = 0; i < program.spare.size(); ++i) {
        program.spare[i] = static_cast<std::byte>(i % 253);
    }
    bench.run(program.op);
    const std::size_t bytes = hal::content_bytes(config.content, kPage);
    for (unsigned slot = 0; slot < part.pages(); ++slot) {
        std::vector<std::byte> content(bytes);
        std::vector<std::byte> spare(config.metadata_bytes);
        const FlashAddress& page = program.op.address[slot];
        EXPECT_EQ(bench.channel.array(hal::Die{0}).read_page(page, content, spare), FlashStatus::ok);
        EXPECT_TRUE(std::equal(content.begin(), content.end(), bench.dram.memory.begin() + slot * bytes));
        EXPECT_TRUE(std::equal(spare.begin(), spare.end(), program.spare.begin() + slot * spare.size()));
    }
}

// A picosecond earlier, the last page is not on its way yet, and the array has not been started.
TEST_P(OneShot, APowerCutTearsTheWholeWordLine) {
    struct Cut {
        Ps at;
        bool begun;
    };
    const Ps end = before_last() + kPageIn + kProgram;
    const std::array cuts{Cut{kPageIn, false}, Cut{before_last() - Ps{1}, false},
                          Cut{before_last() + Ps{1}, true}, Cut{end - kProgram / 2, true},
                          Cut{end - Ps{1}, true}};
    Bench bench(config_of(part));
    for (unsigned block = 0; block < cuts.size(); ++block) {
        WordLine before(part, block, 0);
        WordLine program(part, block, 1);
        bench.run(before.op);
        bench.core.submit(program.op);
        bench.run_for(cuts[block].at);
        bench.power_cut();
        expect_pages(bench, block, 0, kSound);
        if (cuts[block].begun) {
            expect_pages(bench, block, 1, kTorn);
        } else {
            expect_pages(bench, block, 1, kErased);
        }
        expect_pages(bench, block, 2, kErased);
    }
}

// The whole word line of one plane is lost, and the block with it; those of the other planes are not.
TEST_P(OneShot, AFailedProgramFailsForAllPagesOfItsPlane) {
    NandConfig config = config_of(part);
    config.faults.script.faults.push_back({ScriptedFault::Kind::program, at(0, 0, 2, 0), 2});
    Bench bench(config);
    WordLine first(part, 2, 0);
    bench.run(first.op);
    EXPECT_EQ(first.op.status, FlashStatus::ok);
    WordLine second(part, 2, 1);
    const Ps polls = part.planes > 1 ? part.planes * (kStatusRead + 3 * kCycle) : Ps{0};  // 78h-3A
    bench.expect_takes(
        second.op, part.pages() * kPageIn + (part.pages() - 1) * kPlaneBusy + kProgram + kStatusRead + polls);
    EXPECT_EQ(second.op.status, FlashStatus::program_failed);
    for (unsigned slot = 0; slot < part.pages(); ++slot) {
        EXPECT_EQ(second.op.plane_status[slot],
                  slot % part.planes == 0 ? FlashStatus::program_failed : FlashStatus::ok)
            << slot;
    }
}

// Firmware's map and log write single pages, in SLC mode.
TEST_P(OneShot, InSlcModePagesAreProgrammedOneByOne) {
    Bench bench(config_of(part));
    for (unsigned page = 0; page < 6; ++page) {
        TestOp program(FlashOpcode::program, at(0, 0, 4, page));
        program.op.slc = true;
        program.piece(0, kPage, 0);
        bench.expect_takes(program.op, kCycle + kPageIn + 210us + kStatusRead);
        EXPECT_EQ(program.op.status, FlashStatus::ok);
    }
}

TEST_P(OneShot, RefusesPartsOfAWordLine) {
    Bench bench(config_of(part));
    const NandArray& array = bench.channel.array(hal::Die{0});
    std::uint64_t breaches = 0;
    const auto refused = [&](FlashOp& op, Violation kind) {
        const std::uint64_t before = array.violations().count(kind);
        bench.run(op);
        EXPECT_EQ(op.status, FlashStatus::rule_violation);
        EXPECT_EQ(array.violations().count(kind), before + 1);
        EXPECT_EQ(array.violations().total(), ++breaches);
    };
    TestOp single(FlashOpcode::program, at(0, 0, 1, 0));
    single.piece(0, kPage, 0);
    refused(single.op, Violation::word_line);

    WordLine fewer(part, 1, 0);
    --fewer.op.word_line_pages;
    fewer.pieces.resize(fewer.op.slots());
    fewer.op.pieces = fewer.pieces;
    refused(fewer.op, Violation::word_line);

    WordLine shifted(part, 1, 0);  // the last pages of one word line and the first pages of the next
    for (unsigned slot = 0; slot < part.pages(); ++slot) {
        ++shifted.op.address[slot].page;
    }
    refused(shifted.op, Violation::word_line);

    WordLine twice(part, 1, 0);
    twice.op.address[part.planes] = twice.op.address[0];
    refused(twice.op, Violation::word_line);

    WordLine elsewhere(part, 1, 0);
    ++elsewhere.op.address[part.pages() - 1].block;
    refused(elsewhere.op, Violation::word_line);

    TestOp copy(FlashOpcode::copy_back, at(0, 0, 5, 0));
    copy.op.source[0] = at(0, 0, 1, 0);
    refused(copy.op, Violation::word_line);

    expect_pages(bench, 1, 0, kErased);
    expect_pages(bench, 1, 1, kErased);
    expect_pages(bench, 5, 0, kErased);
}

TEST_P(OneShot, RefusesAWordLineOutOfOrder) {
    Bench bench(config_of(part));
    const NandArray& array = bench.channel.array(hal::Die{0});
    WordLine second(part, 1, 1);
    bench.run(second.op);
    EXPECT_EQ(second.op.status, FlashStatus::ok);
    WordLine again(part, 1, 1);
    bench.run(again.op);
    EXPECT_EQ(again.op.status, FlashStatus::rule_violation);
    EXPECT_EQ(array.violations().count(Violation::not_erased), 1U);
    WordLine first(part, 1, 0);
    bench.run(first.op);
    EXPECT_EQ(first.op.status, FlashStatus::rule_violation);
    EXPECT_EQ(array.violations().count(Violation::page_order), 1U);
    expect_pages(bench, 1, 0, kErased);
    expect_pages(bench, 1, 1, kSound);
}

INSTANTIATE_TEST_SUITE_P(Parts, OneShot,
                         testing::Values(Part{NandCell::mlc, 1}, Part{NandCell::mlc, 2},
                                         Part{NandCell::tlc, 1}, Part{NandCell::tlc, 2},
                                         Part{NandCell::tlc, 4}, Part{NandCell::qlc, 2},
                                         Part{NandCell::qlc, 4}));

// The pages of a word line have consecutive numbers, so the types follow each other, too.
TEST(OneShotReads, TakeTheTimeOfTheirPageType) {
    NandConfig config = config_of({NandCell::mlc, 1});
    config.timing.read = {40us, 70us};
    Bench bench(config);
    constexpr Ps kBus = 7 * kCycle + 100ns + 20ns + kPage * kCycle;  // 00h-5A-30h, tWB; tRR, data out
    for (unsigned number = 0; number < 3; ++number) {
        WordLine program({NandCell::mlc, 1}, 0, number);
        bench.run(program.op);
        for (unsigned page = 0; page < 2; ++page) {
            TestOp read(FlashOpcode::read, at(0, 0, 0, 2 * number + page));
            read.piece(0, kPage, 0);
            bench.expect_takes(read.op, kBus + config.timing.read[page]);
        }
    }
}

// A part that programs single pages takes one page per plane.
TEST(PageByPage, RefusesSeveralPagesOfAWordLine) {
    NandConfig config = config_of({NandCell::tlc, 1});
    config.programming = NandProgramming::page;
    Bench bench(config);
    WordLine program({NandCell::tlc, 1}, 0, 0);
    bench.run(program.op);
    EXPECT_EQ(program.op.status, FlashStatus::rule_violation);
    EXPECT_EQ(bench.channel.array(hal::Die{0}).violations().count(Violation::word_line), 1U);
}

}  // namespace
}  // namespace solidtlm::hw::one_shot
