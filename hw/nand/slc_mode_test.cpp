// SPDX-License-Identifier: Apache-2.0
//
// Blocks in SLC mode: their rules, times and wear.
#include <gtest/gtest.h>

#include <array>
#include <chrono>

#include "hw/nand/test_bench.h"
#include "hw/tlm/test_printing.h"

namespace solidtlm::hw {
namespace {

using namespace std::chrono_literals;
using namespace test;

/// Three pages per word line: blocks of 15 pages have 5 in SLC mode.
NandConfig tlc() {
    NandConfig config = small_config();
    config.cell = NandCell::tlc;
    config.geometry.pages = 15;
    config.timing.read = {40us, 65us, 90us};
    config.timing.program = {500us, 1300us, 2000us};
    config.slc.read = 30us;
    config.slc.program = 210us;
    return config;
}

NandArray array_of(const NandConfig& config) {
    return {config, hal::Channel{0}, hal::Die{0}};
}
FlashStatus program_in(NandArray& array, const FlashAddress& page, bool slc) {
    return array.program(page, {}, {}, slc);
}
FlashStatus read_in(NandArray& array, const FlashAddress& page, bool slc) {
    return array.read(page, {}, {}, {0, slc});
}

TEST(SlcMode, ABlockHasOnePageForEachWordLine) {
    NandArray array = array_of(tlc());
    EXPECT_EQ(program_in(array, at(0, 0, 3, 4), true), FlashStatus::ok);
    EXPECT_EQ(program_in(array, at(0, 0, 3, 5), true), FlashStatus::rule_violation);
    EXPECT_EQ(read_in(array, at(0, 0, 3, 5), true), FlashStatus::rule_violation);
    EXPECT_EQ(array.violations().count(Violation::bad_address), 2U);
}

TEST(SlcMode, TheFirstProgramDecidesUntilTheErase) {
    NandArray array = array_of(tlc());
    for (const bool slc : {true, false, true}) {
        EXPECT_EQ(program_in(array, at(0, 0, 3, 0), slc), FlashStatus::ok);
        EXPECT_EQ(array.in_slc_mode(at(0, 0, 3, 0)), slc);
        const std::uint64_t before = array.violations().count(Violation::bad_request);
        EXPECT_EQ(program_in(array, at(0, 0, 3, 1), !slc), FlashStatus::rule_violation);
        EXPECT_EQ(array.violations().count(Violation::bad_request), before + 1);
        EXPECT_EQ(program_in(array, at(0, 0, 3, 1), slc), FlashStatus::ok);
        EXPECT_EQ(array.erase(at(0, 0, 3, 0)), FlashStatus::ok);
        EXPECT_FALSE(array.in_slc_mode(at(0, 0, 3, 0)));
    }
}

TEST(SlcMode, AReadInTheOtherModeFindsNoData) {
    NandArray array = array_of(tlc());
    for (const bool slc : {true, false}) {
        EXPECT_EQ(read_in(array, at(0, 0, 3, 0), slc), FlashStatus::erased) << "nothing was programmed";
        EXPECT_EQ(program_in(array, at(0, 0, 3, 0), slc), FlashStatus::ok);
        EXPECT_EQ(read_in(array, at(0, 0, 3, 0), slc), FlashStatus::ok);
        EXPECT_EQ(read_in(array, at(0, 0, 3, 1), slc), FlashStatus::erased);
        EXPECT_EQ(read_in(array, at(0, 0, 3, 0), !slc), FlashStatus::uncorrectable);
        EXPECT_EQ(read_in(array, at(0, 0, 3, 1), !slc), FlashStatus::uncorrectable);
        EXPECT_EQ(array.erase(at(0, 0, 3, 0)), FlashStatus::ok);
        EXPECT_EQ(read_in(array, at(0, 0, 3, 0), !slc), FlashStatus::erased);
        array.tear_block(at(0, 0, 3, 0));
        EXPECT_EQ(read_in(array, at(0, 0, 3, 0), slc), FlashStatus::uncorrectable);
        EXPECT_EQ(read_in(array, at(0, 0, 3, 0), !slc), FlashStatus::uncorrectable);
        EXPECT_EQ(array.erase(at(0, 0, 3, 0)), FlashStatus::ok);
    }
    EXPECT_EQ(array.violations().total(), 0U);
}

TEST(SlcMode, CopyBackSensesTheSourceInItsMode) {
    NandArray array = array_of(tlc());
    EXPECT_EQ(program_in(array, at(0, 0, 3, 0), true), FlashStatus::ok);
    EXPECT_EQ(array.copy_back(at(0, 0, 3, 0), at(0, 0, 4, 0), {}, true, true), FlashStatus::ok);
    EXPECT_TRUE(array.in_slc_mode(at(0, 0, 4, 0)));
    EXPECT_EQ(array.copy_back(at(0, 0, 3, 0), at(0, 0, 5, 0), {}, false), FlashStatus::rule_violation);
    EXPECT_EQ(program_in(array, at(0, 0, 6, 0), false), FlashStatus::ok);
    EXPECT_EQ(array.copy_back(at(0, 0, 6, 0), at(0, 0, 5, 0), {}, true, true), FlashStatus::rule_violation);
    EXPECT_EQ(array.violations().count(Violation::bad_request), 2U);
    EXPECT_EQ(array.copy_back(at(0, 0, 3, 0), at(0, 0, 5, 0), {}, false, true), FlashStatus::ok);
    EXPECT_FALSE(array.in_slc_mode(at(0, 0, 5, 0)));
    EXPECT_EQ(array.violations().total(), 2U);
}

// With a wear of a quarter, four cycles in SLC mode wear a block as much as one in normal mode.
TEST(SlcMode, ItsCyclesWearLess) {
    NandConfig config = tlc();
    config.slc.wear = 0.25;
    config.rules.endurance_cycles = 2;
    NandArray array = array_of(config);
    for (int cycle = 0; cycle < 4; ++cycle) {
        EXPECT_EQ(program_in(array, at(0, 0, 3, 0), true), FlashStatus::ok);
        EXPECT_EQ(array.erase(at(0, 0, 3, 0)), FlashStatus::ok);
    }
    EXPECT_EQ(array.erase_count(at(0, 0, 3, 0)), 4U);
    EXPECT_DOUBLE_EQ(array.cycles(at(0, 0, 3, 0)), 1.0);
    EXPECT_EQ(array.erase(at(0, 0, 3, 0)), FlashStatus::ok);
    EXPECT_EQ(array.erase(at(0, 0, 3, 0)), FlashStatus::erase_failed)
        << "two cycles in normal mode's measure";
}

/// A copy from SLC mode to normal mode.
struct Fold : TestOp {
    Fold(const FlashAddress& from, const FlashAddress& to) : TestOp(FlashOpcode::copy_back, to, Cause::gc) {
        op.source[0] = from;
        op.source_slc = true;
    }
};

/// Number of wrong bits in 40 pages.
std::uint64_t raw_errors(double share, bool slc) {
    NandConfig config = tlc();
    config.ecc.codeword_bytes = 1024;
    config.faults.bit_errors = true;
    config.slc.bit_errors = share;
    NandArray array = array_of(config);
    const ReadSlice whole{0, kPage, nullptr};
    for (unsigned block = 0; block < 8; ++block) {
        for (unsigned page = 0; page < 5; ++page) {
            EXPECT_EQ(program_in(array, at(0, 0, block, page), slc), FlashStatus::ok);
            (void)array.read(at(0, 0, block, page), {&whole, 1}, {}, {0, slc});
        }
    }
    return array.faults()->statistics().raw_errors;
}

TEST(SlcMode, ItsPagesHaveFewerErrors) {
    const std::uint64_t normal = raw_errors(0.1, false);
    EXPECT_GT(normal, 1000U);
    EXPECT_EQ(raw_errors(1.0, true), normal);
    EXPECT_NEAR(static_cast<double>(raw_errors(0.1, true)), 0.1 * static_cast<double>(normal),
                0.02 * static_cast<double>(normal));
}

// DAh takes one cycle more; all pages of the word line take the same time.
TEST(SlcMode, TakesItsOwnTimes) {
    Bench bench(tlc());
    constexpr Ps kCycle = 20ns;
    for (unsigned page = 0; page < 5; ++page) {
        TestOp normal_program(FlashOpcode::program, at(0, 0, 1, page)),
            normal_read(FlashOpcode::read, at(0, 0, 1, page));
        TestOp slc_program(FlashOpcode::program, at(0, 0, 0, page)),
            slc_read(FlashOpcode::read, at(0, 0, 0, page));
        slc_program.op.slc = slc_read.op.slc = true;
        for (TestOp* op : {&normal_program, &normal_read, &slc_program, &slc_read}) {
            op->piece(0, kPage, 0);
        }
        const Ps program = bench.run(normal_program.op) - tlc().timing.program[page % 3];
        bench.expect_takes(slc_program.op, program + 210us + kCycle);
        const Ps read = bench.run(normal_read.op) - tlc().timing.read[page % 3];
        bench.expect_takes(slc_read.op, read + 30us + kCycle);
        EXPECT_EQ(slc_read.op.status, FlashStatus::ok);
    }
    const FlashControllerStatistics statistics = bench.channel.controller.statistics();
    EXPECT_EQ(statistics.slc_programs, 5U);
    EXPECT_EQ(statistics.slc_reads, 5U);
    EXPECT_EQ(statistics.programs[static_cast<std::size_t>(Cause::host)], 10U);
}

// A copy takes tR of the source's mode and tPROG of the target page, and a cycle for DAh before each half
// that is in SLC mode. Nothing goes to DRAM.
TEST(SlcMode, ACopyTakesTheTimesOfBothModes) {
    Bench bench(tlc());
    constexpr Ps kCycle = 20ns;
    for (unsigned page = 0; page < 5; ++page) {
        NandArray& array = bench.channel.array(hal::Die{0});
        EXPECT_EQ(program_in(array, at(0, 0, 0, page), false), FlashStatus::ok);
        EXPECT_EQ(program_in(array, at(0, 0, 1, page), true), FlashStatus::ok);
        const Ps t_prog = tlc().timing.program[page % 3];
        TestOp normal(FlashOpcode::copy_back, at(0, 0, 2, page), Cause::gc);
        normal.op.source[0] = at(0, 0, 0, page);
        const Ps cycles = bench.run(normal.op) - tlc().timing.read[page % 3] - t_prog;
        Fold fold(at(0, 0, 1, page), at(0, 0, 3, page));
        bench.expect_takes(fold.op, cycles + kCycle + 30us + t_prog);
        Fold slc(at(0, 0, 1, page), at(0, 0, 4, page));
        slc.op.slc = true;
        bench.expect_takes(slc.op, cycles + 2 * kCycle + 30us + 210us);
        EXPECT_EQ(read_in(array, at(0, 0, 3, page), false), FlashStatus::ok);
        EXPECT_EQ(read_in(array, at(0, 0, 4, page), true), FlashStatus::ok);
    }
    EXPECT_EQ(bench.dram.accesses, 0U);
    const FlashControllerStatistics statistics = bench.channel.controller.statistics();
    EXPECT_EQ(statistics.bytes_in + statistics.bytes_out, 0U);
    EXPECT_EQ(statistics.reads[static_cast<std::size_t>(Cause::gc)], 15U);
    EXPECT_EQ(statistics.slc_reads, 10U);
    EXPECT_EQ(statistics.slc_programs, 5U);
}

// A copy has the errors of its own page and, uncorrected, those of its source: 1 + 0.5 times as many.
TEST(SlcMode, ACopyKeepsTheErrorsOfItsSource) {
    NandConfig config = tlc();
    config.ecc.codeword_bytes = 1024;
    config.faults.bit_errors = true;
    config.slc.bit_errors = 0.5;
    const ReadSlice whole{0, kPage, nullptr};
    std::array<std::uint64_t, 2> errors{};
    for (const bool copied : {false, true}) {
        NandArray array = array_of(config);
        for (unsigned block = 0; block < 4; ++block) {
            for (unsigned page = 0; page < 5; ++page) {
                const FlashAddress to = at(0, 0, 4 + block, page);
                EXPECT_EQ(program_in(array, at(0, 0, block, page), true), FlashStatus::ok);
                EXPECT_EQ(copied ? array.copy_back(at(0, 0, block, page), to, {}, false, true)
                                 : program_in(array, to, false),
                          FlashStatus::ok);
                (void)array.read(to, {&whole, 1}, {});
            }
        }
        errors[copied ? 1 : 0] = array.faults()->statistics().raw_errors;
    }
    EXPECT_GT(errors[0], 500U);
    EXPECT_NEAR(static_cast<double>(errors[1]), 1.5 * static_cast<double>(errors[0]),
                0.1 * static_cast<double>(errors[0]));
}

// During tPROG of a copy: the copy is torn, and its source can still be read.
TEST(SlcMode, APowerCutTearsACopyAndNotItsSource) {
    Bench bench(tlc());
    NandArray& array = bench.channel.array(hal::Die{0});
    EXPECT_EQ(program_in(array, at(0, 0, 0, 0), true), FlashStatus::ok);
    Fold fold(at(0, 0, 0, 0), at(0, 0, 1, 0));
    bench.core.submit(fold.op);
    bench.run_for(200us);
    bench.power_cut();
    EXPECT_TRUE(array.torn(at(0, 0, 1, 0)));
    EXPECT_EQ(read_in(array, at(0, 0, 1, 0), false), FlashStatus::uncorrectable);
    EXPECT_EQ(read_in(array, at(0, 0, 0, 0), true), FlashStatus::ok);
}

// A program in SLC mode that loses power leaves the block in SLC mode.
TEST(SlcMode, APowerCutTearsItsPage) {
    Bench bench(tlc());
    TestOp program(FlashOpcode::program, at(0, 0, 0, 0));
    program.op.slc = true;
    program.piece(0, kPage, 0);
    bench.core.submit(program.op);
    bench.run_for(200us);
    bench.power_cut();
    NandArray& array = bench.channel.array(hal::Die{0});
    EXPECT_TRUE(array.torn(at(0, 0, 0, 0)));
    EXPECT_EQ(read_in(array, at(0, 0, 0, 0), true), FlashStatus::uncorrectable);
    EXPECT_EQ(read_in(array, at(0, 0, 0, 1), true), FlashStatus::erased);
}

}  // namespace
}  // namespace solidtlm::hw
