// SPDX-License-Identifier: Apache-2.0
#include "fw/drive/host_activity.h"

#include <gtest/gtest.h>

#include <vector>

#include "fw/testing/fake_hardware.h"

namespace solidtlm::fw::testing {
namespace {

using namespace std::chrono_literals;

/// A clock that counts the alarms that are set.
struct CountingClock : FakeClock {
    void set_alarm(Ps at, hal::Completion alarm) override {
        ++alarms;
        FakeClock::set_alarm(at, alarm);
    }
    int alarms = 0;
};

struct Bench {
    explicit Bench(Ps threshold) : activity(executor, alarms, threshold) {
        executor.on_work({[](void* self) { static_cast<Bench*>(self)->schedule(); }, this});
    }
    void command(Ps from, Ps to) {
        clock.at(from, [this] { activity.begin(); });
        clock.at(to, [this] { activity.end(); });
    }
    Task<void> wait() {
        co_await activity.wait_idle();
        found.push_back(executor.now());
        EXPECT_TRUE(activity.idle());
        EXPECT_FALSE(activity.busy());
    }
    void schedule() {
        clock.at(clock.now(), [this] {
            while (!executor.step().idle) {
            }
        });
    }
    void run() {
        executor.spawn(wait());
        schedule();
        while (clock.run_one()) {
        }
    }
    CountingClock clock;
    Executor executor{clock};
    Alarms alarms{executor, clock};
    HostActivity activity;
    std::vector<Ps> found;
};

TEST(HostActivity, IdleOnceNothingHasBeenOutstandingForTheThreshold) {
    Bench bench(1ms);
    bench.command(200us, 300us);
    bench.command(250us, 700us);  // two at a time
    bench.command(1600us, 1650us);
    bench.run();
    EXPECT_EQ(bench.found, std::vector<Ps>{2650us});
    EXPECT_EQ(bench.clock.alarms, 3) << "for 1000, 1700 and 2650 us";
}

TEST(HostActivity, ABusyHostCostsOneAlarmPerInterval) {
    Bench bench(1ms);
    for (int i = 0; i < 1000; ++i) {
        bench.command(i * 10us, i * 10us + 8us);
    }
    bench.run();
    EXPECT_EQ(bench.found, std::vector<Ps>{9998us + 1ms});
    EXPECT_LE(bench.clock.alarms, 12);
}

TEST(HostActivity, ALongCommandCostsNoAlarm) {
    Bench bench(1ms);
    bench.command(100us, 50ms);
    bench.run();
    EXPECT_EQ(bench.found, std::vector<Ps>{51ms});
    EXPECT_EQ(bench.clock.alarms, 2);
}

TEST(HostActivity, WithoutAThresholdIdleAsSoonAsNothingIsOutstanding) {
    Bench bench(0ms);
    bench.activity.begin();
    bench.clock.at(3us, [&] { bench.activity.end(); });
    bench.run();
    EXPECT_EQ(bench.found, std::vector<Ps>{3us});
    EXPECT_EQ(bench.clock.alarms, 0);
}

TEST(HostActivity, StaysIdleUntilTheNextCommand) {
    Bench bench(1ms);
    bench.run();
    EXPECT_EQ(bench.found, std::vector<Ps>{1ms});
    EXPECT_TRUE(bench.activity.idle());
    bench.activity.begin();
    EXPECT_TRUE(bench.activity.busy());
    EXPECT_FALSE(bench.activity.idle());
    bench.activity.end();
    EXPECT_FALSE(bench.activity.busy());
    EXPECT_FALSE(bench.activity.idle()) << "not before the threshold has passed again";
    bench.run();
    EXPECT_EQ(bench.found, (std::vector<Ps>{1ms, 2ms}));
}

TEST(HostActivity, SetsNoAlarmWithoutAWaiter) {
    Bench bench(1ms);
    bench.command(0us, 5us);
    while (bench.clock.run_one()) {
    }
    EXPECT_EQ(bench.clock.alarms, 0);
}

/// Hardware without time: alarms go off when no other work is left, and the clock does not move.
struct StandingClock : hal::Clock {
    [[nodiscard]] Ps now() const override { return Ps{0}; }
    void set_alarm(Ps /*at*/, hal::Completion call) override { alarm = call; }
    hal::Completion alarm;
};

TEST(HostActivity, FindsTheHostIdleWhenTheClockStandsStill) {
    StandingClock clock;
    Executor executor(clock);
    Alarms alarms(executor, clock);
    HostActivity activity(executor, alarms, 1ms);
    int found = 0;
    struct Body {
        static Task<void> run(HostActivity& activity, int& found) {
            co_await activity.wait_idle();
            found += activity.idle() ? 1 : 0;
        }
    };
    executor.spawn(Body::run(activity, found));
    (void)executor.step();
    activity.begin();
    activity.end();
    for (int expected : {0, 1}) {  // the first alarm was set for a time before the command
        clock.alarm();
        (void)executor.step();
        EXPECT_EQ(found, expected);
    }
}

TEST(HostActivity, TheFirmwareCountsTheCommandsOfTheHost) {
    FakeDevice device(tiny_config(), 1);
    device.run();
    const HostActivity& activity = device.firmware->activity();
    EXPECT_FALSE(activity.busy());
    auto issued = std::make_unique<FakeHost::Issued>();
    issued->command.opcode = hal::HostOpcode::read;
    issued->command.sectors = 8;
    issued->content.resize(64);
    bool busy_at_completion = false;
    issued->completed = [&](FakeHost::Issued&) { busy_at_completion = activity.busy(); };
    device.host.submit(std::move(issued));
    device.clock.run_one();
    EXPECT_TRUE(activity.busy());
    device.run();
    EXPECT_TRUE(busy_at_completion);
    EXPECT_FALSE(activity.busy());
}

}  // namespace
}  // namespace solidtlm::fw::testing
