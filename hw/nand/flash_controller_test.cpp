// SPDX-License-Identifier: Apache-2.0
//
// Each operation by itself on an idle channel ends at exactly the instant that the data sheet's formula
// gives, not a picosecond earlier. The formulas are written out here from the standard's tables.
#include "hw/nand/flash_controller.h"

#include <gtest/gtest.h>

#include "hw/nand/test_bench.h"

namespace solidtlm::hw {
namespace {

using namespace std::chrono_literals;
using namespace test;

constexpr Ps kRead = 25us, kProgram = 200us, kErase = 1500us, kPlaneBusy = 1us;

/// Data-sheet values of one interface, picoseconds.
struct Sheet {
    const char* name;
    NandBusConfig bus;
    Ps cycle, t_wb, t_whr, t_rhw, t_rr, t_adl, t_ccs;
    Ps in_extra, out_extra;
    double byte_ps;
    std::uint32_t status_bytes;

    [[nodiscard]] Ps move(std::uint32_t count) const { return Ps{std::llround(count * byte_ps)}; }
    [[nodiscard]] Ps in(std::uint32_t count) const { return in_extra + move(count); }
    [[nodiscard]] Ps out(std::uint32_t count) const { return out_extra + move(count); }
    [[nodiscard]] Ps status() const { return cycle + t_whr + out_extra + move(status_bytes); }
    [[nodiscard]] Ps read_command() const { return 7 * cycle + t_wb; }
    [[nodiscard]] Ps select_plane() const { return 7 * cycle + t_ccs; }
    [[nodiscard]] Ps program(std::uint32_t count) const {
        return 6 * cycle + t_adl + in(count) + cycle + t_wb;
    }
};

void PrintTo(const Sheet& sheet, std::ostream* out) {
    *out << sheet.name;
}

const Sheet kSdr5{
    "sdr5", {NandInterface::sdr, 5, {}}, 20ns, 100ns, 80ns, 100ns, 20ns, 400ns, 500ns, {}, {}, 20'000, 1};
const std::array kSheets{kSdr5,
                         Sheet{"sdr0",
                               {NandInterface::sdr, 0, {}},
                               100ns,
                               200ns,
                               120ns,
                               200ns,
                               40ns,
                               400ns,
                               500ns,
                               {},
                               {},
                               100'000,
                               1},
                         Sheet{"nv_ddr5",
                               {NandInterface::nv_ddr, 5, {}},
                               45ns,
                               100ns,
                               80ns,
                               100ns,
                               20ns,
                               400ns,
                               500ns,
                               30ns,
                               25ns,
                               5'000,
                               2},
                         Sheet{"nv_ddr2_400",
                               {NandInterface::nv_ddr2, 7, {}},
                               25ns,
                               100ns,
                               80ns,
                               100ns,
                               20ns,
                               400ns,
                               500ns,
                               Ps{36'500},
                               Ps{57'500},
                               2'500,
                               2},
                         Sheet{"nv_ddr3_800",
                               {NandInterface::nv_ddr3, 10, {}},
                               25ns,
                               100ns,
                               80ns,
                               100ns,
                               20ns,
                               400ns,
                               500ns,
                               Ps{36'500},
                               Ps{56'250},
                               1'250,
                               2},
                         Sheet{"byte25",
                               {NandInterface::byte_time, 0, Ps{25'000}},
                               25ns,
                               {},
                               {},
                               {},
                               {},
                               {},
                               {},
                               {},
                               {},
                               25'000,
                               1}};

class Operation : public testing::TestWithParam<Sheet> {
  protected:
    NandConfig config() const {
        NandConfig config = small_config();
        config.bus = GetParam().bus;
        config.timing.plane_busy = kPlaneBusy;
        return config;
    }
    const Sheet& s = GetParam();
};

TEST_P(Operation, ReadOfAPage) {
    Bench bench(config());
    bench.preset(at(0, 0, 0, 0));
    TestOp read(FlashOpcode::read, at(0, 0, 0, 0));
    read.piece(0, kPage, 0).with_ledger();
    bench.expect_takes(read.op, s.read_command() + kRead + s.t_rr + s.out(kPage));
    EXPECT_EQ(read.op.status, FlashStatus::ok);
    EXPECT_EQ(read.ledger[Stage::array], kRead);
    EXPECT_EQ(read.ledger[Stage::channel_transfer], s.read_command() + s.t_rr + s.out(kPage));
    EXPECT_EQ(read.ledger.total(), read.ledger.last() - read.ledger.begin());
}

TEST_P(Operation, ADieIsHeldNoLongerThanItsReadLasts) {
    Bench bench(config());
    bench.preset(at(0, 0, 0, 0));
    TestOp read(FlashOpcode::read, at(0, 0, 0, 0));
    read.piece(0, kPage, 0);
    const Ps lasts = s.read_command() + kRead + s.t_rr + s.out(kPage);
    bench.expect_takes(read.op, lasts);
    constexpr auto kHost = static_cast<std::size_t>(hal::Holder::host);
    const FlashController& controller = bench.channel.controller;
    EXPECT_EQ(controller.die_times(hal::Die{0})[kHost], lasts);
    Bench::run_for(7ms);  // no operation wants the die, so its release is not recorded
    EXPECT_EQ(controller.die_times(hal::Die{0})[kHost], lasts);
    EXPECT_EQ(controller.statistics().die_held[kHost], lasts);
}

TEST_P(Operation, ReadOfTwoPiecesAndMetadata) {
    Bench bench(config());
    bench.preset(at(0, 0, 0, 0));
    TestOp read(FlashOpcode::read, at(0, 0, 0, 0));
    read.piece(512, 512, 0).piece(2048, 1024, 8192).with_spare(16);
    const Ps change = s.t_rhw + 4 * s.cycle + s.t_ccs;  // 05h-2A-E0h
    bench.expect_takes(
        read.op, s.read_command() + kRead + s.t_rr + s.out(512) + change + s.out(1024) + change + s.out(16));
    EXPECT_EQ(bench.dram.accesses, 2U);
    EXPECT_EQ(bench.dram.bytes_moved, 1536U);
    EXPECT_EQ(bench.channel.controller.statistics().bytes_out, 1552U);
}

TEST_P(Operation, MetadataAfterTheLastByteNeedsNoColumnChange) {
    Bench bench(config());
    bench.preset(at(0, 0, 0, 0));
    TestOp read(FlashOpcode::read, at(0, 0, 0, 0));
    read.piece(3584, 512, 0).with_spare(16);
    bench.expect_takes(read.op, s.read_command() + kRead + s.t_rr + s.out(528));
}

TEST_P(Operation, ReadOfTwoPlanes) {
    Bench bench(config());
    bench.preset(at(0, 0, 1, 0));
    bench.preset(at(0, 1, 2, 0));
    TestOp read(FlashOpcode::read, at(0, 0, 1, 0));
    read.plane(at(0, 1, 2, 0)).piece(0, kPage, 0, 0).piece(0, kPage, kPage, 1);
    bench.expect_takes(read.op, s.read_command() + kPlaneBusy + s.read_command() + kRead + s.t_rr +
                                    s.select_plane() + s.out(kPage) + s.t_rhw + s.select_plane() +
                                    s.out(kPage));
    EXPECT_EQ(bench.dram.accesses, 1U) << "neighbours in DRAM are one access";
}

TEST_P(Operation, ProgramOfAPage) {
    Bench bench(config());
    TestOp program(FlashOpcode::program, at(0, 0, 0, 0));
    program.piece(0, kPage, 0).with_ledger();
    bench.expect_takes(program.op, s.program(kPage) + kProgram + s.status());
    EXPECT_EQ(program.ledger[Stage::array], kProgram);
    EXPECT_EQ(program.ledger.total(), program.ledger.last() - program.ledger.begin());
    EXPECT_TRUE(bench.channel.array(hal::Die{0}).is_programmed(at(0, 0, 0, 0)));
}

TEST_P(Operation, ProgramWithAGapChangesTheColumn) {
    Bench bench(config());
    TestOp program(FlashOpcode::program, at(0, 0, 0, 0));
    program.piece(0, 512, 0).piece(1024, 512, 512).with_spare(16);
    const Ps change = 3 * s.cycle + s.t_ccs;  // 85h-2A
    bench.expect_takes(program.op, 6 * s.cycle + s.t_adl + s.in(512) + change + s.in(512) + change +
                                       s.in(16) + s.cycle + s.t_wb + kProgram + s.status());
}

TEST_P(Operation, PaddingCrossesTheBusWithoutDram) {
    Bench bench(config());
    TestOp program(FlashOpcode::program, at(0, 0, 0, 0));
    program.piece(0, 2048, 0).piece(2048, 2048, FlashPiece::kPadding);
    bench.expect_takes(program.op, s.program(kPage) + kProgram + s.status());
    EXPECT_EQ(bench.dram.bytes_moved, 2048U);
}

TEST_P(Operation, ProgramOfTwoPlanes) {
    Bench bench(config());
    TestOp program(FlashOpcode::program, at(0, 0, 1, 0));
    program.plane(at(0, 1, 2, 0)).piece(0, kPage, 0, 0).piece(0, kPage, kPage, 1);
    bench.expect_takes(program.op, s.program(kPage) + kPlaneBusy + s.program(kPage) + kProgram + s.status());
}

TEST_P(Operation, EraseOfOneAndTwoPlanes) {
    Bench bench(config());
    TestOp one(FlashOpcode::erase, at(0, 0, 0, 0));
    bench.expect_takes(one.op, 5 * s.cycle + s.t_wb + kErase + s.status());
    TestOp two(FlashOpcode::erase, at(0, 0, 1, 0));
    two.plane(at(0, 1, 3, 0));
    bench.expect_takes(two.op, 9 * s.cycle + s.t_wb + kErase + s.status());
    EXPECT_EQ(bench.channel.array(hal::Die{0}).erase_count(at(0, 1, 3, 0)), 1U);
}

TEST_P(Operation, CopyBack) {
    Bench bench(config());
    bench.preset(at(0, 1, 0, 0));
    TestOp copy(FlashOpcode::copy_back, at(0, 1, 5, 0), Cause::gc);
    copy.op.source[0] = at(0, 1, 0, 0);
    bench.expect_takes(copy.op,
                       s.read_command() + kRead + 6 * s.cycle + s.cycle + s.t_wb + kProgram + s.status());
    EXPECT_EQ(bench.dram.accesses, 0U);
    const auto statistics = bench.channel.controller.statistics();
    EXPECT_EQ(statistics.reads[static_cast<std::size_t>(Cause::gc)], 1U);
    EXPECT_EQ(statistics.programs[static_cast<std::size_t>(Cause::gc)], 1U);
}

TEST_P(Operation, CopyBackOfTwoPlanes) {
    Bench bench(config());
    bench.preset(at(0, 0, 0, 0));
    bench.preset(at(0, 1, 0, 0));
    TestOp copy(FlashOpcode::copy_back, at(0, 0, 5, 0));
    copy.plane(at(0, 1, 6, 0));
    copy.op.source = {at(0, 0, 0, 0), at(0, 1, 0, 0)};
    const Ps half = 7 * s.cycle + s.t_wb;
    bench.expect_takes(copy.op,
                       half + kPlaneBusy + half + kRead + half + kPlaneBusy + half + kProgram + s.status());
}

INSTANTIATE_TEST_SUITE_P(Interfaces, Operation, testing::ValuesIn(kSheets),
                         [](const auto& sheet) { return std::string(sheet.param.name); });

TEST(SharedChipEnable, SelectsTheDieForStatusAndData) {
    NandConfig config = small_config(2);
    config.geometry.dies_per_way = 2;
    Bench bench(config);
    bench.preset(at(1, 0, 0, 0));
    const Sheet& s = kSdr5;
    TestOp read(FlashOpcode::read, at(1, 0, 0, 0));
    read.piece(0, kPage, 0);
    bench.expect_takes(read.op, s.read_command() + kRead + s.t_rr + s.select_plane() + s.out(kPage));
    TestOp erase(FlashOpcode::erase, at(1, 0, 1, 0));
    bench.expect_takes(erase.op, 5 * s.cycle + s.t_wb + kErase + s.status() + 3 * s.cycle);
}

struct WordLineCase {
    const char* name;
    NandCell cell;
    std::uint32_t pages;     ///< per block
    std::size_t times;       ///< number of times given
    std::string_view types;  ///< of the first pages: index of each page's time
};

void PrintTo(const WordLineCase& param, std::ostream* out) {
    *out << param.name;
}

class PagesOfAWordLine : public testing::TestWithParam<WordLineCase> {};

TEST_P(PagesOfAWordLine, TakeTheTimesOfTheirTypes) {
    constexpr std::array<Ps, 4> kReadTimes{40us, 65us, 90us, 140us};
    constexpr std::array<Ps, 4> kProgramTimes{500us, 1300us, 2000us, 3000us};
    const WordLineCase& c = GetParam();
    NandConfig config = small_config();
    config.cell = c.cell;
    config.geometry.pages = c.pages;
    config.timing.read.assign(kReadTimes.begin(), kReadTimes.begin() + c.times);
    config.timing.program.assign(kProgramTimes.begin(), kProgramTimes.begin() + c.times);
    Bench bench(config);
    const Sheet& s = kSdr5;
    for (unsigned page = 0; page < c.types.size(); ++page) {
        const auto type = static_cast<std::size_t>(c.types[page] - '0');
        TestOp program(FlashOpcode::program, at(0, 0, 0, page));
        program.piece(0, kPage, 0);
        bench.expect_takes(program.op, s.program(kPage) + kProgramTimes[type] + s.status());
        TestOp read(FlashOpcode::read, at(0, 0, 0, page));
        read.piece(0, kPage, 0);
        bench.expect_takes(read.op, s.read_command() + kReadTimes[type] + s.t_rr + s.out(kPage));
    }
}

// Of 8 pages with MLC the pairs are 0 and 2, 1 and 4, 3 and 6, 5 and 7.
INSTANTIATE_TEST_SUITE_P(Cells, PagesOfAWordLine,
                         testing::Values(WordLineCase{"by_times", NandCell::by_times, 7, 3, "0120120"},
                                         WordLineCase{"slc", NandCell::slc, 4, 1, "0000"},
                                         WordLineCase{"mlc", NandCell::mlc, 8, 2, "00101011"},
                                         WordLineCase{"mlc_of_four_pages", NandCell::mlc, 4, 2, "0011"},
                                         WordLineCase{"mlc_of_two_pages", NandCell::mlc, 2, 2, "01"},
                                         WordLineCase{"mlc_with_one_time", NandCell::mlc, 8, 1, "00000000"},
                                         WordLineCase{"tlc", NandCell::tlc, 9, 3, "012012012"},
                                         WordLineCase{"tlc_with_one_time", NandCell::tlc, 6, 1, "000000"},
                                         WordLineCase{"qlc", NandCell::qlc, 8, 4, "01230123"}),
                         [](const auto& of) { return std::string(of.param.name); });

TEST(CopyBack, TakesTheTimesOfItsTwoPages) {
    NandConfig config = small_config();
    config.cell = NandCell::mlc;
    config.geometry.pages = 8;
    config.timing.read = {40us, 65us};
    config.timing.program = {500us, 1300us};
    Bench bench(config);
    const Sheet& s = kSdr5;
    bench.preset(at(0, 0, 0, 0));
    bench.preset(at(0, 0, 0, 1));
    bench.preset(at(0, 0, 0, 2));
    TestOp copy(FlashOpcode::copy_back, at(0, 0, 1, 1));  // an upper page to a lower one
    copy.op.source[0] = at(0, 0, 0, 2);
    // 00h-5A-35h, tR; 85h-5A-10h, tPROG; 70h.
    bench.expect_takes(copy.op, 14 * s.cycle + 2 * s.t_wb + 65us + 500us + s.status());
}

TEST(Ecc, ParityCrossesTheBusAndThePipelineDecodes) {
    NandConfig config = small_config();
    config.ecc = EccConfig{1024, 112, 1000.0, 500.0, 200ns, 1us};
    Bench bench(config);
    const Sheet& s = kSdr5;
    // Encoding: 4 codewords of 1024 ns and the latency, before the first cycle.
    TestOp program(FlashOpcode::program, at(0, 0, 0, 0));
    program.piece(0, kPage, 0).with_ledger();
    bench.expect_takes(program.op, 4 * 1024ns + 200ns + s.program(4 * 1136) + kProgram + s.status());
    EXPECT_EQ(program.ledger[Stage::ecc], 4 * 1024ns + 200ns);
    // The bus (22.72 us per codeword) is slower than the decoder (2.048 us): only the last codeword counts.
    TestOp read(FlashOpcode::read, at(0, 0, 0, 0));
    read.piece(0, kPage, 0).with_ledger();
    bench.expect_takes(read.op, s.read_command() + kRead + s.t_rr + s.out(4 * 1136) + 2048ns + 1us);
    EXPECT_EQ(read.ledger[Stage::ecc], 3048ns);
    // 512 bytes need their whole codeword.
    TestOp half(FlashOpcode::read, at(0, 0, 0, 0));
    half.piece(1536, 512, 0);
    bench.expect_takes(half.op, s.read_command() + kRead + s.t_rr + s.out(1136) + 2048ns + 1us);
    EXPECT_EQ(bench.dram.bytes_moved, 2U * kPage + 512U);
    EXPECT_EQ(bench.channel.controller.statistics().decoder_busy, 5 * 2048ns);
}

TEST(Ecc, ASlowDecoderIsTheBottleneck) {
    NandConfig config = small_config();
    config.bus = {NandInterface::nv_ddr2, 8, {}};
    config.ecc = EccConfig{1024, 0, 1000.0, 100.0, 0ns, 1us};  // 10.24 us per codeword, on the bus 1.92
    Bench bench(config);
    bench.preset(at(0, 0, 0, 0));
    TestOp read(FlashOpcode::read, at(0, 0, 0, 0));
    read.piece(0, kPage, 0);
    const BusTiming& bus = bench.channel.controller.bus_timing();
    const Ps first = bus.out_overhead + Ps{1024 * 1'875};
    bench.expect_takes(read.op, 7 * 25ns + 100ns + kRead + 20ns + first + 4 * 10'240ns + 1us);
}

class DramTime : public testing::TestWithParam<bool> {};

TEST_P(DramTime, WaitAndTransferAreSplit) {
    Bench bench(small_config());
    bench.dram.answers_later = GetParam();
    bench.dram.byte_time = Ps{1000};
    bench.preset(at(0, 0, 0, 0));
    const Sheet& s = kSdr5;
    TestOp read(FlashOpcode::read, at(0, 0, 0, 0));
    read.piece(0, 1024, 0).piece(1024, 1024, 65536).with_ledger();
    bench.expect_takes(read.op, s.read_command() + kRead + s.t_rr + s.out(2048) + 2048ns);
    EXPECT_EQ(read.ledger[Stage::dram_transfer], 2048ns);
    EXPECT_EQ(read.ledger[Stage::dram_wait], 0ns);
    TestOp program(FlashOpcode::program, at(0, 0, 0, 1));
    program.piece(0, kPage, 0).with_ledger();
    bench.expect_takes(program.op, 4096ns + s.program(kPage) + kProgram + s.status());
    EXPECT_EQ(program.ledger[Stage::dram_transfer], 4096ns) << "the die was free: the data came late";
    // Two programs for one die: the data of the second arrives while it waits for the die.
    TestOp first(FlashOpcode::program, at(0, 0, 0, 2)), second(FlashOpcode::program, at(0, 0, 0, 3));
    first.piece(0, kPage, 0).with_ledger();
    second.piece(0, kPage, 0).with_ledger();
    bench.core.submit(first.op);
    bench.core.submit(second.op);
    bench.run_for(2ms);
    EXPECT_EQ(second.ledger[Stage::dram_transfer] + second.ledger[Stage::dram_wait], 0ns);
    const Ps alone = s.program(kPage) + kProgram + s.status();
    EXPECT_EQ(second.ledger[die_wait_for(hal::Holder::host)], 4096ns + alone);
    EXPECT_EQ(second.ledger.total(), 4096ns + 2 * alone);
}

INSTANTIATE_TEST_SUITE_P(AtOnceOrLater, DramTime, testing::Bool());

}  // namespace
}  // namespace solidtlm::hw
