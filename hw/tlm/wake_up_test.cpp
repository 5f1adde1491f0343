// SPDX-License-Identifier: Apache-2.0
#include "hw/tlm/wake_up.h"

#include <gtest/gtest.h>

#include <vector>

#include "hw/tlm/test_actions.h"
#include "hw/tlm/test_run.h"

namespace solidtlm::hw {
namespace {

using namespace std::chrono_literals;
using Times = std::vector<Ps>;

/// A block that notes when it was woken.
struct Sleeper : TestActions {
    explicit Sleeper(const sc_core::sc_module_name& name) : TestActions(name) {}
    void note() { woken.push_back(now()); }
    WakeUp wake{*this, kCall<&Sleeper::note>};
    Times woken;
};

TEST(WakeUp, WakesOnceAtTheInstantArmedForLast) {
    Sleeper sleeper("sleeper");
    sleeper.at(10ns, [&] { sleeper.wake.arm(50ns); });
    sleeper.at(20ns, [&] { sleeper.wake.arm(30ns); });
    sleeper.at(40ns, [&] { sleeper.wake.arm(60ns); });
    sleeper.at(45ns, [&] { sleeper.wake.arm(80ns); });
    sleeper.at(90ns, [&] { sleeper.wake.arm(100ns); });
    sleeper.at(95ns, [&] { sleeper.wake.disarm(); });
    run(1us);
    EXPECT_EQ(sleeper.woken, (Times{30ns, 80ns}));
    EXPECT_FALSE(sleeper.wake.armed());
}

TEST(WakeUp, IsArmedToComeFirst) {
    Sleeper sleeper("sleeper");
    std::vector<std::size_t> woken;
    const auto look = [&] { woken.push_back(sleeper.woken.size()); };
    sleeper.at(100ns, look);
    sleeper.at(50ns, [&] { sleeper.wake.arm_first(100ns); });
    sleeper.at(70ns, [&] { sleeper.at(100ns, look); });
    run(1us);
    EXPECT_EQ(woken, (std::vector<std::size_t>{1, 1}));
}

TEST(WakeUp, IsArmedToComeFirstOfWhatIsLeftOfItsInstant) {
    Sleeper sleeper("sleeper");
    std::vector<std::size_t> woken;
    const auto look = [&] { woken.push_back(sleeper.woken.size()); };
    sleeper.at(100ns, [&] {
        sleeper.at(100ns, look);
        sleeper.wake.arm_first(100ns);
        look();
    });
    sleeper.at(100ns, look);
    run(1us);
    EXPECT_EQ(woken, (std::vector<std::size_t>{0, 1, 1}));
}

// Another entry of the alarm's instant disarms it, or moves it, just before it would call.
TEST(WakeUp, IsTakenBackInItsVeryInstant) {
    Sleeper sleeper("sleeper");
    sleeper.at(50ns, [&] { sleeper.wake.disarm(); });
    sleeper.at(100ns, [&] {
        sleeper.wake.disarm();
        sleeper.wake.arm(300ns);
    });
    sleeper.wake.arm(50ns);
    sleeper.at(60ns, [&] { sleeper.wake.arm(100ns); });
    run(1us);
    EXPECT_EQ(sleeper.woken, Times{300ns});
}

// An alarm that is armed for the running instant comes last in it.
TEST(WakeUp, IsArmedForTheInstantThatRuns) {
    Sleeper sleeper("sleeper");
    Times others;
    sleeper.at(100ns, [&] { sleeper.wake.arm(100ns); });
    sleeper.at(100ns, [&] { others.assign(sleeper.woken.begin(), sleeper.woken.end()); });
    run(1us);
    EXPECT_TRUE(others.empty());
    EXPECT_EQ(sleeper.woken, Times{100ns});
}

}  // namespace
}  // namespace solidtlm::hw
