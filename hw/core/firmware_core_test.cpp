// SPDX-License-Identifier: Apache-2.0
#include "hw/core/firmware_core.h"

#include <gtest/gtest.h>

#include <random>

#include "hw/core/core_test_bench.h"
#include "hw/tlm/report_guard.h"

namespace solidtlm::hw {
namespace {

using hal::Cause;
using namespace std::chrono_literals;
using Times = std::vector<Ps>;

Ps busy(const CoreStatistics& statistics, Cause cause) {
    return statistics.busy[static_cast<std::size_t>(cause)];
}

TEST(FirmwareCore, RunsFirmwareOnAnSCThread) {
    struct AsksForItsProcess : ScriptedProgram {
        hal::Slice step() override {
            const sc_core::sc_process_handle process = sc_core::sc_get_current_process_handle();
            names.emplace_back(process.name());
            kinds.push_back(process.proc_kind());
            return ScriptedProgram::step();
        }
        std::vector<std::string> names;
        std::vector<sc_core::sc_curr_proc_kind> kinds;
    };
    CoreBench bench("bench");
    AsksForItsProcess program;
    program.busy(10);
    bench.core.load(program);
    bench.at(100ns, [&] { program.kick(); });
    run(1us);
    EXPECT_EQ(program.names, std::vector<std::string>(3, "bench.core.core_thread"));
    EXPECT_EQ(program.kinds, std::vector<sc_core::sc_curr_proc_kind>(3, sc_core::SC_THREAD_PROC_));
}

// The thread that runs the firmware also runs the agenda: no other process does.
TEST(FirmwareCore, RunsTheAgenda) {
    CoreBench bench("bench");
    ScriptedProgram program;
    bench.core.load(program);
    std::string name;
    bench.at(100ns, [&] { name = sc_core::sc_get_current_process_handle().name(); });
    run(1us);
    EXPECT_EQ(name, "bench.core.core_thread");
    EXPECT_EQ(sc_core::sc_find_object("bench.agenda.agenda_method"), nullptr);
}

TEST(FirmwareCore, SlicesTakeCyclesOverFrequencyPlusStall) {
    CoreBench bench("bench");  // 500 MHz: 2 ns per cycle
    ScriptedProgram program;
    program.busy(10);
    program.busy(5, 7ns);
    program.busy(0, 3ns);
    bench.core.load(program);
    run(1us);
    EXPECT_EQ(program.stepped_at, (Times{0ns, 20ns, 37ns, 40ns}));
    const CoreStatistics statistics = bench.core.statistics();
    EXPECT_EQ(statistics.cycles, 15U);
    EXPECT_EQ(statistics.slices, 3U);
    EXPECT_EQ(busy(statistics, Cause::host), 40ns);
    EXPECT_EQ(statistics.stall[0], 10ns);
}

TEST(FirmwareCore, KeepsTheLongestTurnWhileOthersWereReady) {
    CoreBench bench("bench");
    ScriptedProgram program;
    program.contended(true, 30);
    program.busy(100);  // the next turn: nothing else was ready
    program.contended(false, 20);
    program.contended(false, 15, 50ns);
    program.contended(true, 34);
    bench.core.load(program);
    run(1us);
    EXPECT_EQ(bench.core.statistics().longest_turn, 70ns) << "20 and 15 cycles at 500 MHz, without the stall";
    hal::Metrics metrics;
    bench.core.statistics().tell(metrics);
    EXPECT_EQ(metrics.at("core.longest_turn_us"), 0.07);
}

TEST(FirmwareCore, CarriesTheRoundingOfThePeriod) {
    CoreBench bench("bench", 175.0);
    ScriptedProgram program;
    for (int i = 0; i < 7000; ++i) {
        program.busy(1);
    }
    bench.core.load(program);
    run(100us);
    EXPECT_EQ(program.stepped_at.back(), 40us) << "7000 cycles at 175 MHz";
    EXPECT_EQ(program.stepped_at[1], Ps{5714});
}

TEST(FirmwareCore, IdleCostsNothingUntilKicked) {
    CoreBench bench("bench");
    ScriptedProgram program;
    program.busy(1);
    program.idle();
    program.busy(5);
    bench.core.load(program);
    run(100ns);
    EXPECT_FALSE(sc_core::sc_pending_activity()) << "nothing is notified while idle";
    bench.at(500ns, [&] {
        program.kick();
        program.kick();
    });
    run(1us);
    EXPECT_EQ(program.stepped_at, (Times{0ns, 2ns, 500ns, 510ns})) << "two kicks wake once";
    EXPECT_EQ(bench.core.statistics().wake_ups, 1U);
    EXPECT_EQ(bench.core.statistics().total_busy(), 12ns);
}

TEST(FirmwareCore, KickDuringAStepIsNotLost) {
    CoreBench bench("bench");
    ScriptedProgram program;
    program.script.emplace_back([&] {
        program.kick();
        return hal::Slice{};
    });
    program.busy(5);
    bench.core.load(program);
    run(1us);
    EXPECT_EQ(program.stepped_at, (Times{0ns, 0ns, 10ns}));
}

TEST(FirmwareCore, KickWhileBusyDoesNotShortenTheSlice) {
    CoreBench bench("bench");
    ScriptedProgram program;
    program.busy(100);
    bench.core.load(program);
    bench.at(50ns, [&] { program.kick(); });
    run(1us);
    EXPECT_EQ(program.stepped_at, (Times{0ns, 200ns}));
}

TEST(FirmwareCore, LoadBeforeStartDoesNotDisturbTheFirstSlice) {
    CoreBench bench("bench");
    ScriptedProgram program;
    program.busy(3);
    bench.core.load(program);
    program.kick();
    run(1us);
    EXPECT_EQ(program.stepped_at, (Times{0ns, 6ns}));
}

TEST(FirmwareCore, BusyIsCountedByCauseUpToNow) {
    CoreBench bench("bench");
    ScriptedProgram program;
    program.busy(50, 0ns, Cause::host);
    program.busy(25, 10ns, Cause::gc);
    program.busy(1000, 100ns, Cause::map);
    bench.core.load(program);
    run(260ns);  // 100 for host, 60 for gc, 100 of map's so far
    const CoreStatistics statistics = bench.core.statistics();
    EXPECT_EQ(busy(statistics, Cause::host), 100ns);
    EXPECT_EQ(busy(statistics, Cause::gc), 60ns);
    EXPECT_EQ(busy(statistics, Cause::map), 100ns);
    EXPECT_EQ(statistics.stall[static_cast<std::size_t>(Cause::map)], 0ns) << "cycles come first";
    EXPECT_EQ(statistics.stall[static_cast<std::size_t>(Cause::gc)], 10ns);
    run(10us);
    EXPECT_EQ(bench.core.statistics().total_busy(), 100ns + 60ns + 2100ns);
}

TEST(FirmwareCore, RandomSlicesAddUpExactly) {
    CoreBench bench("bench", 333.333);
    ScriptedProgram program;
    std::mt19937_64 random(17);
    std::uint64_t cycles = 0;
    Ps stall{0};
    for (int i = 0; i < 3000; ++i) {
        const std::uint64_t piece = random() % 50;
        const Ps wait{static_cast<std::int64_t>(random() % 2 * (random() % 9000))};
        cycles += piece;
        stall += wait;
        program.busy(piece, wait, static_cast<Cause>(random() % hal::kCauses));
    }
    bench.core.load(program);
    run(10ms);
    const Ps expected = Ps{static_cast<std::int64_t>(cycles * 1'000'000'000 / 333'333)} + stall;
    EXPECT_EQ(program.stepped_at.back(), expected);
    EXPECT_EQ(bench.core.statistics().total_busy(), expected);
}

TEST(FirmwareCore, AlarmRingsOnceAndANewOneReplacesTheOld) {
    CoreBench bench("bench");
    ScriptedProgram program;
    bench.core.load(program);
    Times rang;
    const hal::Completion ring{[](void* times) { static_cast<Times*>(times)->push_back(now()); }, &rang};
    bench.at(10ns, [&] { bench.core.set_alarm(100ns, ring); });
    bench.at(20ns, [&] { bench.core.set_alarm(300ns, ring); });
    bench.at(400ns, [&] { bench.core.set_alarm(400ns, ring); });
    bench.at(500ns, [&] { bench.core.set_alarm(900ns, ring); });
    bench.at(600ns, [&] { bench.core.set_alarm(700ns, ring); });
    run(2us);
    EXPECT_EQ(rang, (Times{300ns, 400ns, 700ns}));
    EXPECT_EQ(bench.core.now(), 2us);
}

TEST(FirmwareCore, AlarmInThePastIsFatal) {
    CoreBench bench("bench");
    run(1us);
    sc_core::sc_report_handler::set_actions(sc_core::SC_FATAL, sc_core::SC_THROW);
    const ExpectReport expected("/ssd/core");
    EXPECT_THROW(bench.core.set_alarm(999ns, hal::Completion{}), sc_core::sc_report);
}

TEST(FirmwareCore, PowerCutWhileBusyAndBootAgain) {
    CoreBench bench("bench");
    ScriptedProgram first;
    ScriptedProgram second;
    first.busy(1000);
    second.busy(10);
    bench.core.load(first);
    Times rang;
    bench.at(50ns, [&] {
        bench.core.set_alarm(70ns,
                             {[](void* times) { static_cast<Times*>(times)->push_back(now()); }, &rang});
    });
    bench.at(60ns, [&] { bench.core.power_cut(); });
    bench.at(100ns, [&] { bench.core.load(second); });
    run(10us);
    EXPECT_EQ(first.stepped_at, Times{0ns});
    EXPECT_EQ(second.stepped_at, (Times{100ns, 120ns}));
    EXPECT_EQ(bench.core.statistics().total_busy(), 80ns) << "60 ns of the cut slice, then 20";
    EXPECT_TRUE(rang.empty());
}

TEST(FirmwareCore, PowerCutWhileIdleWhileKickedAndWithinOneInstant) {
    CoreBench bench("bench");
    ScriptedProgram first;
    ScriptedProgram second;
    ScriptedProgram third;
    second.busy(100);
    third.busy(10);
    bench.core.load(first);
    bench.at(50ns, [&] {
        first.kick();
        bench.core.power_cut();
        bench.core.load(second);
    });
    bench.at(100ns, [&] {
        bench.core.power_cut();
        bench.core.load(third);
    });
    run(1us);
    EXPECT_EQ(first.stepped_at, Times{0ns});
    EXPECT_EQ(second.stepped_at, Times{50ns});
    EXPECT_EQ(third.stepped_at, (Times{100ns, 120ns}));
}

TEST(FirmwareCore, ProgramMayCutItsOwnPowerAndReboot) {
    CoreBench bench("bench");
    ScriptedProgram first;
    ScriptedProgram second;
    first.script.emplace_back([&] {
        bench.core.power_cut();
        bench.core.load(second);
        return hal::Slice{false, 1000, 0ns, Cause::host};
    });
    second.busy(10);
    bench.core.load(first);
    run(1us);
    EXPECT_EQ(second.stepped_at, (Times{0ns, 20ns}));
    EXPECT_EQ(bench.core.statistics().total_busy(), 20ns);
}

// In the tests below, an event has fired and its process will run in this very delta cycle, when something
// else happens. The test requests the other action before the event in one case and after it in the other, so
// that it comes first in one of them.
class CoreAtAnEvent : public testing::TestWithParam<bool> {
  protected:
    static void at(CoreBench& bench, Ps when, const std::function<void()>& action) {
        if (GetParam()) {
            bench.at(when, action);
        } else {
            bench.at(when - 10ns, [&bench, when, action] { bench.at(when, action); });
        }
    }
    static hal::Completion ring(Times& rang) {
        return {[](void* times) { static_cast<Times*>(times)->push_back(now()); }, &rang};
    }
};

TEST_P(CoreAtAnEvent, APowerCutAtAnAlarm) {
    CoreBench bench("bench");
    Times rang;
    at(bench, 100ns, [&] { bench.core.power_cut(); });
    run(50ns);
    bench.core.set_alarm(100ns, ring(rang));
    run(1us);
    EXPECT_LE(rang.size(), 1U);
}

TEST_P(CoreAtAnEvent, ANewAlarmDoesNotRingBeforeItsTime) {
    CoreBench bench("bench");
    Times before;
    Times after;
    at(bench, 100ns, [&] {
        bench.core.power_cut();
        bench.core.set_alarm(300ns, ring(after));
    });
    at(bench, 500ns, [&] { bench.core.set_alarm(700ns, ring(after)); });
    run(50ns);
    bench.core.set_alarm(100ns, ring(before));
    run(400ns);
    bench.core.set_alarm(500ns, ring(before));
    run(1us);
    EXPECT_EQ(after, (Times{300ns, 700ns}));
}

TEST_P(CoreAtAnEvent, AProgramLoadedAtTheEndOfASliceKeepsItsOwnSlice) {
    CoreBench bench("bench");
    ScriptedProgram first;
    ScriptedProgram second;
    first.busy(50);
    second.busy(100);
    at(bench, 100ns, [&] {
        bench.core.power_cut();
        bench.core.load(second);
    });
    bench.core.load(first);
    run(1us);
    EXPECT_EQ(second.stepped_at, (Times{100ns, 300ns}));
}

TEST_P(CoreAtAnEvent, AProgramLoadedAtTheEndOfASliceSleepsUntilItIsKicked) {
    CoreBench bench("bench");
    ScriptedProgram first;
    ScriptedProgram second;
    first.busy(50);
    second.idle();
    second.busy(100);
    at(bench, 100ns, [&] {
        bench.core.power_cut();
        bench.core.load(second);
    });
    bench.at(150ns, [&] { second.kick(); });
    bench.at(200ns, [&] { second.kick(); });
    bench.core.load(first);
    run(1us);
    EXPECT_EQ(second.stepped_at, (Times{100ns, 150ns, 350ns}));
    EXPECT_EQ(bench.core.statistics().wake_ups, 1U);
}

INSTANTIATE_TEST_SUITE_P(Orders, CoreAtAnEvent, testing::Bool());

TEST(FirmwareCore, ASecondProgramIsRefused) {
    CoreBench bench("bench");
    ScriptedProgram program;
    bench.core.load(program);
    sc_core::sc_report_handler::set_actions(sc_core::SC_FATAL, sc_core::SC_THROW);
    const ExpectReport expected("/ssd/core");
    EXPECT_THROW(bench.core.load(program), sc_core::sc_report);
}

}  // namespace
}  // namespace solidtlm::hw
