// SPDX-License-Identifier: Apache-2.0
//
// Tests of the Power Management feature set on the wire (ACS-3 4.18): CHECK POWER MODE (E5h), IDLE (E3h),
// IDLE IMMEDIATE (E1h), STANDBY (E2h), STANDBY IMMEDIATE (E0h), SLEEP (E6h), and the Standby timer.
#include <gtest/gtest.h>

#include <array>
#include <optional>

#include "hw/sata/device_fixture.h"
#include "hw/sata/power_mode.h"

namespace solidtlm::hw::test {
namespace {

using namespace std::chrono_literals;

// ACS-3, IDLE: the table of Standby timer periods.
TEST(StandbyPeriod, TableOfTheStandard) {
    EXPECT_EQ(standby_period(0x00), Ps{0}) << "off";
    EXPECT_EQ(standby_period(0x01), Ps{5s});
    EXPECT_EQ(standby_period(12), Ps{60s}) << "hdparm -S 12";
    EXPECT_EQ(standby_period(0xF0), Ps{20min});
    EXPECT_EQ(standby_period(0xF1), Ps{30min});
    EXPECT_EQ(standby_period(0xFB), Ps{330min}) << "5.5 hours";
    EXPECT_EQ(standby_period(0xFC), Ps{21min});
    EXPECT_GE(*standby_period(0xFD), Ps{8h});
    EXPECT_LE(*standby_period(0xFD), Ps{12h});
    EXPECT_EQ(standby_period(0xFE), std::nullopt) << "reserved";
    EXPECT_EQ(standby_period(0xFF), Ps{21min + 15s});
}

class PowerTest : public DeviceTest {
  protected:
    static constexpr std::uint8_t kStandby = 0x00;
    static constexpr std::uint8_t kIdle = 0x80;
    static constexpr std::uint8_t kActive = 0xFF;

    std::uint8_t mode() {
        expect_good(plain(Opcode::check_power_mode));
        return static_cast<std::uint8_t>(d2h(0).count);
    }
    static void run_until(Ps at) {
        sc_core::sc_start(sc_core::sc_time::from_value(static_cast<std::uint64_t>((at - now()).count())));
    }
    /// The end of the last command, as the device sees it: its status has been handed to the link.
    Ps status_begun() const { return host->frames.back().at - FrameTiming(config).frame_time(20); }
    /// Entry and exit times that differ.
    static SataConfig slow_modes() {
        SataConfig settings;
        settings.idle = {2ms, 200us};
        settings.standby = {7ms, 3ms};
        return settings;
    }
    /// Sends a command that needs the flash: firmware gets it at `at`.
    void expect_ready(Ps at) {
        firmware->seen.clear();
        send(plain(Opcode::read_verify_ext, 8, 8));
        run_until(at - Ps{1});
        EXPECT_TRUE(firmware->seen.empty()) << "too early";
        run_until(at + Ps{1});
        EXPECT_EQ(firmware->seen.size(), 1U) << "late";
        run(20000);
        EXPECT_EQ(device->power().mode(), PowerModeName::active);
        EXPECT_EQ(device->slots_in_use(), 0U);
    }
    std::size_t flushes() const {
        return static_cast<std::size_t>(std::ranges::count(firmware->seen, hal::HostOpcode::flush,
                                                           [](const auto& seen) { return seen.opcode; }));
    }
};

TEST_F(PowerTest, EachCommandEntersItsMode) {
    start();
    EXPECT_EQ(mode(), kActive);
    expect_good(plain(Opcode::idle_immediate));
    EXPECT_EQ(mode(), kIdle);
    expect_good(plain(Opcode::standby_immediate));
    EXPECT_EQ(mode(), kStandby);
    expect_good(plain(Opcode::idle, 0, 0));
    EXPECT_EQ(mode(), kIdle);
    expect_good(plain(Opcode::standby, 0, 0));
    EXPECT_EQ(mode(), kStandby);
    EXPECT_EQ(flushes(), 2U) << "STANDBY and STANDBY IMMEDIATE write the cache, IDLE has no reason to";
    expect_abort(plain(Opcode::idle, 0, 0xFE));
    expect_abort(plain(Opcode::standby, 0, 0xFE));
}

TEST_F(PowerTest, OnlyCommandsThatNeedTheFlashEndStandby) {
    start();
    const std::vector<RegisterH2d> keep{plain(Opcode::flush_cache_ext),
                                        plain(Opcode::set_features, 0, 0x46, 3),
                                        plain(Opcode::smart, 0xC24F00, 0, ata::kSmartReturnStatus)};
    const std::vector<RegisterH2d> wake{plain(Opcode::read_dma_ext, 8, 8),
                                        plain(Opcode::read_verify_ext, 8, 8),
                                        plain(Opcode::write_uncorrectable_ext, 8, 1, 0x55)};
    for (const RegisterH2d& fis : keep) {
        expect_good(plain(Opcode::standby_immediate));
        expect_good(fis);
        EXPECT_EQ(mode(), kStandby) << int{fis.command};
    }
    for (const RegisterH2d& fis : wake) {
        expect_good(plain(Opcode::standby_immediate));
        send(fis);
        run();
        EXPECT_EQ(mode(), kActive) << int{fis.command};
    }
}

TEST_F(PowerTest, ACommandWaitsUntilTheFlashIsReady) {
    start(slow_modes());
    expect_good(plain(Opcode::standby_immediate));
    run(10000);
    expect_ready(now() + FrameTiming(config).frame_time(20) + 3ms);
    expect_good(plain(Opcode::idle_immediate));
    run(10000);
    expect_ready(now() + FrameTiming(config).frame_time(20) + 200us);
    expect_good(plain(Opcode::read_verify_ext, 8, 8));
}

// No mode is left before it has been reached. IDLE in Standby leads through Active.
TEST_F(PowerTest, ChangesOfTheModeFollowEachOther) {
    start(slow_modes());
    expect_good(plain(Opcode::idle_immediate));
    expect_ready(status_begun() + 2ms + 200us);
    expect_good(plain(Opcode::standby_immediate));
    const Ps first = status_begun();
    EXPECT_EQ(mode(), kStandby) << "reached or not";
    expect_ready(first + 7ms + 3ms);
    expect_good(plain(Opcode::standby_immediate));
    const Ps standby = status_begun();
    expect_good(plain(Opcode::standby_immediate));
    expect_good(plain(Opcode::idle_immediate));
    expect_good(plain(Opcode::idle_immediate));
    expect_ready(standby + 7ms + 3ms + 2ms + 200us);
}

TEST_F(PowerTest, SleepHasTheTimesOfStandby) {
    start(slow_modes());
    expect_good(plain(Opcode::sleep));
    const Ps sleep = status_begun();
    RegisterH2d control;
    control.is_command = false;
    for (const std::uint8_t reset : {ata::kSoftReset, std::uint8_t{0}}) {
        control.control = reset;
        send(control);
        run(10);
    }
    expect_ready(sleep + 7ms + 3ms);
}

TEST_F(PowerTest, TheStandbyTimerHasAnEntryTime) {
    start(slow_modes());
    expect_good(plain(Opcode::idle, 0, 1));
    const Ps end = status_begun();
    run_until(end + 5s + 1ms);
    ASSERT_EQ(device->power().mode(), PowerModeName::standby);
    expect_ready(end + 5s + 7ms + 3ms);
}

TEST_F(PowerTest, AHardwareResetDoesNotShortenAChange) {
    start(slow_modes());
    expect_good(plain(Opcode::standby_immediate));
    const Ps standby = status_begun();
    device->comreset();
    run();
    EXPECT_EQ(mode(), kActive);
    expect_ready(standby + 7ms + 3ms);
    expect_good(plain(Opcode::standby_immediate));
    cycle_power();
    expect_ready(now() + FrameTiming(config).frame_time(20));
}

TEST_F(PowerTest, AResetWhileTheFlashGetsReady) {
    start(slow_modes());
    expect_good(plain(Opcode::standby_immediate));
    send(plain(Opcode::read_verify_ext, 8, 8));
    run(10);
    device->comreset();
    run();
    EXPECT_EQ(device->slots_in_use(), 0U);
    run(12000);
    expect_good(plain(Opcode::read_verify_ext, 8, 8));
    expect_good(plain(Opcode::standby_immediate));
    send(plain(Opcode::read_verify_ext, 8, 8));
    run(10);
    cycle_power();
    expect_good(plain(Opcode::read_verify_ext, 8, 8));
}

TEST_F(PowerTest, TheStandbyTimerRunsFromTheEndOfTheLastCommand) {
    start();
    expect_good(plain(Opcode::idle, 0, 1));  // 5 s
    EXPECT_EQ(mode(), kIdle);
    sc_core::sc_start(3, sc_core::SC_SEC);
    expect_good(plain(Opcode::read_verify_ext, 8, 8));
    const Ps end = status_begun();
    run_until(end + 5s - Ps{1});
    EXPECT_EQ(flushes(), 0U);
    EXPECT_EQ(device->power().mode(), PowerModeName::active);
    run_until(end + 5s + Ps{1});
    EXPECT_EQ(flushes(), 1U) << "the cache is written first";
    EXPECT_EQ(device->power().mode(), PowerModeName::standby);
    EXPECT_EQ(device->slots_in_use(), 0U);
    EXPECT_EQ(mode(), kStandby);
}

TEST_F(PowerTest, CheckPowerModeDoesNotKeepTheDriveAwake) {
    start();
    expect_good(plain(Opcode::idle, 0, 1));
    const Ps end = status_begun();
    for (int i = 0; i < 4; ++i) {
        sc_core::sc_start(1, sc_core::SC_SEC);
        EXPECT_EQ(mode(), kIdle);
    }
    run_until(end + 5s + Ps{1});
    EXPECT_EQ(device->power().mode(), PowerModeName::standby);
}

TEST_F(PowerTest, ALongCommandHoldsTheTimer) {
    start();
    expect_good(plain(Opcode::idle, 0, 1));
    firmware->delay = 7s;
    host->frames.clear();
    send(plain(Opcode::read_verify_ext, 8, 8));
    sc_core::sc_start(6, sc_core::SC_SEC);
    EXPECT_EQ(device->power().mode(), PowerModeName::active) << "a command runs";
    sc_core::sc_start(1500, sc_core::SC_MS);
    firmware->delay = {};
    ASSERT_EQ(host->types(), Types{FisType::register_d2h});
    const Ps end = status_begun();
    run_until(end + 5s - Ps{1});
    EXPECT_EQ(device->power().mode(), PowerModeName::active);
    run_until(end + 5s + Ps{1});
    EXPECT_EQ(device->power().mode(), PowerModeName::standby);
}

// The timer does not run while a command waits for its host, and begins again with the reset that ends it.
TEST_F(PowerTest, ACommandThatWaitsForItsHostLeavesNothingPending) {
    start();
    expect_good(plain(Opcode::idle, 0, 1));
    send(plain(Opcode::write_sectors_ext, 8, 1));
    sc_core::sc_start(20, sc_core::SC_SEC);
    EXPECT_FALSE(sc_core::sc_pending_activity());
    EXPECT_EQ(device->power().mode(), PowerModeName::active);
    RegisterH2d control;
    control.is_command = false;
    control.control = ata::kSoftReset;
    send(control);
    run(10);
    const Ps reset = host->sent_at.back();
    run_until(reset + 5s - Ps{1});
    EXPECT_EQ(device->power().mode(), PowerModeName::active);
    run_until(reset + 5s + Ps{1});
    EXPECT_EQ(device->power().mode(), PowerModeName::standby);
}

TEST_F(PowerTest, ACommandDuringTheTimersFlushKeepsTheDriveActive) {
    start();
    expect_good(plain(Opcode::idle, 0, 1));
    const Ps end = status_begun();
    firmware->delay = 100us;
    run_until(end + 5s + Ps{10us});
    EXPECT_EQ(flushes(), 1U);
    EXPECT_EQ(device->power().mode(), PowerModeName::idle);
    expect_good(plain(Opcode::read_verify_ext, 8, 8));
    EXPECT_EQ(device->power().mode(), PowerModeName::active);
    EXPECT_EQ(device->slots_in_use(), 0U);
    sc_core::sc_start(5, sc_core::SC_SEC);
    EXPECT_EQ(device->power().mode(), PowerModeName::standby) << "the timer runs again";
}

TEST_F(PowerTest, ADriveThatCannotWriteItsCacheStaysAwake) {
    start();
    expect_good(plain(Opcode::idle, 0, 1));
    firmware->failures[0] = hal::HostStatus::write_fault;
    sc_core::sc_start(20, sc_core::SC_SEC);
    EXPECT_EQ(flushes(), 1U);
    EXPECT_EQ(device->power().mode(), PowerModeName::idle);
    EXPECT_FALSE(sc_core::sc_pending_activity());
    for (const Opcode opcode : {Opcode::standby_immediate, Opcode::standby, Opcode::sleep}) {
        transfer(plain(opcode, 0, 0));
        ASSERT_EQ(host->types(), Types{FisType::register_d2h});
        EXPECT_EQ(d2h(0).status, 0x71) << "DF";
        EXPECT_EQ(mode(), kIdle);
    }
    firmware->failures.clear();
    expect_good(plain(Opcode::check_power_mode));
    sc_core::sc_start(6, sc_core::SC_SEC);
    EXPECT_EQ(mode(), kStandby) << "the timer still runs";
}

TEST_F(PowerTest, InSleepOnlyAResetIsHeard) {
    start();
    expect_good(plain(Opcode::sleep));
    EXPECT_TRUE(device->power().asleep());
    EXPECT_EQ(flushes(), 1U);
    host->frames.clear();
    send(plain(Opcode::check_power_mode));
    send(plain(Opcode::identify_device));
    run();
    EXPECT_TRUE(host->frames.empty());
    RegisterH2d control;
    control.is_command = false;
    control.control = ata::kSoftReset;
    send(control);
    run(10);
    control.control = 0;
    send(control);
    run();
    ASSERT_EQ(host->types(), Types{FisType::register_d2h}) << "the signature";
    EXPECT_EQ(mode(), kStandby) << "a software reset wakes it to Standby";
    expect_good(plain(Opcode::sleep));
    device->comreset();
    run();
    EXPECT_EQ(mode(), kActive);
}

TEST_F(PowerTest, TheTimerSurvivesASoftwareResetOnly) {
    RegisterH2d control;
    control.is_command = false;
    for (const int what : {0, 1, 2}) {
        if (what == 0) {
            start();
        }
        expect_good(plain(Opcode::idle, 0, 1));
        if (what == 0) {
            control.control = ata::kSoftReset;
            send(control);
            run(10);
            control.control = 0;
            send(control);
            run();
        } else if (what == 1) {
            device->comreset();
            run();
        } else {
            cycle_power();
        }
        sc_core::sc_start(6, sc_core::SC_SEC);
        EXPECT_EQ(device->power().mode() == PowerModeName::standby, what == 0);
    }
}

TEST_F(PowerTest, TimesInEachModeAreCounted) {
    start();
    expect_good(plain(Opcode::idle_immediate));
    const Ps idle = status_begun();
    sc_core::sc_start(2, sc_core::SC_SEC);
    expect_good(plain(Opcode::standby_immediate));
    const Ps standby = status_begun();
    sc_core::sc_start(3, sc_core::SC_SEC);
    const auto spent = device->power().spent(now());
    EXPECT_EQ(spent[1], standby - idle);
    EXPECT_EQ(spent[2], now() - standby);
    EXPECT_EQ(spent[3], Ps{0});
    EXPECT_EQ(spent[0] + spent[1] + spent[2], now());
    hal::Metrics told;
    device->power().tell(told, now());
    EXPECT_EQ(told.at("device.standby_us"), static_cast<double>(spent[2].count()) / 1e6);
    EXPECT_EQ(told.at("device.sleep_us"), 0.0);
}

}  // namespace
}  // namespace solidtlm::hw::test
