// SPDX-License-Identifier: Apache-2.0
//
// The effects of a power cut during a program (nand.power_cut), and what a capacitor saves. Word lines are
// worked by hand: of 8 pages with MLC the pairs are 0 and 2, 1 and 4, 3 and 6, 5 and 7.
#include <gtest/gtest.h>

#include <algorithm>
#include <string>

#include "hw/nand/one_die.h"

namespace solidtlm::hw {
namespace {

using namespace std::chrono_literals;
using namespace test;

NandConfig cells(NandCell cell, std::uint32_t pages) {
    NandConfig config = small_config();
    config.cell = cell;
    config.geometry.pages = pages;
    config.power_cut = NandPowerCut::word_line;
    return config;
}

struct Cut {
    const char* name;
    NandCell cell;
    std::uint32_t pages;   ///< per block
    std::uint32_t page;    ///< the page being programmed; earlier pages have been programmed
    const char* expected;  ///< state of the pages up to this one: x torn, . readable
};

void PrintTo(const Cut& cut, std::ostream* out) {
    *out << cut.name;
}

class PowerCutDuringAProgram : public testing::TestWithParam<Cut> {
  protected:
    /// The states of the pages after the cut.
    static std::string torn_after(NandArray& array, std::uint32_t page, bool slc) {
        for (std::uint32_t each = 0; each <= page; ++each) {
            EXPECT_EQ(array.program(at(0, 0, 1, each), {}, {}, slc), FlashStatus::ok);
        }
        array.interrupt_program(at(0, 0, 1, page));
        std::string torn;
        for (std::uint32_t each = 0; each <= page; ++each) {
            const FlashStatus status = array.read(at(0, 0, 1, each), {}, {}, {0, slc});
            EXPECT_EQ(status, array.torn(at(0, 0, 1, each)) ? FlashStatus::uncorrectable : FlashStatus::ok);
            torn += status == FlashStatus::uncorrectable ? 'x' : '.';
        }
        return torn;
    }
};

TEST_P(PowerCutDuringAProgram, DestroysTheEarlierPagesOfItsWordLine) {
    const Cut& cut = GetParam();
    NandArray array(cells(cut.cell, cut.pages), hal::Channel{0}, hal::Die{0});
    EXPECT_EQ(torn_after(array, cut.page, false), cut.expected);
    EXPECT_EQ(array.erase(at(0, 0, 1, 0)), FlashStatus::ok);
    EXPECT_EQ(array.program(at(0, 0, 1, 0), {}, {}), FlashStatus::ok);
    EXPECT_EQ(array.read(at(0, 0, 1, 0), {}, {}), FlashStatus::ok) << "the erase has healed it";
    EXPECT_EQ(array.violations().total(), 0U);
}

TEST_P(PowerCutDuringAProgram, DestroysOnlyThatPageOtherwise) {
    const Cut& cut = GetParam();
    NandConfig config = cells(cut.cell, cut.pages);
    config.power_cut = NandPowerCut::page;
    NandArray array(config, hal::Channel{0}, hal::Die{0});
    EXPECT_EQ(torn_after(array, cut.page, false), std::string(cut.page, '.') + 'x');
}

TEST_P(PowerCutDuringAProgram, DestroysOnePageInSlcMode) {
    const Cut& cut = GetParam();
    NandArray array(cells(cut.cell, cut.pages), hal::Channel{0}, hal::Die{0});
    const std::uint32_t page = std::min(cut.page, word_lines(cells(cut.cell, cut.pages)) - 1);
    EXPECT_EQ(torn_after(array, page, true), std::string(page, '.') + 'x');
}

INSTANTIATE_TEST_SUITE_P(Cells, PowerCutDuringAProgram,
                         testing::Values(Cut{"slc", NandCell::slc, 4, 3, "...x"},
                                         Cut{"mlc_lower", NandCell::mlc, 8, 3, "...x"},
                                         Cut{"mlc_first", NandCell::mlc, 8, 2, "x.x"},
                                         Cut{"mlc_second", NandCell::mlc, 8, 4, ".x..x"},
                                         Cut{"mlc_third", NandCell::mlc, 8, 6, "...x..x"},
                                         Cut{"mlc_last", NandCell::mlc, 8, 7, ".....x.x"},
                                         Cut{"mlc_of_two_pages", NandCell::mlc, 2, 1, "xx"},
                                         Cut{"mlc_of_four_pages", NandCell::mlc, 4, 3, ".x.x"},
                                         Cut{"tlc_lower", NandCell::tlc, 9, 3, "...x"},
                                         Cut{"tlc_middle", NandCell::tlc, 9, 4, "...xx"},
                                         Cut{"tlc_upper", NandCell::tlc, 9, 5, "...xxx"},
                                         Cut{"qlc_top", NandCell::qlc, 8, 7, "....xxxx"}),
                         [](const auto& of) { return std::string(of.param.name); });

NandConfig tlc_die() {
    NandConfig config = cells(NandCell::tlc, 9);
    config.timing.suspend = 20us;
    return config;
}

struct PowerCutOfADie : testing::Test {
    /// Programs page 0, then page 1, and stops in the middle of the second program, at 300 us.
    void program_two_pages() {
        one.send(NandCommand::program, lower.op);
        one.send(NandCommand::program, middle.op, 200us);
        sc_core::sc_start(300, sc_core::SC_US);
    }
    FlashStatus read(std::uint32_t page) { return one.die.array().read_page(at(0, 0, 0, page), {}, {}); }

    PowerCutOfADie() { sc_core::sc_start(sc_core::SC_ZERO_TIME); }
    OneDie one{"one", tlc_die()};
    TestOp lower{FlashOpcode::program, at(0, 0, 0, 0)};
    TestOp middle{FlashOpcode::program, at(0, 0, 0, 1)};
};

// A program takes 200 us.
TEST_F(PowerCutOfADie, DestroysTheWordLineBeingProgrammed) {
    program_two_pages();
    one.die.power_cut();
    EXPECT_EQ(read(0), FlashStatus::uncorrectable);
    EXPECT_EQ(read(1), FlashStatus::uncorrectable);
    EXPECT_EQ(read(2), FlashStatus::erased);
}

TEST_F(PowerCutOfADie, DestroysNothingBetweenTwoPrograms) {
    one.send(NandCommand::program, lower.op);
    sc_core::sc_start(200, sc_core::SC_US);
    one.die.power_cut();
    EXPECT_EQ(read(0), FlashStatus::ok);
}

// At 300 us, a program that began at 200 us needs 100 us more.
TEST_F(PowerCutOfADie, DestroysNothingIfACapacitorLastsLongEnough) {
    program_two_pages();
    const CapacitorUse use = one.die.finish_program();
    EXPECT_EQ(use.pages, 1U);
    EXPECT_EQ(use.time, 100us);
    EXPECT_EQ(one.die.finish_program().pages, 0U) << "it has ended";
    one.die.power_cut();
    EXPECT_EQ(read(0), FlashStatus::ok);
    EXPECT_EQ(read(1), FlashStatus::ok);
}

// A program that was suspended 50 us after its begin needs the time to resume and 150 us more.
TEST_F(PowerCutOfADie, DestroysNothingOfASuspendedProgramWithACapacitor) {
    TestOp pausing(FlashOpcode::read, at(0, 0, 1, 0));
    one.send(NandCommand::program, lower.op);
    one.send(NandCommand::suspend, pausing.op, 50us);
    sc_core::sc_start(400, sc_core::SC_US);
    const CapacitorUse use = one.die.finish_program();
    EXPECT_EQ(use.pages, 1U);
    EXPECT_EQ(use.time, 20us + 150us);
    one.die.power_cut();
    EXPECT_EQ(read(0), FlashStatus::ok);
}

TEST_F(PowerCutOfADie, TearsABlockThatIsBeingErasedDespiteACapacitor) {
    TestOp erase(FlashOpcode::erase, at(0, 0, 0, 0));
    one.send(NandCommand::erase, erase.op);
    EXPECT_EQ(one.die.finish_program().pages, 0U);
    one.die.power_cut();
    EXPECT_EQ(read(0), FlashStatus::uncorrectable);
}

}  // namespace
}  // namespace solidtlm::hw
