// SPDX-License-Identifier: Apache-2.0
#include "hw/sata/link_power.h"

#include <gtest/gtest.h>

#include <chrono>

#include "hw/sata/device_fixture.h"
#include "hw/sata/identify.h"

namespace solidtlm::hw::test {
namespace {

using namespace std::chrono_literals;

constexpr Ps kPartialExit = 7us;
constexpr Ps kSlumberExit = 3ms;

SataConfig sleeping(Ps partial_after, Ps slumber_after, Ps devsleep_after = Ps{0}) {
    SataConfig config;
    config.power[0] = {partial_after, kPartialExit};
    config.power[1] = {slumber_after, kSlumberExit};
    config.power[2].after = devsleep_after;
    return config;
}

TEST(LinkPower, TheTimeWithoutAFrameDecidesHowDeeplyTheLinkSleeps) {
    LinkPower power(sleeping(10us, 0us, 100us).power);
    EXPECT_TRUE(power.any());
    EXPECT_EQ(power.wake(1us, 10us), 0us) << "9 us";
    EXPECT_EQ(power.slept().wakeups, 0U);
    EXPECT_EQ(power.wake(20us, 30us), kPartialExit) << "10 us: it has just fallen asleep";
    EXPECT_EQ(power.wake(100us, 199us), kPartialExit) << "89 us of sleep";
    EXPECT_EQ(power.wake(200us, 350us), 20ms) << "90 us of Partial, 50 us of DevSleep";
    EXPECT_EQ(power.slept().wakeups, 3U);
    EXPECT_EQ(power.slept().asleep, (std::array<Ps, 3>{179us, 0us, 50us}));
    EXPECT_EQ(power.slept_until(1ms, 2ms).asleep, (std::array<Ps, 3>{269us, 0us, 950us}));
    EXPECT_FALSE(LinkPower(SataConfig{}.power).any());
}

class LinkPowerOfADrive : public DeviceTest {
  protected:
    void start_asleep(const SataConfig& settings) {
        start(settings);  // and 1 ms without a command
        link->sleep_if([this] { return device->outstanding() == 0; });
        frame_ = link->frame_time(20);  // of a Register FIS of either direction
    }
    Ps frame_{0};
};

// The command that wakes the link waits for it. While it is outstanding the link does not sleep, although no
// frame comes for 500 us.
TEST_F(LinkPowerOfADrive, TheFirstCommandWaitsAndItsStatusDoesNot) {
    start_asleep(sleeping(10us, 0us));
    firmware->delay = 500us;
    hal::Ledger ledger;
    ledger.start(hal::Stage::host_queue, now());
    const Ps begin = now();
    host->send(encode(plain(Opcode::flush_cache)), nullptr, 0, &ledger);
    run();
    ASSERT_EQ(host->types(), Types{FisType::register_d2h});
    EXPECT_EQ(host->frames[0].at, begin + kPartialExit + frame_ + 500us + frame_);
    EXPECT_EQ(ledger[hal::Stage::link_wake], kPartialExit);
    EXPECT_EQ(ledger[hal::Stage::link_transfer], frame_) << "of the command; its status is its completion";
    const LinkSleep sleep = link->statistics().sleep.value();
    EXPECT_EQ(sleep.wakeups, 1U);
    // since the signature until the command, and since its status until now
    EXPECT_EQ(sleep.asleep[0], (begin - signature.back().at - 10us) + (now() - host->frames[0].at - 10us));
}

TEST_F(LinkPowerOfADrive, CommandsThatComeWhileItWakesWaitForIt) {
    start_asleep(sleeping(10us, 200us));
    const Ps begin = now();
    send(ncq(Opcode::read_fpdma_queued, 0, 0, 1));
    run(1);  // us
    send(ncq(Opcode::read_fpdma_queued, 1, 8, 1));
    run(10'000);
    EXPECT_EQ(link->statistics().sleep->wakeups, 1U);
    ASSERT_EQ(firmware->seen.size(), 2U);
    ASSERT_GE(host->sent_at.size(), 2U);
    EXPECT_EQ(host->sent_at[0], begin + kSlumberExit + frame_);
    EXPECT_EQ(device->outstanding(), 0U);
}

TEST_F(LinkPowerOfADrive, PowerCutsAndComresetNeedNoWaking) {
    start_asleep(sleeping(10us, 0us));
    const Ps before = now();
    link->end_sleep();
    device->power_cut();
    link->power_cut();
    checkers.power_cut();
    device->power_on();
    run();
    ASSERT_EQ(host->types(), Types{FisType::register_d2h});
    EXPECT_EQ(host->frames[0].at, before + frame_) << "the signature";
    EXPECT_EQ(link->statistics().sleep->wakeups, 0U);
    host->frames.clear();
    host->signal(LinkSignal::comreset);
    run();
    const Ps ready = now();
    host->signal(LinkSignal::phy_ready);
    run();
    ASSERT_EQ(host->types(), Types{FisType::register_d2h});
    EXPECT_EQ(host->frames[0].at, ready + frame_);
    EXPECT_EQ(link->statistics().sleep->wakeups, 0U);
}

// Serial ATA 3.x, IDENTIFY DEVICE: word 76 bit 9, host-initiated power management; words 78 and 79 bit 8,
// DevSleep supported and enabled.
TEST(LinkPower, IdentifyNamesTheStates) {
    const auto word = [](const SataConfig& config, std::size_t index) {
        const LogPage page = identify_data(config, IdentifyState{});
        return std::to_integer<unsigned>(page[2 * index]) | std::to_integer<unsigned>(page[2 * index + 1])
                                                                << 8U;
    };
    const SataConfig usual;
    const SataConfig light = sleeping(1ms, 0us);
    const SataConfig deep = sleeping(0us, 0us, 1ms);
    EXPECT_EQ(word(light, 76), word(usual, 76) | 0x200U);
    EXPECT_EQ(word(sleeping(0us, 1ms), 76), word(light, 76));
    EXPECT_EQ(word(light, 78), word(usual, 78));
    EXPECT_EQ(word(deep, 76), word(usual, 76));
    EXPECT_EQ(word(deep, 78), word(usual, 78) | 0x100U);
    EXPECT_EQ(word(deep, 79), word(usual, 79) | 0x100U);
}

}  // namespace
}  // namespace solidtlm::hw::test
