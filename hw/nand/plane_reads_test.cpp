// SPDX-License-Identifier: Apache-2.0
//
// Planes that read independently (plane_reads.h): which reads of one die run at the same time, what waits,
// and that every wait is in the ledger. Times are those of SDR mode 5 (test_bench.h), written out.
#include "hw/nand/plane_reads.h"

#include <gtest/gtest.h>

#include <deque>

#include "hw/nand/flash_controller.h"
#include "hw/nand/test_bench.h"
#include "hw/tlm/test_printing.h"

namespace solidtlm::hw::plane_reads_test {
namespace {

using namespace std::chrono_literals;
using namespace test;

constexpr Ps kCycle = 20ns;
constexpr Ps kCommand = 7 * kCycle + 100ns;                          // 00h-5A-30h, tWB
constexpr Ps kRead = 25us;                                           // tR
constexpr Ps kSelect = 7 * kCycle + 500ns;                           // 06h-5A-E0h, tCCS
constexpr Ps kDataOut = 20ns + kSelect + kPage * kCycle;             // tRR, select, a page
constexpr Ps kDataIn = 7 * kCycle + 400ns + kPage * kCycle + 100ns;  // 80h-5A, tADL, a page, 10h, tWB
constexpr Ps kProgram = 200us;                                       // tPROG
constexpr Ps kStatus = kCycle + 80ns + kCycle;                       // 70h, tWHR, the status
constexpr Ps kPause = 4 * kCycle + 100ns;                            // suspend, and resume
constexpr Ps kHalt = 20us;                                           // the array comes to a halt
constexpr Ps kFirstEnds = kCommand + kRead + kDataOut;               // a read alone

NandConfig config_of(std::uint32_t planes, NandPlaneReads reads = NandPlaneReads::independent) {
    NandConfig config = small_config();
    config.geometry.planes = planes;
    config.plane_reads = reads;
    config.timing.plane_busy = 1us;
    config.timing.suspend = kHalt;
    return config;
}

/// A bench, and operations that are submitted at given instants of one run.
struct Scene {
    explicit Scene(const NandConfig& config) : bench(config), begin(now()) {
        for (unsigned plane = 0; plane < config.geometry.planes; ++plane) {
            for (unsigned block = 0; block < 2; ++block) {
                for (unsigned page = 0; page < 8; ++page) {
                    bench.preset(at(0, plane, block, page));
                }
            }
        }
    }
    TestOp& read(unsigned plane, unsigned block, unsigned page, Cause cause = Cause::host) {
        TestOp& op = ops.emplace_back(FlashOpcode::read, at(0, plane, block, page), cause);
        return submit(op.piece(0, kPage, (ops.size() - 1) * kPage).with_ledger());
    }
    TestOp& program(unsigned plane, unsigned block, Cause cause = Cause::gc) {
        TestOp& op = ops.emplace_back(FlashOpcode::program, at(0, plane, block, 0), cause);
        return submit(op.piece(0, kPage, (ops.size() - 1) * kPage).with_ledger());
    }
    TestOp& submit(TestOp& op) {
        bench.core.submit(op.op);
        return op;
    }
    /// Runs until all operations have ended. Checks that every picosecond of each is in its ledger, and that
    /// none was refused.
    void finish() {
        while (bench.core.open() > 0) {
            Bench::run_for(1ms);
            ASSERT_LT(now() - begin, Ps{1'000'000'000'000}) << "an operation does not end";
        }
        for (const TestOp& op : ops) {
            EXPECT_EQ(op.op.status, FlashStatus::ok);
            EXPECT_EQ(op.ledger.last(), bench.core.finished_at(op.op));
            EXPECT_EQ(op.ledger.total(), op.ledger.last() - op.ledger.begin());
        }
        EXPECT_EQ(bench.channel.violations(), 0U) << bench.channel.first_violation();
    }
    [[nodiscard]] Ps end_of(const TestOp& op) const { return bench.core.finished_at(op.op) - begin; }

    Bench bench;
    Ps begin;
    std::deque<TestOp> ops;
};

Ps sum(const TimeByCause& times) {
    Ps total{0};
    for (const Ps time : times) {
        total += time;
    }
    return total;
}

/// Time that a ledger shows as waiting for a die that this kind of holder held.
Ps die_wait(const TestOp& op, hal::Holder holder) {
    return op.ledger[static_cast<Stage>(static_cast<std::size_t>(Stage::die_wait) +
                                        static_cast<std::size_t>(holder))];
}

// Different blocks and page numbers: no multi-plane operation may read these two.
TEST(PlaneReads, TwoPlanesSenseAtTheSameTime) {
    Scene run(config_of(2));
    const TestOp& first = run.read(0, 0, 3);
    const TestOp& second = run.read(1, 1, 7);
    run.finish();
    EXPECT_EQ(run.end_of(first), kFirstEnds);
    EXPECT_EQ(run.end_of(second), kFirstEnds + kDataOut) << "data leave one after the other";
    EXPECT_EQ(second.ledger[Stage::array], kRead);
    EXPECT_EQ(second.ledger[Stage::channel_transfer], kCommand + kDataOut);
    EXPECT_EQ(die_wait(second, hal::Holder::host), Ps{0});
    const FlashControllerStatistics statistics = run.bench.channel.controller.statistics();
    EXPECT_EQ(sum(statistics.die_held), kFirstEnds + kDataOut) << "the die is held once";
    EXPECT_EQ(sum(statistics.array_busy), 2 * kRead) << "and each plane senses";
}

TEST(PlaneReads, WithPlanesThatReadTogetherTheSecondWaitsForTheFirst) {
    Scene run(config_of(2, NandPlaneReads::together));
    const TestOp& first = run.read(0, 0, 3);
    const TestOp& second = run.read(1, 1, 7);
    run.finish();
    EXPECT_EQ(run.end_of(first), kFirstEnds - kSelect) << "nothing is to be selected";
    EXPECT_EQ(run.end_of(second), 2 * (kFirstEnds - kSelect));
    EXPECT_EQ(die_wait(second, hal::Holder::host), kFirstEnds - kSelect);
}

TEST(PlaneReads, ADieOfOnePlaneReadsOnePageAtATime) {
    Scene run(config_of(1));
    const TestOp& only = run.read(0, 0, 3);
    run.finish();
    EXPECT_EQ(run.end_of(only), kFirstEnds - kSelect);
}

class Planes : public testing::TestWithParam<unsigned> {};

// Commands and data take turns on the bus; the arrays do not wait for each other.
TEST_P(Planes, ADieReadsOnePageOfEach) {
    Scene run(config_of(GetParam()));
    for (unsigned plane = 0; plane < GetParam(); ++plane) {
        run.read(plane, plane % 2, plane);
    }
    run.finish();
    for (unsigned plane = 0; plane < GetParam(); ++plane) {
        EXPECT_EQ(run.end_of(run.ops[plane]), kCommand + kRead + (plane + 1) * kDataOut);
        EXPECT_EQ(run.ops[plane].ledger[Stage::array], kRead);
    }
}

// Another read of plane 0 begins when the data of the first has left the plane. Its command goes before the
// waiting data, and its array works meanwhile.
TEST_P(Planes, AFurtherReadWaitsForItsPlane) {
    Scene run(config_of(GetParam()));
    for (unsigned plane = 0; plane < GetParam(); ++plane) {
        run.read(plane, 0, plane);
    }
    const TestOp& further = run.read(0, 1, 5);
    run.finish();
    EXPECT_EQ(die_wait(further, hal::Holder::host), kFirstEnds);
    EXPECT_EQ(run.end_of(further), kFirstEnds + kCommand + GetParam() * kDataOut);
    for (unsigned plane = 1; plane < GetParam(); ++plane) {
        EXPECT_EQ(run.end_of(run.ops[plane]), kFirstEnds + kCommand + plane * kDataOut);
    }
}

INSTANTIATE_TEST_SUITE_P(OfADie, Planes, testing::Values(2U, 3U, 4U, 8U));

TEST(PlaneReads, OfOnePlaneOneAfterTheOther) {
    Scene run(config_of(2));
    run.read(1, 0, 3);
    const TestOp& second = run.read(1, 1, 3);
    run.finish();
    EXPECT_EQ(run.end_of(second), 2 * kFirstEnds);
    EXPECT_EQ(die_wait(second, hal::Holder::host), kFirstEnds);
}

// MLC pages: the read that began later is ready first, and its data does not wait for the other's tR.
TEST(PlaneReads, AFastPageOvertakesASlowOne) {
    NandConfig config = config_of(2);
    config.timing.read = {25us, 150us};
    Scene run(config);
    const TestOp& slow = run.read(0, 0, 1);
    const TestOp& fast = run.read(1, 0, 2);
    run.finish();
    EXPECT_EQ(run.end_of(fast), kCommand + kFirstEnds);
    EXPECT_EQ(run.end_of(slow), kCommand + 150us + kDataOut);
}

TEST(PlaneReads, AProgramWaitsForAllPlanes) {
    Scene run(config_of(2));
    run.read(0, 0, 3, Cause::host);
    run.read(1, 1, 7, Cause::map);
    const TestOp& program = run.program(0, 5);
    run.finish();
    constexpr Ps kFree = kFirstEnds + kDataOut;
    EXPECT_EQ(run.end_of(program), kFree + kDataIn + kProgram + kStatus);
    EXPECT_EQ(die_wait(program, hal::Holder::host), kFirstEnds);
    EXPECT_EQ(die_wait(program, hal::Holder::map), kDataOut) << "the die is handed over";
}

TEST(PlaneReads, AReadWaitsForAProgramOfAnotherPlane) {
    Scene run(config_of(2));
    run.program(0, 5);
    Bench::run_for(10us);
    const TestOp& read = run.read(1, 1, 7);
    run.finish();
    constexpr Ps kFree = kDataIn + kProgram + kStatus;
    EXPECT_EQ(run.end_of(read), kFree + kFirstEnds);
    EXPECT_EQ(die_wait(read, hal::Holder::gc), kFree - 10us);
}

/// A read of plane 0, then a program that must wait for it, then a read of plane 1.
struct Behind : Scene {
    explicit Behind(bool reads_overtake)
        : Scene([&] {
              NandConfig config = config_of(2);
              config.controller.reads_overtake = reads_overtake;
              return config;
          }()) {
        read(0, 0, 3);
        program(0, 5);
        read(1, 1, 7);
        finish();
    }
};

TEST(PlaneReads, AReadOvertakesAProgramThatWaits) {
    Behind run(true);
    EXPECT_EQ(run.end_of(run.ops[2]), kFirstEnds + kDataOut);
    EXPECT_EQ(run.end_of(run.ops[1]), kFirstEnds + kDataOut + kDataIn + kProgram + kStatus);
}

TEST(PlaneReads, AReadStaysBehindAProgramWhereReadsDoNotOvertake) {
    Behind run(false);
    EXPECT_EQ(run.end_of(run.ops[1]), kFirstEnds + kDataIn + kProgram + kStatus);
    EXPECT_EQ(run.end_of(run.ops[2]), run.end_of(run.ops[1]) + kFirstEnds);
    EXPECT_EQ(die_wait(run.ops[2], hal::Holder::host), kFirstEnds) << "its plane was free";
}

// 00h-32h, tDBSY, 00h-30h, without a command of another read between them.
TEST(PlaneReads, AReadOfTwoPlanesNeedsTheDieAndIsNotPassed) {
    Scene run(config_of(2));
    run.read(0, 0, 3);
    TestOp& both = run.ops.emplace_back(FlashOpcode::read, at(0, 0, 1, 4));
    both.plane(at(0, 1, 0, 4)).piece(0, kPage, 8 * kPage).piece(0, kPage, 9 * kPage, 1).with_ledger();
    run.submit(both);
    const TestOp& last = run.read(1, 1, 7);
    run.finish();
    constexpr Ps kBoth = 2 * kCommand + 1us + kRead + kDataOut + (100ns + kDataOut - 20ns);  // tRHW, no tRR
    EXPECT_EQ(run.end_of(both), kFirstEnds + kBoth);
    EXPECT_EQ(run.end_of(last), kFirstEnds + kBoth + kFirstEnds);
}

// The program is paused once for both reads; the second one begins when the array has stopped.
TEST(PlaneReads, AnotherReadJoinsOneThatPausesAProgram) {
    NandConfig config = config_of(2);
    config.controller.suspend_program = true;
    Scene run(config);
    const TestOp& program = run.program(0, 5);
    constexpr Ps kAsked = kDataIn + 50us;
    Bench::run_for(kAsked);
    const TestOp& first = run.read(0, 0, 3);
    const TestOp& second = run.read(1, 1, 7);
    run.finish();
    constexpr Ps kStands = kAsked + kPause + kHalt;
    constexpr Ps kLeft = kStands + kFirstEnds + kDataOut;
    constexpr Ps kRest = kProgram - 50us - kPause;
    EXPECT_EQ(run.end_of(first), kStands + kFirstEnds);
    EXPECT_EQ(run.end_of(second), kLeft);
    EXPECT_EQ(die_wait(second, hal::Holder::gc), kPause);
    EXPECT_EQ(die_wait(second, hal::Holder::host), kHalt);
    EXPECT_EQ(run.end_of(program), kLeft + kPause + kHalt + kRest + kStatus);
    EXPECT_EQ(die_wait(program, hal::Holder::host), kHalt + kFirstEnds + kDataOut);
    EXPECT_EQ(run.bench.channel.controller.statistics().suspends, 1U);
}

// The only pause that is allowed is used by the first read; the second read waits until the program ends.
TEST(PlaneReads, NoReadJoinsBeyondTheMostPauses) {
    NandConfig config = config_of(2);
    config.controller.suspend_program = true;
    config.controller.max_suspends = 1;
    Scene run(config);
    const TestOp& program = run.program(0, 5);
    Bench::run_for(kDataIn + 50us);
    run.read(0, 0, 3);
    const TestOp& second = run.read(1, 1, 7);
    run.finish();
    EXPECT_EQ(run.end_of(second), run.end_of(program) + kFirstEnds);
}

// Decoding of both reads fails once. The level applies to the whole die, so each is read again with the die
// to itself, the first one when the data of the second has left.
TEST(PlaneReads, ARetryNeedsTheWholeDie) {
    NandConfig config = config_of(2);
    config.geometry.spare_bytes = 4 * 112 + 16;
    config.ecc.codeword_bytes = 1024;
    config.ecc.parity_bytes = 112;
    config.ecc.correctable_bits = 64;
    config.ecc.retries = 4;
    config.ecc.retry_factor = 0.1;
    config.faults.bit_errors = true;
    config.faults.rber = RberModel{.eps = 0.02, .alpha = 0, .beta = 0, .gamma = 0};  // 182 of 9,088 bits, 18
    Scene run(config);
    const TestOp& first = run.read(0, 0, 3);
    const TestOp& second = run.read(1, 1, 7);
    run.finish();
    constexpr Ps kOut = 20ns + kSelect + 4 * 1136 * kCycle;
    constexpr Ps kDecode = 640ns + 1us;
    constexpr Ps kLevel = 2 * kCycle + 400ns + 4 * kCycle + 100ns + 1us;  // EFh, tFEAT
    constexpr Ps kAgain = 2 * kLevel + kCommand + kRead + kOut + kDecode;
    constexpr Ps kFirstFails = kCommand + kRead + kOut + kDecode;
    constexpr Ps kFree = kCommand + kRead + 2 * kOut;
    EXPECT_EQ(first.op.retries, 1U);
    EXPECT_EQ(second.op.retries, 1U);
    EXPECT_EQ(run.end_of(first), kFree + kAgain);
    EXPECT_EQ(run.end_of(second), kFree + 2 * kAgain);
    EXPECT_EQ(die_wait(first, hal::Holder::host), kFree - kFirstFails);
}

TEST(PlaneReads, APowerCutForgetsBothAndCountsUpToIt) {
    Scene run(config_of(2));
    run.read(0, 0, 3);
    run.read(1, 1, 7);
    constexpr Ps kCut = kCommand + 10us;
    Bench::run_for(kCut);
    run.bench.power_cut();
    run.ops.clear();
    const FlashControllerStatistics statistics = run.bench.channel.controller.statistics();
    EXPECT_EQ(sum(statistics.die_held), kCut);
    EXPECT_EQ(sum(statistics.array_busy), 2 * kCut - 3 * kCommand) << "one began a command after the other";
    run.begin = now();
    const TestOp& after = run.read(1, 0, 2);
    run.finish();
    EXPECT_EQ(run.end_of(after), kFirstEnds) << "no plane is busy any more";
}

// The cut comes while the data of the first read leaves: the second, whose data waits, no longer holds the
// die either.
TEST(PlaneReads, APowerCutAmongDataReleasesTheDie) {
    Scene run(config_of(2));
    run.read(0, 0, 3);
    run.read(1, 1, 7);
    constexpr Ps kCut = kCommand + kRead + 10us;
    Bench::run_for(kCut);
    run.bench.power_cut();
    run.ops.clear();
    EXPECT_EQ(sum(run.bench.channel.controller.statistics().die_held), kCut);
    run.begin = now();
    const TestOp& program = run.program(0, 5);
    run.finish();
    EXPECT_EQ(run.end_of(program), kDataIn + kProgram + kStatus);
}

}  // namespace
}  // namespace solidtlm::hw::plane_reads_test
