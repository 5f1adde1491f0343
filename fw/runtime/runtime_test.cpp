// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "fw/runtime/executor.h"
#include "fw/runtime/join.h"
#include "fw/runtime/semaphore.h"
#include "fw/runtime/signal.h"

namespace solidtlm::fw {
namespace {

struct ManualClock : hal::Clock {
    [[nodiscard]] Ps now() const override { return time; }
    void set_alarm(Ps, hal::Completion) override {}
    Ps time{0};
};

/// Runs until idle; a cycle lasts 1000 ps.
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
    Semaphore semaphore(executor, 2);
    std::string log;
    executor.spawn(take(executor, semaphore, 1, log, 'a'));
    executor.spawn(take(executor, semaphore, 3, log, 'b'));
    executor.spawn(take(executor, semaphore, 1, log, 'c'));
    drain(executor, clock);
    EXPECT_EQ(log, "a") << "c must not overtake b although a credit is left";
    semaphore.release(1);
    drain(executor, clock);
    EXPECT_EQ(log, "a");
    semaphore.release(1);
    drain(executor, clock);
    EXPECT_EQ(log, "ab");
    semaphore.release(1);
    drain(executor, clock);
    EXPECT_EQ(log, "abc");
}

Task<void> wait_for(Join& join, const Ledger*& last) {
    last = co_await join.wait();
}

TEST(Join, TellsWhoWasLast) {
    ManualClock clock;
    Executor executor(clock);
    Join join(executor);
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

}  // namespace
}  // namespace solidtlm::fw
