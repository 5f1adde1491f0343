// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <tuple>
#include <type_traits>
#include <vector>

#include "fw/runtime/executor.h"
#include "fw/runtime/join.h"
#include "fw/runtime/semaphore.h"
#include "fw/runtime/share_out.h"
#include "fw/runtime/signal.h"

namespace solidtlm::fw {
namespace {

struct ManualClock : hal::Clock {
    [[nodiscard]] Ps now() const override { return time; }
    void set_alarm(Ps, hal::Completion) override {}
    Ps time{0};
};

/// Runs until idle; a cycle takes 1000 ps.
void drain(Executor& executor, ManualClock& clock) {
    for (hal::Slice slice = executor.step(); !slice.idle; slice = executor.step()) {
        clock.time += Ps{static_cast<std::int64_t>(slice.cycles) * 1000} + slice.stall;
    }
}

Task<int> add_later(Executor& executor, int a, int b) {
    co_await executor.spend(10);
    co_return a + b;
}

Task<void> sum(Executor& executor, int& result) {
    const int left = co_await add_later(executor, 1, 2);
    const int right = co_await add_later(executor, left, 4);
    result = right;
}

TEST(Executor, RunsNestedTasksAndChargesTheirCycles) {
    ManualClock clock;
    Executor executor(clock);
    int result = 0;
    executor.spawn(sum(executor, result));
    drain(executor, clock);
    EXPECT_EQ(result, 7);
    EXPECT_EQ(clock.time, Ps{20'000});
}

/// Spends time if `spends`; otherwise ends within the call.
Task<void> maybe_spend(Executor& executor, bool spends) {
    struct Spender {
        static Task<void> run(Executor& executor) { co_await executor.spend(10); }
    };
    return spends ? Spender::run(executor) : Task<void>::ended();
}

Task<void> log_around(Executor& executor, std::string& log, bool spends) {
    log += 'a';
    co_await maybe_spend(executor, spends);
    log += 'b';
}

TEST(Executor, AnEndedTaskIsNotWaitedFor) {
    ManualClock clock;
    Executor executor(clock);
    std::string log;
    executor.spawn(log_around(executor, log, false));
    executor.spawn(log_around(executor, log, true));
    drain(executor, clock);
    EXPECT_EQ(log, "abab");
    EXPECT_EQ(clock.time, Ps{10'000});
}

Task<void> log_twice(Executor& executor, std::string& log, char name) {
    log += name;
    co_await executor.spend(5);
    log += name;
}

TEST(Executor, SpendingIsNotASchedulingPoint) {
    ManualClock clock;
    Executor executor(clock);
    std::string log;
    executor.spawn(log_twice(executor, log, 'a'));
    executor.spawn(log_twice(executor, log, 'b'));
    drain(executor, clock);
    EXPECT_EQ(log, "aabb");
}

Task<void> spend_yield_spend(Executor& executor) {
    co_await executor.spend(1);
    co_await executor.spend(2);
    co_await executor.yield(nullptr);
    co_await executor.spend(3);
}

Task<void> spend_once(Executor& executor) {
    co_await executor.spend(4);
}

TEST(Executor, SaysWhichSlicesBeginATurnAndWhetherOthersAreReady) {
    ManualClock clock;
    Executor executor(clock);
    executor.spawn(spend_yield_spend(executor));
    executor.spawn(spend_once(executor));
    using Slices = std::vector<std::tuple<std::uint64_t, bool, bool>>;
    Slices slices;
    for (hal::Slice slice = executor.step(); !slice.idle; slice = executor.step()) {
        slices.emplace_back(slice.cycles, slice.begins_turn, slice.others_ready);
    }
    EXPECT_EQ(slices, (Slices{{1, true, true}, {2, false, true}, {4, true, true}, {3, true, false}}));
}

TEST(Executor, AMemoryStallLengthensTheNextSliceAndShowsInTheLedger) {
    ManualClock clock;
    Executor executor(clock);
    Ledger ledger;
    ledger.start(Stage::firmware_wait, Ps{0});
    executor.add_access(hal::Dram::Access{Ps{300}, Ps{700}});
    EXPECT_EQ(executor.pending_stall(), Ps{1000});
    struct Body {
        static Task<void> run(Executor& e, Ledger& l) {
            co_await e.spend(2, &l);
            l.enter(Stage::completion, e.now());
        }
    };
    executor.spawn(Body::run(executor, ledger));
    drain(executor, clock);
    EXPECT_EQ(ledger[Stage::dram_wait], Ps{300});
    EXPECT_EQ(ledger[Stage::dram_transfer], Ps{700});
    EXPECT_EQ(ledger[Stage::firmware_execute], Ps{2000});
    EXPECT_EQ(ledger.total(), Ps{3000});
}

Task<void> take(Executor& executor, Semaphore& semaphore, std::uint64_t count, std::string& log, char name) {
    co_await semaphore.acquire(count);
    log += name;
    co_await executor.spend(1);
}

TEST(Semaphore, ServesInOrderAndNeverStarvesALargeRequest) {
    ManualClock clock;
    Executor executor(clock);
    Semaphore semaphore(executor, "credits", 4);
    std::string log;
    executor.spawn(take(executor, semaphore, 2, log, 'o'));
    executor.spawn(take(executor, semaphore, 1, log, 'a'));
    executor.spawn(take(executor, semaphore, 3, log, 'b'));
    executor.spawn(take(executor, semaphore, 1, log, 'c'));
    drain(executor, clock);
    EXPECT_EQ(log, "oa") << "c must not overtake b although a credit is left";
    semaphore.release(1);
    drain(executor, clock);
    EXPECT_EQ(log, "oa");
    semaphore.release(1);
    drain(executor, clock);
    EXPECT_EQ(log, "oab");
    semaphore.release(1);
    drain(executor, clock);
    EXPECT_EQ(log, "oabc");
}

TEST(SemaphoreDeathTest, KnowsHowManyCreditsThereAre) {
    ManualClock clock;
    Executor executor(clock);
    Semaphore semaphore(executor, "credits", 2);
    EXPECT_DEATH(semaphore.release(1), "no more credits are returned than were taken");
    EXPECT_DEATH(semaphore.withdraw(3), "the withdrawn credits are available");
    EXPECT_DEATH((void)semaphore.acquire(3), "more credits than there are");
    EXPECT_DEATH((void)semaphore.first_wanted(), "a task waits for credits");
    semaphore.lend(1);
    EXPECT_EQ(semaphore.available(), 3);
    semaphore.withdraw(1);
    EXPECT_DEATH(semaphore.release(1), "no more credits are returned than were taken");
}

Task<void> wait_for(Join& join, const Ledger*& last) {
    last = co_await join.wait();
}

TEST(Join, ReportsTheLastPiece) {
    ManualClock clock;
    Executor executor(clock);
    Join join(executor, "pieces");
    Ledger first;
    Ledger second;
    const Ledger* last = nullptr;
    join.add(2);
    executor.spawn(wait_for(join, last));
    drain(executor, clock);
    join.done(&second);
    join.done(&first);
    drain(executor, clock);
    EXPECT_EQ(last, &first);
}

/// Each piece waits until its alarm rings.
struct Alarmed {
    Executor& executor;
    std::vector<std::uint32_t> begun;
    std::vector<std::unique_ptr<Signal>> alarms;
    bool done = false;

    Alarmed(Executor& of, std::uint32_t count) : executor(of) {
        for (std::uint32_t i = 0; i < count; ++i) {
            alarms.push_back(std::make_unique<Signal>(executor, "alarm"));
        }
    }
    Task<void> wait(std::uint32_t index) {
        begun.push_back(index);
        co_await alarms[index]->wait();
    }
    Task<void> run(std::uint32_t most) {
        const auto piece = [this](std::uint32_t index) { return wait(index); };
        co_await share_out(executor, "pieces", static_cast<std::uint32_t>(alarms.size()), most, piece);
        done = true;
    }
};

using Begun = std::vector<std::uint32_t>;

TEST(ShareOut, APieceBeginsWhenAnotherHasEnded) {
    ManualClock clock;
    Executor executor(clock);
    executor.allow(1 + 3);
    Alarmed pieces(executor, 6);
    executor.spawn(pieces.run(3));
    drain(executor, clock);
    EXPECT_EQ(pieces.begun, (Begun{0, 1, 2}));
    for (const std::uint32_t ends : {2U, 0U, 3U}) {
        pieces.alarms[ends]->notify();
        drain(executor, clock);
    }
    EXPECT_EQ(pieces.begun, (Begun{0, 1, 2, 3, 4, 5}));
    for (const std::uint32_t ends : {1U, 4U, 5U}) {
        EXPECT_FALSE(pieces.done);
        pieces.alarms[ends]->notify();
        drain(executor, clock);
    }
    EXPECT_TRUE(pieces.done);
}

/// What became ready before a piece ended runs before the next piece.
TEST(ShareOut, ThePiecesTakeTheirTurnWithOthers) {
    ManualClock clock;
    Executor executor(clock);
    Alarmed pieces(executor, 2);
    executor.spawn(pieces.run(1));
    drain(executor, clock);
    struct Look {
        static Task<void> run(const Alarmed& pieces, std::size_t& begun) {
            begun = pieces.begun.size();
            co_return;
        }
    };
    std::size_t begun = 0;
    pieces.alarms[0]->notify();
    executor.spawn(Look::run(pieces, begun));
    drain(executor, clock);
    EXPECT_EQ(begun, 1U);
    EXPECT_EQ(pieces.begun, (Begun{0, 1}));
    executor.shut_down();
}

TEST(ShareOut, NeedsNoMoreCoroutinesThanPieces) {
    ManualClock clock;
    Executor executor(clock);
    executor.allow(1 + 2);
    Alarmed none(executor, 0);
    executor.spawn(none.run(16));
    drain(executor, clock);
    EXPECT_TRUE(none.done);
    Alarmed two(executor, 2);
    executor.spawn(two.run(16));
    drain(executor, clock);
    EXPECT_EQ(two.begun, (Begun{0, 1}));
    executor.shut_down();
}

TEST(ExecutorDeathTest, KnowsHowManyTasksThereAre) {
    ManualClock clock;
    Executor executor(clock);
    executor.allow(2);
    Signal signal(executor, "never");
    struct Waits {
        static Task<void> run(Signal& signal) { co_await signal.wait(); }
    };
    std::string log;
    for (int i = 0; i < 3; ++i) {  // tasks that end make room
        executor.spawn(log_around(executor, log, false));
        drain(executor, clock);
    }
    executor.spawn(Waits::run(signal));
    executor.spawn(Waits::run(signal));
    EXPECT_DEATH(executor.spawn(Waits::run(signal)), "no more tasks are spawned than have work");
    executor.shut_down();
}

TEST(JoinDeathTest, CountsItsPieces) {
    ManualClock clock;
    Executor executor(clock);
    Join join(executor, "pieces");
    EXPECT_DEATH(join.done(), "no more pieces are done than were added");
}

Task<void> charge_in_parts(Executor& executor, Ledger& ledger) {
    Charge charge = executor.charge(3);
    charge += executor.charge(4);
    co_await executor.spend(charge, 5, &ledger);
    ledger.enter(Stage::completion, executor.now());
    co_await executor.spend(charge, 1);  // this spend() takes the whole charge
}

TEST(Charge, IsSpentOnceByItsOwner) {
    ManualClock clock;
    Executor executor(clock);
    Ledger ledger;
    ledger.start(Stage::firmware_wait, Ps{0});
    executor.spawn(charge_in_parts(executor, ledger));
    drain(executor, clock);
    EXPECT_EQ(ledger[Stage::firmware_execute], Ps{12'000});
    EXPECT_EQ(clock.time, Ps{13'000});
    static_assert(!std::is_copy_constructible_v<Charge> && !std::is_copy_assignable_v<Charge>);
}

Task<void> charge_and_yield(Executor& executor) {
    Charge charge = executor.charge(3);
    co_await executor.yield(nullptr);
    co_await executor.spend(charge, 0);
}

TEST(Charge, IsNotBilledToAnotherCoroutine) {
    ManualClock clock;
    Executor executor(clock);
    std::string log;
    executor.spawn(charge_and_yield(executor));
    executor.spawn(log_twice(executor, log, 'a'));  // runs between the charge and its spend()
    EXPECT_EQ(executor.step().cycles, 5);
    EXPECT_EQ(executor.step().cycles, 3);
}

TEST(ChargeDeathTest, MustBeSpent) {
    ManualClock clock;
    Executor executor(clock);
    EXPECT_DEATH({ const Charge forgotten = executor.charge(1); }, "charged cycles are spent");
}

TEST(Charge, MayBeLostWhenPowerIsCut) {
    ManualClock clock;
    Executor executor(clock);
    executor.spawn(charge_and_yield(executor));
    executor.spawn(charge_and_yield(executor));
    (void)executor.step();
    executor.shut_down();
}

Task<void> wait_inside(Signal& signal) {
    co_await signal.wait();
}
Task<void> wait_outside(Executor& executor, Signal& signal) {
    co_await executor.spend(7);
    co_await wait_inside(signal);
}

/// A waiting coroutine is named together with its callers, from the spawned one on; equal ones share a line.
TEST(Executor, ReportsWhichCoroutinesWaitForWhatAndSinceWhen) {
    ManualClock clock;
    Executor executor(clock);
    Signal signal(executor, "it rains");
    Semaphore semaphore(executor, "umbrellas", 1);
    Join join(executor, "clouds");
    std::string log;
    const Ledger* last = nullptr;
    clock.time = Ps{2'000'000};
    executor.spawn(take(executor, semaphore, 1, log, 'a'));
    drain(executor, clock);
    executor.spawn(take(executor, semaphore, 1, log, 'b'));
    executor.spawn(wait_outside(executor, signal));
    executor.spawn(wait_outside(executor, signal));
    join.add(3);
    executor.spawn(wait_for(join, last));
    drain(executor, clock);
    const std::vector<std::string> expected{
        "take waits for semaphore \"umbrellas\" (0 of 1 free, 1 waiting), since 2.001 us",
        "wait_for waits for 3 clouds, since 2.015 us",
        "2 x wait_outside > wait_inside waits for signal \"it rains\", since 2.008 us"};
    EXPECT_EQ(executor.waits(), expected);
    signal.notify();
    EXPECT_EQ(executor.waits()[2], "2 x wait_outside > wait_inside waits for the core");
    drain(executor, clock);
    EXPECT_EQ(executor.waits().size(), 2);
}

}  // namespace
}  // namespace solidtlm::fw
