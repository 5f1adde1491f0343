// SPDX-License-Identifier: Apache-2.0
#include "hw/tlm/machine.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "hw/tlm/test_actions.h"
#include "hw/tlm/test_run.h"
#include "hw/tlm/wake_up.h"

namespace solidtlm::hw {
namespace {

using namespace std::chrono_literals;

/// A machine that makes a step every 10 ns, and knows of each step since the one before.
class Ticker final : public Machine {
  public:
    explicit Ticker(Agenda& agenda) : Machine(agenda) { due_ = 10ns; }
    void dram_wanted() override {}
    void look_again() override {}
    std::vector<Ps> steps;
    std::vector<bool> settled;  ///< the step may do at once what follows from it

  private:
    void step(Ps at) override {
        steps.push_back(at);
        settled.push_back(agenda_.settled(at));
        known_ = at;
        due_ = at + 10ns;
    }
};

TEST(Machine, MakesItsStepsWhenItIsAsked) {
    TestActions others("others");
    Ticker ticker(others.agenda());
    std::size_t steps = 0;
    others.at(35ns, [&] {
        ticker.catch_up();
        steps = ticker.steps.size();
    });
    run(1us);
    EXPECT_EQ(steps, 3U);
    EXPECT_EQ(ticker.steps, (std::vector<Ps>{10ns, 20ns, 30ns}));
}

// The machine knows at 30 ns of its step at 40 ns: the step comes after entries that were asked for at 30 ns
// or before, and before those asked for later.
TEST(Machine, TakesItsPlaceAtAnInstantBySinceWhenItIsKnown) {
    TestActions others("others");
    Ticker ticker(others.agenda());
    std::vector<std::size_t> steps;
    const auto come = [&] {
        ticker.catch_up();
        steps.push_back(ticker.steps.size());
    };
    others.at(40ns, come);
    others.at(30ns, [&] { others.at(40ns, come); });
    others.at(31ns, [&] { others.at(40ns, come); });
    run(1us);
    EXPECT_EQ(steps, (std::vector<std::size_t>{3, 3, 4}));
}

// What the step at 40 ns asks for at that instant would run before an entry that a later entry of the instant
// has asked for, and after all others. Steps of earlier instants are always settled.
TEST(Machine, DoesWhatFollowsFromAStepBeforeEntriesThatWereAskedForBehindIt) {
    TestActions others("others");
    const auto catches_up = [&others](Ticker& ticker) {
        return [&others, &ticker] { others.at(40ns, [&ticker] { ticker.catch_up(); }); };
    };
    Ticker before(others.agenda());
    Ticker behind(others.agenda());
    Ticker itself(others.agenda());
    Ticker twice(others.agenda());
    others.at(40ns, catches_up(before));
    others.at(40ns, [&] { others.at(40ns, catches_up(twice)); });
    others.at(31ns, [&] {
        others.at(40ns, [&] { itself.catch_up(); });
        others.at(40ns, catches_up(behind));
    });
    run(1us);
    const std::vector<bool> follow_later{true, true, true, false};
    const std::vector<bool> follow_first{true, true, true, true};
    EXPECT_EQ(before.settled, follow_later);
    EXPECT_EQ(itself.settled, follow_later);
    EXPECT_EQ(behind.settled, follow_first);
    EXPECT_EQ(twice.settled, follow_first);
}

/// A block that notes when its alarm calls it.
struct Named : TestActions {
    Named(const sc_core::sc_module_name& module, std::string& all) : TestActions(module), order(all) {}
    void note() { order += "m"; }
    std::string& order;
    WakeUp wake{*this, kCall<&Named::note>};
};

TEST(WakeUp, ThatIsArmedLateStandsWhereItWouldHave) {
    std::string order;
    Named block("block", order);
    block.at(100ns, [&] { order += "a"; });
    block.at(50ns, [&] { block.at(100ns, [&] { order += "b"; }); });
    block.at(70ns, [&] { block.wake.arm_late(100ns, 30ns); });
    block.at(80ns, [&] { block.at(100ns, [&] { order += "c"; }); });
    run(1us);
    EXPECT_EQ(order, "ambc");
}

// An alarm may be armed late even at its own instant: it takes its place among the entries that have not run.
TEST(WakeUp, IsArmedLateAtItsVeryInstant) {
    std::string order;
    Named block("block", order);
    block.at(100ns, [&] {
        order += "a";
        block.at(100ns, [&] { order += "d"; });
        block.wake.arm_late(100ns, 50ns);
    });
    block.at(40ns, [&] { block.at(100ns, [&] { order += "b"; }); });
    block.at(60ns, [&] { block.at(100ns, [&] { order += "c"; }); });
    run(1us);
    EXPECT_EQ(order, "abmcd");
}

}  // namespace
}  // namespace solidtlm::hw
