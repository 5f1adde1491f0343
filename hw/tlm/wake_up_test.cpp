// SPDX-License-Identifier: Apache-2.0
#include "hw/tlm/wake_up.h"

#include <gtest/gtest.h>

#include <functional>
#include <vector>

#include "hw/tlm/timed_queue.h"

namespace solidtlm::hw {
namespace {

using namespace std::chrono_literals;
using Times = std::vector<Ps>;

/// A process that notes when it was due, and actions at given instants.
struct Sleeper : sc_core::sc_module {
    SC_HAS_PROCESS(Sleeper);
    explicit Sleeper(const sc_core::sc_module_name& name) : sc_module(name) {
        SC_METHOD(wake_method);
        sensitive << wake.event();
        dont_initialize();
        SC_METHOD(agenda_method);
        sensitive << agenda.due_event();
        dont_initialize();
    }
    void wake_method() {
        ++activations;
        if (wake.due()) {
            woken.push_back(now());
        }
    }
    void agenda_method() {
        std::function<void()> action;
        while (agenda.pop_due(action)) {
            action();
        }
    }
    WakeUp wake{"wake_event"};
    TimedQueue<std::function<void()>> agenda{"agenda_event", 1U << 20U};
    Times woken;
    int activations = 0;
};

TEST(WakeUp, WakesOnceAtTheInstantArmedForLast) {
    Sleeper sleeper("sleeper");
    sleeper.agenda.push(10ns, [&] { sleeper.wake.arm(50ns); });
    sleeper.agenda.push(20ns, [&] { sleeper.wake.arm(30ns); });
    sleeper.agenda.push(40ns, [&] { sleeper.wake.arm(60ns); });
    sleeper.agenda.push(45ns, [&] { sleeper.wake.arm(80ns); });
    sleeper.agenda.push(90ns, [&] { sleeper.wake.arm(100ns); });
    sleeper.agenda.push(95ns, [&] { sleeper.wake.disarm(); });
    sc_core::sc_start(1, sc_core::SC_US);
    EXPECT_EQ(sleeper.woken, (Times{30ns, 80ns}));
    EXPECT_EQ(sleeper.activations, 2);
    EXPECT_FALSE(sleeper.wake.armed());
}

/// The event has fired when `action` comes: asked for before it was armed, or after.
class WakeUpFired : public testing::TestWithParam<bool> {
  protected:
    static void run(Sleeper& sleeper, const std::function<void()>& action) {
        sleeper.agenda.push(GetParam() ? 100ns : 50ns, [&sleeper, action] {
            if (GetParam()) {
                action();
            } else {
                sleeper.agenda.push(100ns, action);
            }
        });
        sc_core::sc_start(to_sc_time(10ns));
        sleeper.wake.arm(100ns);
        sc_core::sc_start(1, sc_core::SC_US);
    }
    /// What is left when the process came first.
    static Times and_before(const Sleeper& sleeper, Times expected) {
        if (!sleeper.woken.empty() && sleeper.woken.front() == 100ns && expected.front() != 100ns) {
            expected.insert(expected.begin(), 100ns);
        }
        return expected;
    }
};

TEST_P(WakeUpFired, IsNotDueForWhatWasDisarmed) {
    Sleeper sleeper("sleeper");
    run(sleeper, [&] { sleeper.wake.disarm(); });
    EXPECT_LE(sleeper.woken.size(), 1U);
}

TEST_P(WakeUpFired, IsNotDueEarlyForWhatIsArmedInThatInstant) {
    Sleeper sleeper("sleeper");
    run(sleeper, [&] {
        sleeper.wake.disarm();
        sleeper.wake.arm(300ns);
    });
    EXPECT_EQ(sleeper.woken, and_before(sleeper, {300ns}));
}

// Armed for now and, once the fired event has made use of that, for later: the notification for now comes too
// early and must not swallow the later one.
TEST_P(WakeUpFired, IsWokenAgainWhenAnEarlierNotificationComesFirst) {
    Sleeper sleeper("sleeper");
    run(sleeper, [&] {
        sleeper.wake.arm(100ns);
        (void)sleeper.wake.due();
        sleeper.wake.arm(100ns);
        if (sleeper.wake.due()) {
            sleeper.wake.arm(300ns);
        }
    });
    EXPECT_EQ(sleeper.woken, and_before(sleeper, {300ns}));
}

INSTANTIATE_TEST_SUITE_P(Orders, WakeUpFired, testing::Bool());

}  // namespace
}  // namespace solidtlm::hw
