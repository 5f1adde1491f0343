// SPDX-License-Identifier: Apache-2.0
//
// The die by itself: rules about time, status register, suspension, power.
#include "hw/nand/die.h"

#include <gtest/gtest.h>

#include "hw/nand/one_die.h"

namespace solidtlm::hw {
namespace {

using namespace std::chrono_literals;
using namespace test;

NandConfig config() {
    NandConfig config = small_config();
    config.timing.plane_busy = 1us;
    config.timing.suspend = 20us;
    return config;
}

TEST(Die, IsBusyUntilThePicosecondItIsReady) {
    OneDie driver("driver", config());
    sc_core::sc_start(sc_core::SC_ZERO_TIME);
    TestOp program(FlashOpcode::program, at(0, 0, 0, 0)), early(FlashOpcode::read, at(0, 0, 0, 0)),
        late(FlashOpcode::read, at(0, 0, 0, 0));
    EXPECT_EQ(driver.send(NandCommand::program, program.op), 200us);
    EXPECT_EQ(driver.send(NandCommand::read, early.op, 200us - Ps{1}), Ps{1})
        << "still the program's busy time";
    EXPECT_EQ(early.op.status, FlashStatus::rule_violation);
    EXPECT_EQ(driver.die.array().violations().count(Violation::die_busy), 1U);
    EXPECT_EQ(driver.send(NandCommand::read, late.op, 200us), 25us);
    EXPECT_EQ(late.op.status, FlashStatus::ok);
}

TEST(Die, PlanesThatReadIndependentlyAreBusyByThemselves) {
    NandConfig alone = config();
    alone.plane_reads = NandPlaneReads::independent;
    OneDie driver("driver", alone);
    sc_core::sc_start(sc_core::SC_ZERO_TIME);
    driver.die.array().program_page(at(0, 0, 1, 0), {}, {});
    driver.die.array().program_page(at(0, 1, 2, 0), {}, {});
    TestOp left(FlashOpcode::read, at(0, 0, 1, 0)), right(FlashOpcode::read, at(0, 1, 2, 0)),
        again(FlashOpcode::read, at(0, 0, 1, 0)), both(FlashOpcode::read, at(0, 0, 1, 0)),
        program(FlashOpcode::program, at(0, 1, 0, 0));
    both.plane(at(0, 1, 2, 0));
    EXPECT_EQ(driver.send(NandCommand::read, left.op), 25us);
    EXPECT_EQ(driver.send(NandCommand::read, right.op, 10us), 25us);
    EXPECT_EQ(driver.die.ready_at(), now() + 35us) << "R/B# of the die";
    driver.send(NandCommand::read, again.op, 25us - Ps{1});
    EXPECT_EQ(again.op.status, FlashStatus::rule_violation);
    EXPECT_EQ(driver.send(NandCommand::read, again.op, 25us), 25us);
    EXPECT_EQ(again.op.status, FlashStatus::ok);
    for (const auto& [command, op] :
         {std::pair{NandCommand::read, &both}, std::pair{NandCommand::program, &program}}) {
        driver.send(command, op->op, 50us - Ps{1});
        EXPECT_EQ(op->op.status, FlashStatus::rule_violation) << "another plane is busy";
    }
    EXPECT_EQ(driver.send(NandCommand::read, both.op, 50us), 25us);
    EXPECT_EQ(driver.send(NandCommand::read, right.op, 75us - Ps{1}), Ps{1}) << "both planes are busy";
    EXPECT_EQ(right.op.status, FlashStatus::rule_violation);
}

// 200 us and 1.5 ms, 4 % less and 30 % more per thousand cycles; every block begins with 2,000 cycles.
TEST(Die, TimesChangeWithWear) {
    NandConfig worn = config();
    worn.timing.program_wear = -0.04;
    worn.timing.erase_wear = 0.3;
    worn.faults.cycles = 2000;
    OneDie driver("driver", worn);
    sc_core::sc_start(sc_core::SC_ZERO_TIME);
    const auto wait = [&driver](NandCommand command, FlashOp& op) {
        const Ps busy = driver.send(command, op);
        sc_core::sc_start(to_sc_time(busy));
        return busy;
    };
    TestOp program(FlashOpcode::program, at(0, 0, 0, 0)), erase(FlashOpcode::erase, at(0, 0, 0, 0)),
        again(FlashOpcode::program, at(0, 0, 0, 0)), two(FlashOpcode::erase, at(0, 0, 0, 0));
    EXPECT_EQ(wait(NandCommand::program, program.op), 184us);
    EXPECT_EQ(wait(NandCommand::erase, erase.op), 2'400us);
    EXPECT_EQ(wait(NandCommand::program, again.op), Ps{183'992'000}) << "2,001 cycles";
    two.plane(at(0, 1, 0, 0));
    EXPECT_EQ(wait(NandCommand::erase, two.op), Ps{2'400'450'000}) << "2,001 cycles and 2,000: the slower";
}

// Each cycle makes programs faster, but they never take zero time.
TEST(Die, ATimeDoesNotShrinkToNothing) {
    NandConfig worn = config();
    worn.timing.program_wear = -1.0;
    worn.faults.cycles = 5000;
    OneDie driver("driver", worn);
    sc_core::sc_start(sc_core::SC_ZERO_TIME);
    TestOp program(FlashOpcode::program, at(0, 0, 0, 0));
    EXPECT_EQ(driver.send(NandCommand::program, program.op), Ps{1});
}

TEST(Die, StatusRegisterFollowsReadyAndFail) {
    NandConfig with_bad = config();
    with_bad.bad_blocks = NandBadBlocks{0.2, 3};
    OneDie driver("driver", with_bad);
    sc_core::sc_start(sc_core::SC_ZERO_TIME);
    unsigned good = 0, bad = 0;
    while (driver.die.array().is_factory_bad(at(0, 0, good, 0))) {
        ++good;
    }
    while (!driver.die.array().is_factory_bad(at(0, bad / 8, bad % 8, 0))) {
        ++bad;
        ASSERT_LT(bad, 16U) << "choose another seed";
    }
    TestOp ok(FlashOpcode::program, at(0, 0, good, 0)),
        failing(FlashOpcode::program, at(0, bad / 8, bad % 8, 0));
    const unsigned ready = kStatusReady | kStatusArrayReady | kStatusUnprotected;
    driver.send(NandCommand::status, ok.op);
    EXPECT_EQ(driver.status, ready);
    driver.send(NandCommand::program, ok.op);
    EXPECT_EQ(driver.die.status_register(now() + 200us - Ps{1}), kStatusUnprotected);
    EXPECT_EQ(driver.die.status_register(now() + 200us), ready);
    driver.send(NandCommand::program, failing.op, 200us);
    EXPECT_EQ(failing.op.status, FlashStatus::program_failed);
    EXPECT_EQ(driver.die.status_register(now() + 400us), ready | kStatusFail);
}

TEST(Die, ASuspendedOperationKeepsItsRemainingTime) {
    OneDie driver("driver", config());
    sc_core::sc_start(sc_core::SC_ZERO_TIME);
    TestOp erase(FlashOpcode::erase, at(0, 0, 1, 0)), read(FlashOpcode::read, at(0, 0, 0, 0)),
        program(FlashOpcode::program, at(0, 0, 0, 1));
    driver.die.array().program_page(at(0, 0, 0, 0), {}, {});
    driver.send(NandCommand::erase, erase.op);
    EXPECT_EQ(driver.send(NandCommand::suspend, read.op, 500us), 20us);
    EXPECT_EQ(driver.send(NandCommand::read, read.op, 520us), 25us);
    EXPECT_EQ(read.op.status, FlashStatus::ok);
    driver.send(NandCommand::program, program.op, 545us);
    EXPECT_EQ(program.op.status, FlashStatus::rule_violation) << "only reads while suspended";
    EXPECT_EQ(driver.send(NandCommand::resume, erase.op, 600us), 20us + 1000us);
    EXPECT_FALSE(driver.die.suspended());
}

TEST(Die, APowerCutTearsTheRunningOperation) {
    OneDie driver("driver", config());
    sc_core::sc_start(sc_core::SC_ZERO_TIME);
    TestOp done(FlashOpcode::program, at(0, 0, 0, 0)), running(FlashOpcode::program, at(0, 0, 0, 1));
    driver.send(NandCommand::program, done.op);
    driver.send(NandCommand::program, running.op, 200us);
    sc_core::sc_start(300, sc_core::SC_US);
    driver.die.power_cut();
    NandArray& array = driver.die.array();
    EXPECT_EQ(array.read_page(at(0, 0, 0, 0), {}, {}), FlashStatus::ok);
    EXPECT_EQ(array.read_page(at(0, 0, 0, 1), {}, {}), FlashStatus::uncorrectable);
    EXPECT_LE(driver.die.ready_at(), now());
    TestOp erase(FlashOpcode::erase, at(0, 0, 0, 0));
    driver.send(NandCommand::erase, erase.op);
    driver.die.power_cut();
    EXPECT_EQ(array.read_page(at(0, 0, 0, 9), {}, {}), FlashStatus::uncorrectable) << "half erased";
    EXPECT_EQ(driver.send(NandCommand::erase, erase.op), 1500us);
    EXPECT_EQ(array.read_page(at(0, 0, 0, 0), {}, {}), FlashStatus::erased);
}

}  // namespace
}  // namespace solidtlm::hw
