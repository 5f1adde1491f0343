// SPDX-License-Identifier: Apache-2.0
#include "fw/hal/ledger.h"

#include <gtest/gtest.h>

namespace solidtlm::hal {
namespace {

HolderTimes held(Ps host, Ps gc) {
    HolderTimes times{};
    times[static_cast<std::size_t>(Holder::host)] = host;
    times[static_cast<std::size_t>(Holder::gc)] = gc;
    return times;
}

TEST(Ledger, AJoinedBranchAccountsForEveryInstant) {
    Ledger trunk;
    trunk.start(Stage::host_queue, Ps{100});
    trunk.enter(Stage::firmware_execute, Ps{150});
    Ledger branch;
    branch.start(Stage::firmware_execute, Ps{180});
    branch.enter(Stage::array, Ps{200});
    branch.enter(Stage::firmware_wait, Ps{900});
    trunk.join(branch, Stage::firmware_wait);
    trunk.enter(Stage::completion, Ps{1000});
    EXPECT_EQ(trunk.total(), Ps{900});
    EXPECT_EQ(trunk[Stage::host_queue], Ps{50});
    EXPECT_EQ(trunk[Stage::firmware_execute], Ps{50});
    EXPECT_EQ(trunk[Stage::array], Ps{700});
    EXPECT_EQ(trunk[Stage::firmware_wait], Ps{100});
}

TEST(Ledger, AnInterruptTakesBackStagesMarkedAhead) {
    Ledger ledger;
    ledger.start(Stage::firmware_wait, Ps{0});
    ledger.enter(Stage::dram_wait, Ps{100});
    ledger.enter(Stage::dram_transfer, Ps{130});  // expected at instant 100
    ledger.enter(Stage::firmware_execute, Ps{150});
    ledger.interrupt(Stage::host_queue, Ps{110});  // but then the command is aborted
    ledger.enter(Stage::completion, Ps{400});
    EXPECT_EQ(ledger[Stage::firmware_wait], Ps{100});
    EXPECT_EQ(ledger[Stage::dram_wait], Ps{10});
    EXPECT_EQ(ledger[Stage::dram_transfer], Ps{0});
    EXPECT_EQ(ledger[Stage::host_queue], Ps{290});
    EXPECT_EQ(ledger.total(), Ps{400});
}

TEST(Ledger, AWaitIsSplitByTheHoldersOfTheResource) {
    HolderClock die;
    die.take(Holder::gc, Ps{0});
    Ledger ledger;
    ledger.start(Stage::die_wait, Ps{40});
    const HolderTimes before = die.snapshot(Ps{40});
    die.release(Ps{100});
    die.take(Holder::erase, Ps{100});
    die.release(Ps{400});
    ledger.close_wait(Stage::die_wait, before, die.snapshot(Ps{400}), Stage::array, Ps{400});
    EXPECT_EQ(ledger[die_wait_for(Holder::gc)], Ps{60});
    EXPECT_EQ(ledger[die_wait_for(Holder::erase)], Ps{300});
    EXPECT_EQ(ledger.total(), Ps{360});
}

// 10 executing, 20 waiting for a die, closed ahead of time; the command is aborted 5 before the end.
TEST(Ledger, AnInterruptTakesBackFromTheWaitThatWasClosedLast) {
    Ledger ledger;
    ledger.start(Stage::firmware_execute, Ps{0});
    ledger.enter(Stage::die_wait, Ps{10});
    ledger.close_wait(Stage::die_wait, held(Ps{100}, Ps{0}), held(Ps{100}, Ps{20}), Stage::channel_transfer,
                      Ps{30});
    ledger.interrupt(Stage::host_queue, Ps{25});
    EXPECT_EQ(ledger[Stage::firmware_execute], Ps{10});
    EXPECT_EQ(ledger[die_wait_for(Holder::gc)], Ps{15});
    EXPECT_EQ(ledger.total(), Ps{25});
}

// A wait that two holders share is taken back from both before any other stage.
TEST(Ledger, AnInterruptTakesBackFromAllHoldersOfTheWait) {
    Ledger ledger;
    ledger.start(Stage::channel_wait, Ps{0});
    ledger.close_wait(Stage::channel_wait, {}, held(Ps{7}, Ps{0}), Stage::channel_transfer, Ps{7});
    ledger.enter(Stage::die_wait, Ps{10});
    ledger.close_wait(Stage::die_wait, held(Ps{100}, Ps{0}), held(Ps{108}, Ps{12}), Stage::array, Ps{30});
    ledger.interrupt(Stage::host_queue, Ps{11});
    EXPECT_EQ(ledger[channel_wait_for(Holder::host)], Ps{7});
    EXPECT_EQ(ledger[Stage::channel_transfer], Ps{3});
    EXPECT_EQ(ledger[die_wait_for(Holder::host)] + ledger[die_wait_for(Holder::gc)], Ps{1});
    EXPECT_EQ(ledger.total(), Ps{11});
}

// A die that was granted at once caused no wait.
TEST(Ledger, NothingIsTakenBackFromAWaitOfNoTime) {
    Ledger ledger;
    ledger.start(Stage::die_wait, Ps{0});
    ledger.close_wait(Stage::die_wait, {}, held(Ps{10}, Ps{0}), Stage::array, Ps{10});
    ledger.enter(Stage::die_wait, Ps{30});
    ledger.close_wait(Stage::die_wait, held(Ps{10}, Ps{0}), held(Ps{10}, Ps{0}), Stage::array, Ps{30});
    ledger.interrupt(Stage::host_queue, Ps{25});
    EXPECT_EQ(ledger[die_wait_for(Holder::host)], Ps{10});
    EXPECT_EQ(ledger[Stage::array], Ps{15});
}

// The branch's last stage was marked ahead of time; the trunk's stages before the fork stay.
TEST(Ledger, AnInterruptAfterAJoinTakesBackFromTheBranch) {
    Ledger trunk;
    trunk.start(Stage::firmware_execute, Ps{0});
    Ledger branch;
    branch.start(Stage::dram_wait, Ps{10});
    branch.enter(Stage::dram_transfer, Ps{14});
    branch.enter(Stage::firmware_wait, Ps{30});
    trunk.join(branch, Stage::firmware_wait);
    trunk.interrupt(Stage::host_queue, Ps{20});
    EXPECT_EQ(trunk[Stage::firmware_execute], Ps{10});
    EXPECT_EQ(trunk[Stage::dram_wait], Ps{4});
    EXPECT_EQ(trunk[Stage::dram_transfer], Ps{6});
    EXPECT_EQ(trunk.total(), Ps{20});
}

}  // namespace
}  // namespace solidtlm::hal
