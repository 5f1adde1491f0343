// SPDX-License-Identifier: Apache-2.0
#include "fw/flash/carry_out.h"

#include <gtest/gtest.h>

#include <chrono>
#include <vector>

#include "fw/testing/one_die.h"

namespace solidtlm::fw::testing {
namespace {

using namespace std::chrono_literals;

/// Every operation takes 1 ms, also while others are under way.
class MillisecondFlash : public hal::Flash {
  public:
    explicit MillisecondFlash(FakeClock& clock) : clock_(clock) {}
    void submit(hal::FlashOp& op) override {
        submitted.push_back(clock_.now());
        if (op.ledger != nullptr) {
            op.ledger->enter(Stage::array, clock_.now());
        }
        clock_.at(clock_.now() + 1ms, [&op] {
            op.status = hal::FlashStatus::erase_failed;
            op.done();
        });
    }
    [[nodiscard]] std::uint32_t pending(hal::Channel /*channel*/, hal::Die /*die*/) const override {
        return 0;
    }
    [[nodiscard]] bool factory_bad(const hal::FlashAddress& /*block*/) const override { return false; }

    std::vector<Ps> submitted;

  private:
    FakeClock& clock_;
};

/// A core with 2 ns per cycle: 100 cycles to issue an operation, 50 to handle its end.
struct Bench : FlashBench<MillisecondFlash> {
    Bench() {
        config.cycles.flash_issue = 100;
        config.cycles.flash_complete = 50;
    }

    hal::FlashOp op = superpage_op(layout, hal::FlashOpcode::erase, SuperpageAddress{}, Cause::host);
    Ledger ledger;
    hal::FlashStatus status = hal::FlashStatus::ok;
    std::vector<Ps> ended;
};

Task<void> carry_out_one(Bench& bench) {
    bench.ledger.start(Stage::firmware_wait, bench.clock.now());
    const Besides work{.before = 10, .after = 25};
    bench.status = co_await carry_out(bench.services, bench.op, Cause::gc, &bench.ledger, work);
    bench.ledger.enter(Stage::completion, bench.clock.now());
    bench.ended.push_back(bench.clock.now());
}

TEST(CarryOut, TakesTheCoreBeforeAndAfterTheOperation) {
    Bench bench;
    bench.run(carry_out_one(bench));
    EXPECT_EQ(bench.flash.submitted, std::vector<Ps>{220ns});
    EXPECT_EQ(bench.ended, std::vector<Ps>{220ns + 1ms + 150ns});
    EXPECT_EQ(bench.status, hal::FlashStatus::erase_failed);
    EXPECT_EQ(bench.op.cause, Cause::gc);
    EXPECT_EQ(bench.ledger[Stage::array], 1ms);
    EXPECT_EQ(bench.ledger[Stage::firmware_execute], 370ns);
    EXPECT_EQ(bench.ledger.total(), bench.clock.now());
}

Task<void> carry_out_with_two_ledgers(Bench& bench, Ledger& own) {
    own.start(Stage::firmware_wait, bench.clock.now());
    bench.op.ledger = &own;
    return carry_out_one(bench);
}

TEST(CarryOut, LeavesAnOperationItsOwnLedger) {
    Bench bench;
    Ledger own;
    bench.run(carry_out_with_two_ledgers(bench, own));
    EXPECT_EQ(own[Stage::firmware_wait], 220ns);
    EXPECT_EQ(own.current(), Stage::array);
    EXPECT_EQ(bench.ledger[Stage::array], 0ns);
    EXPECT_EQ(bench.ledger.total(), bench.clock.now());
}

Task<void> keep_core_busy(Bench& bench) {
    const std::uint64_t cycles = 1'000'000;  // 2 ms
    co_await bench.executor.spend(cycles);
}

Task<void> carry_out_beside_other_work(Bench& bench) {
    const hal::Completion ended{[](void* self) {
                                    auto& told = *static_cast<Bench*>(self);
                                    told.ended.push_back(told.clock.now());
                                },
                                &bench};
    const Besides tells{.ended = ended};
    bench.executor.spawn(keep_core_busy(bench));
    bench.status = co_await carry_out(bench.services, bench.op, Cause::gc, nullptr, tells);
    bench.ended.push_back(bench.clock.now());
}

TEST(CarryOut, ReportsTheInstantOfTheEndWhileTheCoreIsBusy) {
    Bench bench;
    bench.run(carry_out_beside_other_work(bench));
    EXPECT_EQ(bench.ended, (std::vector<Ps>{200ns + 1ms, 200ns + 2ms + 100ns}));
    EXPECT_EQ(bench.status, hal::FlashStatus::erase_failed);
}

Task<void> start_two(Bench& bench) {
    Join join(bench.executor, "erases");
    hal::FlashOp other = bench.op;
    start(bench.services, bench.op, join);
    start(bench.services, other, join);
    EXPECT_EQ(join.pending(), 2);
    co_await join.wait();
    bench.ended.push_back(bench.clock.now());
}

TEST(CarryOut, StartsSeveralAtOnce) {
    Bench bench;
    bench.run(start_two(bench));
    EXPECT_EQ(bench.flash.submitted, (std::vector<Ps>{0ns, 0ns}));
    EXPECT_EQ(bench.ended, std::vector<Ps>{1ms});
}

}  // namespace
}  // namespace solidtlm::fw::testing
