// SPDX-License-Identifier: Apache-2.0
#include "hw/tlm/agenda.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <memory>
#include <random>
#include <vector>

#include "hw/tlm/test_actions.h"
#include "hw/tlm/test_run.h"

namespace solidtlm::hw {
namespace {

using namespace std::chrono_literals;

/// An entry that ran: the agenda's time, the kernel's time, and the entry's number.
struct Seen {
    Ps at{0};
    Ps kernel{0};
    int who = 0;
};

struct Recorder : TestActions {
    explicit Recorder(const sc_core::sc_module_name& name, Ps quantum = Ps{0}) : TestActions(name) {
        agenda().set_quantum(quantum);
    }
    void note(Ps when, int who) {
        at(when, [this, who] { seen.push_back(Seen{now(), kernel_now(), who}); });
    }
    std::vector<Seen> seen;
};

/// A process that does not belong to the agenda: calls `action` once per period.
struct Stranger : sc_core::sc_module {
    SC_HAS_PROCESS(Stranger);
    Stranger(const sc_core::sc_module_name& name, Ps period, std::function<void()> action)
        : sc_module(name), period_(period), action_(std::move(action)) {
        SC_THREAD(wake_thread);
    }
    void wake_thread() {
        while (true) {
            wait(to_sc_time(period_));
            action_();
        }
    }
    Ps period_;
    std::function<void()> action_;
};

class AgendaQuantum : public testing::TestWithParam<Ps> {};

// Entries run in the order of their times and, at one instant, in the order of requests: the order of a
// stable sort.
TEST_P(AgendaQuantum, RandomEntriesRunAsAStableSort) {
    Recorder recorder("recorder", GetParam());
    std::mt19937 random(3);
    std::vector<Seen> expected;
    int number = 0;
    const std::function<void(int)> ask = [&](int depth) {
        for (int i = 0; i < 3; ++i) {
            const Ps when = now() + Ps{static_cast<std::int64_t>(random() % 4)} * 1000;
            const int who = number++;
            expected.push_back(Seen{when, Ps{0}, who});
            recorder.note(when, who);
            if (depth > 0) {
                recorder.at(when, [&ask, depth] { ask(depth - 1); });
            }
        }
    };
    ask(5);
    sc_core::sc_start();
    std::stable_sort(expected.begin(), expected.end(),
                     [](const Seen& a, const Seen& b) { return a.at < b.at; });
    ASSERT_EQ(recorder.seen.size(), expected.size());
    for (std::size_t i = 0; i < expected.size(); ++i) {
        EXPECT_EQ(recorder.seen[i].at, expected[i].at);
        EXPECT_EQ(recorder.seen[i].who, expected[i].who);
    }
    EXPECT_EQ(kernel_now(), expected.back().at) << "the kernel has come as far as the agenda";
}

TEST_P(AgendaQuantum, IsNeverAheadOfItsQuantumOrOfOthers) {
    Recorder recorder("recorder", GetParam());
    Ps stranger_at{0};
    std::size_t late = 0;
    Stranger stranger("stranger", 70ns, [&] {
        stranger_at = kernel_now();
        for (const Seen& seen : recorder.seen) {
            late += seen.at > stranger_at ? 1 : 0;
        }
    });
    for (int i = 1; i <= 1000; ++i) {
        recorder.note(i * 3ns, i);
    }
    run(4us);
    ASSERT_EQ(recorder.seen.size(), 1000U);
    for (const Seen& seen : recorder.seen) {
        EXPECT_GE(seen.at, seen.kernel);
        EXPECT_LE(seen.at, seen.kernel + GetParam());
    }
    EXPECT_EQ(late, 0U) << "an entry ran before something that a stranger did earlier";
}

// At the kernel's time, a stranger requests an entry that is earlier than the one that the agenda waits for.
TEST_P(AgendaQuantum, TakesWorkFromOutsideAtTheKernelsTime) {
    Recorder recorder("recorder", GetParam());
    recorder.note(10us, 1);
    Stranger stranger("stranger", 300ns, [&] {
        recorder.note(now(), 2);
        recorder.note(now() + 50ns, 3);
    });
    run(1us);
    std::vector<std::pair<Ps, int>> seen;
    for (const Seen& each : recorder.seen) {
        seen.emplace_back(each.at, each.who);
    }
    EXPECT_EQ(seen, (std::vector<std::pair<Ps, int>>{
                        {300ns, 2}, {350ns, 3}, {600ns, 2}, {650ns, 3}, {900ns, 2}, {950ns, 3}}));
}

TEST_P(AgendaQuantum, PausesAtItsOwnTime) {
    Recorder recorder("recorder", GetParam());
    recorder.note(500ns, 1);
    recorder.at(700ns, [&] { recorder.agenda().pause(); });
    recorder.note(700ns, 2);
    recorder.note(900ns, 3);
    sc_core::sc_start();
    EXPECT_EQ(recorder.seen.size(), 1U);
    EXPECT_EQ(now(), 700ns);
    EXPECT_EQ(kernel_now(), 700ns);
    sc_core::sc_start();
    EXPECT_EQ(recorder.seen.size(), 3U);
    EXPECT_EQ(now(), 900ns);
}

INSTANTIATE_TEST_SUITE_P(Quanta, AgendaQuantum, testing::Values(Ps{0}, Ps{100ns}, Ps{10ms}));

TEST(Agenda, RunsAheadWithoutTheKernel) {
    Recorder recorder("recorder", 1ms);
    for (int i = 1; i <= 1000; ++i) {
        recorder.note(i * 1us, i);
    }
    sc_core::sc_start();
    EXPECT_EQ(recorder.agenda().runs(), 1000U);
    EXPECT_LE(recorder.agenda().wake_ups(), 3U);
}

TEST(Agenda, DropsWithdrawnEntriesAndThoseOfAnOwner) {
    struct Owner : AgendaModule {
        Owner(const sc_core::sc_module_name& name, Agenda* agenda) : AgendaModule(name, agenda) {}
        void ask(Ps when) { at<&Owner::work>(when); }
        void lose_power() { drop_work(); }
        void work() { ++works; }
        int works = 0;
    };
    Recorder recorder("recorder");
    Owner kept("kept", &recorder.agenda());
    Owner lost("lost", &recorder.agenda());
    for (const Ps when : {10ns, 20ns, 30ns}) {
        kept.ask(when);
        lost.ask(when);
    }
    recorder.at(20ns, [&] { lost.lose_power(); });
    sc_core::sc_start();
    EXPECT_EQ(kept.works, 3);
    EXPECT_EQ(lost.works, 2) << "that of 20 ns was asked for before the cut";
    EXPECT_EQ(now(), 30ns);
}

// Void entries cost no time: the simulation ends with the last entry that is not void.
TEST(Agenda, DoesNotWaitForVoidEntries) {
    Recorder recorder("recorder");
    const Agenda::Ticket far = recorder.push(
        1s, [](void*, std::uint64_t) { ADD_FAILURE() << "it is void"; }, nullptr);
    recorder.note(5ns, 1);
    recorder.agenda().withdraw(far);
    sc_core::sc_start();
    EXPECT_EQ(now(), 5ns);
}

// A block below a module with an agenda shares that agenda; a block that stands alone has its own.
TEST(AgendaModule, SharesTheAgendaOfTheModuleAboveIt) {
    struct Plain : sc_core::sc_module {
        explicit Plain(const sc_core::sc_module_name& name) : sc_module(name) {}
        TestActions below{"below"};
    };
    struct Top : TestActions {
        explicit Top(const sc_core::sc_module_name& name) : TestActions(name) {}
        Plain between{"between"};
    };
    Top top("top");
    TestActions alone("alone");
    EXPECT_EQ(&top.between.below.agenda(), &top.agenda());
    EXPECT_NE(&alone.agenda(), &top.agenda());
    EXPECT_STREQ(alone.agenda().name(), "alone.agenda");
}

TEST(AgendaDeathTest, RefusesEntriesInThePast) {
    Recorder recorder("recorder");
    recorder.at(2us, [&] { recorder.note(1us, 1); });
    EXPECT_DEATH(sc_core::sc_start(), "the instant has not passed");
}

}  // namespace
}  // namespace solidtlm::hw
