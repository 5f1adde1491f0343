// SPDX-License-Identifier: Apache-2.0
#include "fw/runtime/alarms.h"

#include <gtest/gtest.h>

#include <optional>
#include <string>

namespace solidtlm::fw {
namespace {

using namespace std::chrono_literals;

/// A clock with one alarm, like the hardware's.
struct AlarmClock : hal::Clock {
    [[nodiscard]] Ps now() const override { return time; }
    void set_alarm(Ps at, hal::Completion alarm) override {
        EXPECT_GE(at, time);
        ++asked;
        when = at;
        call = alarm;
    }
    bool go_off() {
        if (!when) {
            return false;
        }
        time = stands_still ? time : *when;
        when.reset();
        call();
        return true;
    }
    Ps time{0};
    std::optional<Ps> when;
    hal::Completion call;
    int asked = 0;
    bool stands_still = false;
};

struct Sleepers {
    Task<void> sleep(Ps at, std::string name) {
        co_await alarms.until(at);
        log += name + std::to_string(executor.now() / 1us) + " ";
    }
    void run() {
        do {
            while (!executor.step().idle) {
            }
        } while (clock.go_off());
    }
    AlarmClock clock;
    Executor executor{clock};
    Alarms alarms{executor, clock};
    std::string log;
};

TEST(Alarms, WakeInTheOrderOfInstantsThenOfCalls) {
    Sleepers sleepers;
    sleepers.executor.spawn(sleepers.sleep(5us, "a"));
    sleepers.executor.spawn(sleepers.sleep(3us, "b"));
    sleepers.executor.spawn(sleepers.sleep(9us, "c"));
    sleepers.executor.spawn(sleepers.sleep(3us, "d"));
    sleepers.executor.spawn(sleepers.sleep(5us, "e"));
    sleepers.run();
    EXPECT_EQ(sleepers.log, "b3 d3 a5 e5 c9 ");
    EXPECT_FALSE(sleepers.alarms.has_waiters());
    EXPECT_EQ(sleepers.clock.asked, 4) << "for 5, 3, then 5 and 9 us";
}

TEST(Alarms, APastInstantIsNotWaitedFor) {
    Sleepers sleepers;
    sleepers.clock.time = 4us;
    sleepers.executor.spawn(sleepers.sleep(4us, "a"));
    sleepers.executor.spawn(sleepers.sleep(1us, "b"));
    sleepers.run();
    EXPECT_EQ(sleepers.log, "a4 b4 ");
    EXPECT_EQ(sleepers.clock.asked, 0);
}

TEST(Alarms, ALaterAlarmDoesNotDisturbTheClock) {
    Sleepers sleepers;
    sleepers.executor.spawn(sleepers.sleep(3us, "a"));
    sleepers.executor.spawn(sleepers.sleep(7us, "b"));
    (void)sleepers.executor.step();
    EXPECT_EQ(sleepers.clock.asked, 1);
    EXPECT_EQ(sleepers.clock.when, 3us);
    sleepers.run();
    EXPECT_EQ(sleepers.log, "a3 b7 ");
}

TEST(Alarms, GoOffOneAfterTheOtherWhereTheClockStandsStill) {
    Sleepers sleepers;
    sleepers.clock.stands_still = true;
    sleepers.executor.spawn(sleepers.sleep(7us, "a"));
    sleepers.executor.spawn(sleepers.sleep(3us, "b"));
    sleepers.run();
    EXPECT_EQ(sleepers.log, "b0 a0 ");
}

TEST(Alarms, MayBeSetAgainByTheWaiterThatWakes) {
    struct Body {
        static Task<void> run(Sleepers& s) {
            for (int i = 1; i <= 3; ++i) {
                co_await s.alarms.until(i * 10us);
                s.log += std::to_string(s.executor.now() / 1us) + " ";
            }
        }
    };
    Sleepers sleepers;
    sleepers.executor.spawn(Body::run(sleepers));
    sleepers.executor.spawn(sleepers.sleep(15us, "a"));
    sleepers.run();
    EXPECT_EQ(sleepers.log, "10 a15 20 30 ");
}

}  // namespace
}  // namespace solidtlm::fw
