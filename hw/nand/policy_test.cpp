// SPDX-License-Identifier: Apache-2.0
//
// Priorities: queue order, bus arbitration, suspension; and operations that break rules on the way through
// the controller.
#include <gtest/gtest.h>

#include "hw/nand/flash_controller.h"
#include "hw/nand/page_group.h"
#include "hw/nand/test_bench.h"

namespace solidtlm::hw {
namespace {

using namespace std::chrono_literals;
using namespace test;

constexpr Ps kCommand = 7 * 20ns + 100ns;     // SDR mode 5: 00h-5A-30h, tWB
constexpr Ps kDataOut = 20ns + kPage * 20ns;  // tRR and a page
constexpr Ps kDataIn = 7 * 20ns + 400ns + kPage * 20ns + 100ns;
constexpr Ps kStatus = 20ns + 80ns + 20ns;

/// Requests in the form that the queue uses.
struct Waiting {
    std::vector<std::unique_ptr<TestOp>> ops;
    std::vector<std::unique_ptr<FlashRequest>> requests;
    FlashRequest& add(FlashOpcode opcode, const FlashAddress& address, Cause cause = Cause::host) {
        ops.push_back(std::make_unique<TestOp>(opcode, address, cause));
        requests.push_back(std::make_unique<FlashRequest>());
        requests.back()->op = &ops.back()->op;
        return *requests.back();
    }
};

std::vector<FlashRequest*> order(DieQueue& queue) {
    std::vector<FlashRequest*> result;
    while (!queue.empty()) {
        result.push_back(queue.next());
        queue.remove(*result.back());
    }
    return result;
}

TEST(DieQueue, ReadsOvertakeButNotOnTheirBlock) {
    Waiting w;
    DieQueue queue(true);
    FlashRequest& program = w.add(FlashOpcode::program, at(0, 0, 1, 3));
    FlashRequest& same = w.add(FlashOpcode::read, at(0, 0, 1, 0));
    FlashRequest& other = w.add(FlashOpcode::read, at(0, 0, 2, 0));
    FlashRequest& erase = w.add(FlashOpcode::erase, at(0, 0, 2, 0));
    FlashRequest& late = w.add(FlashOpcode::read, at(0, 1, 2, 0));
    for (FlashRequest* request : {&program, &same, &other, &erase, &late}) {
        queue.push(*request);
    }
    EXPECT_EQ(order(queue), (std::vector<FlashRequest*>{&other, &late, &program, &same, &erase}));
}

TEST(DieQueue, FirstInFirstOutWhenReadsMayNotOvertake) {
    Waiting w;
    DieQueue queue(false);
    FlashRequest& program = w.add(FlashOpcode::program, at(0, 0, 1, 3));
    FlashRequest& read = w.add(FlashOpcode::read, at(0, 0, 2, 0));
    queue.push(program);
    queue.push(read);
    EXPECT_EQ(order(queue), (std::vector<FlashRequest*>{&program, &read}));
}

TEST(DieQueue, OvertakingReadsKeepTheirOrder) {
    Waiting w;
    DieQueue queue(true);
    FlashRequest& first = w.add(FlashOpcode::program, at(0, 0, 1, 0));
    FlashRequest& read = w.add(FlashOpcode::read, at(0, 0, 5, 0));
    FlashRequest& second = w.add(FlashOpcode::program, at(0, 0, 2, 0));
    FlashRequest& late = w.add(FlashOpcode::read, at(0, 0, 6, 0));
    for (FlashRequest* request : {&first, &read, &second, &late}) {
        queue.push(*request);
    }
    EXPECT_EQ(order(queue), (std::vector<FlashRequest*>{&read, &late, &first, &second}));
}

TEST(DieQueue, AnEraseWaitsForEarlierReadsAndCopyBackForItsSource) {
    Waiting w;
    DieQueue queue(true);
    FlashRequest& read = w.add(FlashOpcode::read, at(0, 0, 4, 0));
    FlashRequest& erase = w.add(FlashOpcode::erase, at(0, 0, 4, 0));
    queue.push(read);
    queue.push(erase);
    EXPECT_EQ(queue.next(), &read);
    FlashRequest& copy = w.add(FlashOpcode::copy_back, at(0, 0, 7, 0));
    copy.op->source[0] = at(0, 0, 3, 0);
    EXPECT_TRUE(share_block(*w.add(FlashOpcode::erase, at(0, 0, 3, 0)).op, *copy.op));
    EXPECT_TRUE(share_block(*copy.op, *w.add(FlashOpcode::read, at(0, 0, 7, 9)).op));
    EXPECT_FALSE(share_block(*copy.op, *w.add(FlashOpcode::read, at(0, 1, 7, 9)).op));
}

TEST(BusArbitration, Policies) {
    const auto waiter = [](unsigned die, bool read, bool data) {
        return BusWaiter{nullptr, hal::Die{static_cast<std::uint16_t>(die)}, read, data};
    };
    const std::array waiters{waiter(2, false, true), waiter(0, true, true), waiter(3, true, false),
                             waiter(1, false, false)};
    const auto pick = [&waiters](const char* name, std::uint16_t last) {
        return hal::named(bus_arbitrations(), name).pick(waiters, hal::Die{last});
    };
    EXPECT_EQ(pick("fcfs", 0), 0U);
    EXPECT_EQ(pick("read_first", 0), 2U);
    EXPECT_EQ(pick("round_robin", 0xFFFF), 1U) << "die 0";
    EXPECT_EQ(pick("round_robin", 0), 3U) << "die 1";
    EXPECT_EQ(pick("round_robin", 1), 0U) << "die 2";
    EXPECT_EQ(pick("round_robin", 2), 2U) << "die 3";
    EXPECT_EQ(pick("round_robin", 3), 1U) << "die 0 again";
}

TEST(Bursts, WidenToCodewordsAndJoin) {
    NandConfig config = small_config();
    config.ecc = EccConfig{1024, 112, 1000.0, 1000.0, {}, {}};
    PagePlanner planner(config, hal::Channel{0});
    PageGroup pages;
    const std::vector<Burst>& bursts = pages.bursts;
    TestOp read(FlashOpcode::read, at(0, 0, 0, 0));
    read.piece(3584, 512, 0).piece(512, 512, 0).piece(1024, 512, 0).with_spare(16);
    ASSERT_EQ(planner.plan(read.op, pages), nullptr);
    ASSERT_EQ(bursts.size(), 2U);
    EXPECT_EQ(bursts[0].bytes, 2 * 1136U) << "512-1536 touch two codewords";
    EXPECT_EQ(bursts[0].codewords, 2U);
    EXPECT_EQ(bursts[1].bytes, 1136U + 16U);
    TestOp scan(FlashOpcode::read, at(0, 0, 0, 0));
    scan.with_spare(16);
    ASSERT_EQ(planner.plan(scan.op, pages), nullptr);
    ASSERT_EQ(bursts.size(), 1U);
    EXPECT_EQ(bursts[0].bytes, 16U);
}

// Two dies, one bus, in order of requests: the program's data occupies the bus, and the read's command waits
// for it.
TEST(Controller, AWaitForTheBusIsChargedToItsHolder) {
    Bench bench(small_config(2));
    bench.preset(at(1, 0, 0, 0));
    TestOp program(FlashOpcode::program, at(0, 0, 0, 0), Cause::gc), read(FlashOpcode::read, at(1, 0, 0, 0));
    program.piece(0, kPage, 0);
    read.piece(0, kPage, kPage);
    bench.core.submit(program.op);
    Bench::run_for(10us);
    read.with_ledger();
    bench.core.submit(read.op);
    Bench::run_for(1ms);
    EXPECT_EQ(read.ledger[channel_wait_for(hal::Holder::gc)], kDataIn - 10us);
    EXPECT_EQ(bench.core.finished_at(read.op), kDataIn + kCommand + 25us + kDataOut);
    EXPECT_EQ(bench.core.finished_at(program.op), kDataIn + 200us + kStatus);
}

TEST(Controller, AWaitForADieIsChargedToTheErase) {
    Bench bench(small_config());
    bench.preset(at(0, 0, 0, 0));
    TestOp erase(FlashOpcode::erase, at(0, 0, 1, 0), Cause::wear), read(FlashOpcode::read, at(0, 0, 0, 0));
    read.piece(0, kPage, 0);
    bench.core.submit(erase.op);
    Bench::run_for(10us);
    read.with_ledger();
    bench.core.submit(read.op);
    Bench::run_for(5ms);
    const Ps erased = 5 * 20ns + 100ns + 1500us + kStatus;
    EXPECT_EQ(read.ledger[die_wait_for(hal::Holder::erase)], erased - 10us);
    EXPECT_EQ(bench.core.finished_at(read.op), erased + kCommand + 25us + kDataOut);
    const auto statistics = bench.channel.controller.statistics();
    EXPECT_EQ(statistics.die_held[static_cast<std::size_t>(Cause::wear)], erased);
    EXPECT_EQ(statistics.array_busy[static_cast<std::size_t>(Cause::wear)], 1500us);
}

// As above with suspension: the read goes at once, and the erase ends later by the time that it lost.
TEST(Controller, AHostReadSuspendsAnErase) {
    NandConfig config = small_config();
    config.controller.suspend_erase = true;
    config.timing.suspend = 20us;
    Bench bench(config);
    bench.preset(at(0, 0, 0, 0));
    TestOp erase(FlashOpcode::erase, at(0, 0, 1, 0), Cause::gc), read(FlashOpcode::read, at(0, 0, 0, 0)),
        other(FlashOpcode::read, at(0, 0, 0, 0), Cause::gc);
    erase.with_ledger();
    bench.core.submit(erase.op);
    Bench::run_for(500us);
    read.piece(0, kPage, 0).with_ledger();
    other.piece(0, kPage, 0);
    bench.core.submit(read.op);
    Bench::run_for(5ms);
    const Ps suspend = 4 * 20ns + 100ns;  // a command, three row address cycles, tWB
    const Ps read_end = 500us + suspend + 20us + kCommand + 25us + kDataOut;
    EXPECT_EQ(bench.core.finished_at(read.op), read_end);
    const Ps array_begin = 5 * 20ns + 100ns;
    const Ps rest = 1500us - (500us + suspend - array_begin);
    EXPECT_EQ(bench.core.finished_at(erase.op), read_end + suspend + 20us + rest + kStatus);
    EXPECT_EQ(erase.ledger[Stage::array], 1500us + 20us) << "and the time to resume";
    EXPECT_EQ(erase.ledger[die_wait_for(hal::Holder::host)], read_end - 500us - suspend);
    EXPECT_EQ(erase.ledger.total(), erase.ledger.last() - erase.ledger.begin());
    const auto statistics = bench.channel.controller.statistics();
    EXPECT_EQ(statistics.suspends, 1U);
    // The array stops for the read and resumes for the erase; the erase itself takes tBERS, in two parts.
    EXPECT_EQ(statistics.array_busy[static_cast<std::size_t>(Cause::host)], 20us + 25us);
    EXPECT_EQ(statistics.array_busy[static_cast<std::size_t>(Cause::gc)], 1500us + 20us);
    // A read of garbage collection waits.
    TestOp again(FlashOpcode::erase, at(0, 0, 1, 0));
    bench.core.submit(again.op);
    Bench::run_for(500us);
    bench.core.submit(other.op);
    Bench::run_for(5ms);
    EXPECT_GT(bench.core.finished_at(other.op), bench.core.finished_at(again.op));
}

// Two reads that come one after the other pause a program twice.
TEST(Controller, APausedProgramCountsOnlyItsOwnArrayTime) {
    NandConfig config = small_config();
    config.controller.suspend_program = true;
    config.timing.suspend = 10us;
    Bench bench(config);
    bench.preset(at(0, 0, 0, 0));
    TestOp program(FlashOpcode::program, at(0, 0, 1, 0), Cause::gc);
    program.piece(0, kPage, 0);
    std::array<std::unique_ptr<TestOp>, 2> reads;
    bench.core.submit(program.op);
    for (auto& read : reads) {
        Bench::run_for(150us);
        read = std::make_unique<TestOp>(FlashOpcode::read, at(0, 0, 0, 0));
        read->piece(0, kPage, 0);
        bench.core.submit(read->op);
    }
    Bench::run_for(5ms);
    const auto statistics = bench.channel.controller.statistics();
    EXPECT_EQ(statistics.suspends, 2U);
    EXPECT_EQ(statistics.array_busy[static_cast<std::size_t>(Cause::host)], 2 * (10us + 25us));
    EXPECT_EQ(statistics.array_busy[static_cast<std::size_t>(Cause::gc)], 200us + 2 * 10us);
}

TEST(Controller, SuspensionsAreLimited) {
    NandConfig config = small_config();
    config.controller.suspend_program = true;
    config.controller.max_suspends = 2;
    Bench bench(config);
    bench.preset(at(0, 0, 0, 0));
    TestOp program(FlashOpcode::program, at(0, 0, 1, 0));
    program.piece(0, kPage, 0);
    bench.core.submit(program.op);
    Bench::run_for(100us);
    std::array<std::unique_ptr<TestOp>, 4> reads;
    for (auto& read : reads) {
        read = std::make_unique<TestOp>(FlashOpcode::read, at(0, 0, 0, 0));
        read->piece(0, 512, 0);
        bench.core.submit(read->op);
    }
    Bench::run_for(5ms);
    EXPECT_LT(bench.core.finished_at(reads[1]->op), bench.core.finished_at(program.op));
    EXPECT_GT(bench.core.finished_at(reads[2]->op), bench.core.finished_at(program.op));
}

TEST(Controller, RefusesInvalidOperationsAndContinues) {
    Bench bench(small_config(2));
    TestOp no_die(FlashOpcode::read, at(7, 0, 0, 0)), no_plane(FlashOpcode::read, at(0, 0, 0, 0)),
        outside(FlashOpcode::read, at(0, 0, 0, 0)), spare(FlashOpcode::read, at(0, 0, 0, 0)),
        pieces(FlashOpcode::erase, at(0, 0, 0, 0));
    no_plane.op.planes = 3;
    outside.piece(3584, 1024, 0);
    spare.with_spare(17);  // the flash keeps 16 bytes
    pieces.piece(0, 512, 0);
    for (TestOp* test : {&no_die, &no_plane, &outside, &spare, &pieces}) {
        EXPECT_EQ(bench.run(test->op), 0ns);
        EXPECT_EQ(test->op.status, FlashStatus::rule_violation);
    }
    EXPECT_EQ(bench.channel.controller.violations().count(Violation::bad_request), 5U);
    EXPECT_EQ(bench.channel.violations(), 5U);
    EXPECT_NE(bench.channel.first_violation().find("bad_request"), std::string::npos);
    EXPECT_EQ(bench.channel.controller.pending(hal::Die{0}), 0U);
}

TEST(Controller, ARefusedOperationLeavesTheDieUsable) {
    NandConfig config = small_config();
    Bench bench(config);
    for (unsigned page = 0; page < 4; ++page) {
        bench.preset(at(0, 0, 0, page));
    }
    TestOp again(FlashOpcode::program, at(0, 0, 0, 2));
    again.piece(0, kPage, 0).with_ledger();
    EXPECT_EQ(bench.run(again.op), kDataIn) << "refused at 10h, the array does not start";
    EXPECT_EQ(again.op.status, FlashStatus::rule_violation);
    EXPECT_EQ(again.ledger.total(), kDataIn);
    TestOp crossing(FlashOpcode::copy_back, at(0, 0, 3, 0));
    crossing.op.source[0] = at(0, 1, 0, 0);
    bench.run(crossing.op);
    EXPECT_EQ(crossing.op.status, FlashStatus::rule_violation);
    // Between two valid operations: the first page is still read, and the queue continues.
    TestOp first(FlashOpcode::read, at(0, 0, 0, 0)), wrong(FlashOpcode::read, at(0, 0, 0, 1)),
        last(FlashOpcode::read, at(0, 0, 0, 3));
    wrong.op.address[1] = at(0, 1, 0, 2);  // another page on the other plane
    wrong.op.planes = 2;
    for (TestOp* test : {&first, &wrong, &last}) {
        test->piece(0, kPage, 0).with_ledger();
        bench.core.submit(test->op);
    }
    Bench::run_for(2ms);
    for (TestOp* test : {&first, &wrong, &last}) {
        ASSERT_TRUE(bench.core.done(test->op));
        EXPECT_EQ(test->ledger.total(), bench.core.finished_at(test->op) - test->ledger.begin());
        EXPECT_EQ(test->op.status, test == &wrong ? FlashStatus::rule_violation : FlashStatus::ok);
    }
}

TEST(Controller, AFailedPlaneIsFoundByEnhancedStatus) {
    NandConfig config = small_config();
    config.rules.endurance_cycles = 1;
    Bench bench(config);
    TestOp wear(FlashOpcode::erase, at(0, 1, 4, 0));
    bench.run(wear.op);
    TestOp both(FlashOpcode::erase, at(0, 0, 4, 0));
    both.plane(at(0, 1, 4, 0));
    const Ps enhanced = 4 * 20ns + 80ns + 20ns;  // 78h-3A
    bench.expect_takes(both.op, 9 * 20ns + 100ns + 1500us + kStatus + 2 * enhanced);
    EXPECT_EQ(both.op.status, FlashStatus::erase_failed);
    EXPECT_EQ(both.op.plane_status[0], FlashStatus::ok);
    EXPECT_EQ(both.op.plane_status[1], FlashStatus::erase_failed);
    EXPECT_EQ(bench.channel.violations(), 0U);
}

TEST(Controller, AnErasedOrTornPageIsNotStored) {
    Bench bench(small_config());
    TestOp erased(FlashOpcode::read, at(0, 0, 0, 0));
    erased.piece(0, kPage, 0);
    bench.expect_takes(erased.op, kCommand + 25us + kDataOut);
    EXPECT_EQ(erased.op.status, FlashStatus::erased);
    bench.channel.array(hal::Die{0}).tear_page(at(0, 0, 0, 0));
    bench.run(erased.op);
    EXPECT_EQ(erased.op.status, FlashStatus::uncorrectable);
    EXPECT_EQ(bench.dram.accesses, 0U);
}

TEST(Controller, APowerCutForgetsOperationsAndTearsPages) {
    NandConfig config = small_config(2);
    Bench bench(config);
    bench.dram.byte_time = 1ns;
    bench.dram.answers_later = true;
    bench.preset(at(0, 0, 0, 0));
    std::vector<std::unique_ptr<TestOp>> lost;
    const auto submit = [&](FlashOpcode opcode, const FlashAddress& address) {
        lost.push_back(std::make_unique<TestOp>(opcode, address));
        if (opcode != FlashOpcode::erase) {
            lost.back()->piece(0, kPage, 0);
        }
        bench.core.submit(lost.back()->op);
    };
    submit(FlashOpcode::program, at(0, 0, 0, 1));
    submit(FlashOpcode::program, at(0, 0, 0, 2));
    submit(FlashOpcode::read, at(0, 0, 0, 0));
    submit(FlashOpcode::erase, at(1, 0, 0, 0));
    Bench::run_for(200us);                         // the first program and the erase are running
    submit(FlashOpcode::program, at(1, 0, 3, 0));  // its DRAM access is under way
    Bench::run_for(1us);
    bench.power_cut();
    EXPECT_EQ(bench.channel.controller.pending(hal::Die{0}), 0U);
    Bench::run_for(5ms);
    for (const auto& op : lost) {
        EXPECT_FALSE(bench.core.done(op->op));
    }
    NandArray& array = bench.channel.array(hal::Die{0});
    EXPECT_EQ(array.read_page(at(0, 0, 0, 0), {}, {}), FlashStatus::ok);
    EXPECT_EQ(array.read_page(at(0, 0, 0, 1), {}, {}), FlashStatus::uncorrectable);
    EXPECT_EQ(array.read_page(at(0, 0, 0, 2), {}, {}), FlashStatus::erased);
    EXPECT_EQ(bench.channel.array(hal::Die{1}).read_page(at(1, 0, 0, 5), {}, {}), FlashStatus::uncorrectable);
    // Afterwards everything works again.
    TestOp read(FlashOpcode::read, at(0, 0, 0, 0));
    read.piece(0, kPage, 0);
    bench.expect_takes(read.op, kCommand + 25us + kDataOut + 4096ns);
}

// Reports ahead of time are corrected: every resource was busy until the cut.
TEST(Controller, APowerCutEndsBusyTimes) {
    NandConfig config = small_config(2);
    Bench bench(config);
    TestOp erase(FlashOpcode::erase, at(0, 0, 1, 0), Cause::gc),
        program(FlashOpcode::program, at(1, 0, 0, 0));
    program.piece(0, kPage, 0);
    bench.core.submit(erase.op);
    bench.core.submit(program.op);
    const Ps erase_command = 5 * 20ns + 100ns;
    Bench::run_for(50us);  // the erase is in the array, the program's data on the bus
    bench.power_cut();
    auto statistics = bench.channel.controller.statistics();
    EXPECT_EQ(statistics.array_busy[static_cast<std::size_t>(Cause::gc)], 50us - erase_command);
    EXPECT_EQ(statistics.array_busy[static_cast<std::size_t>(Cause::host)], 0us) << "not confirmed yet";
    EXPECT_EQ(statistics.bus_busy[static_cast<std::size_t>(Cause::gc)], erase_command);
    EXPECT_EQ(statistics.bus_busy[static_cast<std::size_t>(Cause::host)], 50us - erase_command);
    EXPECT_EQ(statistics.die_held[static_cast<std::size_t>(Cause::gc)], 50us);
    EXPECT_EQ(statistics.die_held[static_cast<std::size_t>(Cause::host)], 50us);
    // The next operation is counted in full, although the lost erase would still be running.
    TestOp again(FlashOpcode::erase, at(0, 0, 1, 0));
    bench.run(again.op);
    statistics = bench.channel.controller.statistics();
    EXPECT_EQ(statistics.array_busy[static_cast<std::size_t>(Cause::gc)], 50us - erase_command);
    EXPECT_EQ(statistics.array_busy[static_cast<std::size_t>(Cause::host)], 1500us);
}

TEST(Controller, APowerCutOfASuspendedEraseKeepsTheTimeSpent) {
    NandConfig config = small_config();
    config.controller.suspend_erase = true;
    config.timing.suspend = 20us;
    Bench bench(config);
    bench.preset(at(0, 0, 0, 0));
    TestOp erase(FlashOpcode::erase, at(0, 0, 1, 0), Cause::gc), read(FlashOpcode::read, at(0, 0, 0, 0));
    bench.core.submit(erase.op);
    Bench::run_for(500us);
    read.piece(0, kPage, 0);
    bench.core.submit(read.op);
    const Ps suspend = 4 * 20ns + 100ns;
    Bench::run_for(suspend + 5us);  // the array is stopping
    bench.power_cut();
    const auto statistics = bench.channel.controller.statistics();
    EXPECT_EQ(statistics.array_busy[static_cast<std::size_t>(Cause::gc)], 500us + suspend - 200ns);
    EXPECT_EQ(statistics.array_busy[static_cast<std::size_t>(Cause::host)], 5us);
}

// 4096 + 224 bytes are four codewords of 1080 bytes, 20 ns per byte on the bus: they arrive every 21.6 us
// and take 10 us each. A second read follows from the other die.
TEST(Controller, APowerCutEndsTheDecoder) {
    NandConfig config = small_config(2);
    config.ecc.codeword_bytes = 1024;
    config.ecc.parity_bytes = 56;
    config.ecc.decode_mb_per_s = 102.4;
    config.ecc.decode_latency = 1us;
    Bench bench(config);
    bench.preset(at(0, 0, 0, 0));
    TestOp read(FlashOpcode::read, at(0, 0, 0, 0));
    read.piece(0, kPage, 0);
    bench.core.submit(read.op);
    const Ps data = kCommand + 25us + 20ns;  // the first cycle
    const Ps second = data + 2 * 1080 * 20ns;
    Bench::run_for(second + 4us);
    bench.power_cut();
    EXPECT_EQ(bench.channel.controller.statistics().decoder_busy, 10us + 4us);
    bench.run(read.op);
    EXPECT_EQ(bench.channel.controller.statistics().decoder_busy, 10us + 4us + 4 * 10us);
}

// As above with a decoder that is slower than the bus: 30 us per codeword, so that work piles up.
TEST(Controller, APowerCutEndsADecoderThatIsBehind) {
    NandConfig config = small_config(2);
    config.ecc.codeword_bytes = 1024;
    config.ecc.parity_bytes = 56;
    config.ecc.decode_mb_per_s = 1024.0 / 30.0;
    Bench bench(config);
    bench.preset(at(0, 0, 0, 0));
    bench.preset(at(1, 0, 0, 0));
    TestOp read(FlashOpcode::read, at(0, 0, 0, 0)), other(FlashOpcode::read, at(1, 0, 0, 0));
    read.piece(0, kPage, 0);
    other.piece(0, kPage, 0);
    bench.core.submit(read.op);
    bench.core.submit(other.op);
    const Ps data = kCommand + 25us + 20ns;
    const Ps first = data + 1080 * 20ns;
    const Ps one_page = data + 4 * 1080 * 20ns;
    Bench::run_for(one_page + 1us);  // the other read's data is on the bus, none of its codewords is complete
    bench.power_cut();
    EXPECT_EQ(bench.channel.controller.statistics().decoder_busy, one_page + 1us - first);
}

TEST(Controller, APowerCutEndsTheEncoder) {
    NandConfig config = small_config();
    config.ecc.codeword_bytes = 1024;
    config.ecc.parity_bytes = 56;
    config.ecc.encode_mb_per_s = 102.4;
    Bench bench(config);
    TestOp program(FlashOpcode::program, at(0, 0, 0, 0));
    program.piece(0, kPage, 0);
    bench.core.submit(program.op);
    Bench::run_for(25us);
    bench.power_cut();
    EXPECT_EQ(bench.channel.controller.statistics().encoder_busy, 25us) << "of four codewords of 10 us";
}

// R/B# rises, and the controller will handle that in this very instant, or has done so.
class ControllerCut : public testing::TestWithParam<bool> {};

TEST_P(ControllerCut, AnOperationSubmittedInTheInstantOfACutTakesItsTime) {
    Bench bench(small_config());
    bench.preset(at(0, 0, 0, 0));
    TestOp lost(FlashOpcode::read, at(0, 0, 0, 0)), fresh(FlashOpcode::read, at(0, 0, 0, 0));
    lost.piece(0, kPage, 0);
    fresh.piece(0, kPage, 0);
    const Ps ready = kCommand + 25us;
    const auto cut = [&] {
        bench.power_cut();
        bench.core.submit(fresh.op);
    };
    if (GetParam()) {
        bench.dram.at(ready, cut);
    } else {
        bench.dram.at(ready - 1us, [&] { bench.dram.at(ready, cut); });
    }
    bench.core.submit(lost.op);
    Bench::run_for(5ms);
    EXPECT_FALSE(bench.core.done(lost.op));
    EXPECT_EQ(bench.core.finished_at(fresh.op), ready + ready + kDataOut);
    EXPECT_EQ(bench.channel.controller.statistics().array_busy[0], 2 * 25us);
}

INSTANTIATE_TEST_SUITE_P(Orders, ControllerCut, testing::Bool());

}  // namespace
}  // namespace solidtlm::hw
