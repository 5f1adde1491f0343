// SPDX-License-Identifier: Apache-2.0
//
// The core's port: cutting in, the time taken from transfers, bookings ahead of time.
#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <vector>

#include "hw/dram/dram.h"
#include "hw/dram/dram_test_bench.h"

namespace solidtlm::hw {
namespace {

using namespace std::chrono_literals;

constexpr Ps kQuantum{160'000};  // 512 bytes
constexpr std::uint64_t kOtherBank = 7ULL * 2048;

TEST(DramCore, IdleDramCostsItsLatencyOnly) {
    DramBench bench("bench", DramConfig{});
    bench.at(1us, [&] {
        const auto first = bench.core_access(0, 16);
        EXPECT_EQ(first.wait, 0ns);
        EXPECT_EQ(first.transfer, 2 * kLatency + kBurst);
        EXPECT_EQ(first.delay, first.transfer);
        const auto second = bench.core_access(16, 16, first.delay);
        EXPECT_EQ(second.wait, 0ns);
        EXPECT_EQ(second.delay, first.delay + kLatency + kBurst) << "adds to the delay it was given";
    });
    run(10us);
    EXPECT_EQ(bench.dram.statistics().core.accesses, 2U);
    EXPECT_EQ(bench.dram.statistics().activations, 0U);
}

TEST(DramCore, CutsInAtTheNextQuantum) {
    DramBench bench("bench", DramConfig{});
    const Ps data_begin = 2 * kLatency;
    bench.at(0ns, [&] { bench.host.send(kRead, 0, 4096); });
    bench.at(data_begin + 10ns, [&] { EXPECT_EQ(bench.core_access(kOtherBank, 16).wait, kQuantum - 10ns); });
    run(10us);
    EXPECT_EQ(bench.host.results.at(0).done, 2 * kLatency + 2 * kRowTime) << "already announced";
    EXPECT_EQ(bench.dram.statistics().cut_ins, 1U);
}

TEST(DramCore, AtABoundaryItDoesNotWaitAndBeforeTheDataItWaitsForAQuantum) {
    DramBench bench("bench", DramConfig{});
    const Ps data_begin = 2 * kLatency;
    bench.at(0ns, [&] { bench.host.send(kRead, 0, 4096); });
    bench.at(data_begin + 3 * kQuantum, [&] { EXPECT_EQ(bench.core_access(kOtherBank, 16).wait, 0ns); });
    bench.at(100us, [&] { bench.host.send(kRead, 0, 4096); });
    bench.at(100us + 1ns, [&] {
        EXPECT_EQ(bench.core_access(kOtherBank, 16).wait, kLatency + kQuantum - 1ns) << "row hit: CL first";
    });
    run(200us);
}

TEST(DramCore, NearTheEndItWaitsOnlyForTheEnd) {
    DramBench bench("bench", DramConfig{});
    const Ps end = 2 * kLatency + 20 * kBurst;  // 320 bytes, less than a quantum
    bench.at(0ns, [&] { bench.host.send(kRead, 0, 320); });
    bench.at(end - 3ns, [&] { EXPECT_EQ(bench.core_access(kOtherBank, 16).wait, 3ns); });
    run(10us);
}

TEST(DramCore, ItsTimeIsChargedToTheTransferServedNext) {
    DramBench bench("bench", DramConfig{});
    const Ps first_end = 2 * kLatency + 2 * kRowTime;
    const Ps stolen = 2 * kLatency + kBurst;
    bench.at(0ns, [&] { bench.host.send(kRead, 0, 4096); });
    bench.at(300ns, [&] { bench.flash0.send(kRead, 0, 2048); });
    bench.at(400ns, [&] { EXPECT_EQ(bench.core_access(kOtherBank, 16).transfer, stolen); });
    run(10us);
    EXPECT_EQ(bench.host.results.at(0).done, first_end);
    const auto& next = bench.flash0.results.at(0);
    EXPECT_EQ(next.wait, first_end + stolen - 300ns);
    EXPECT_EQ(next.done, first_end + stolen + kLatency + kRowTime);
    EXPECT_EQ(bench.dram.statistics().activations, 1U);
    EXPECT_EQ(bench.dram.statistics().busy(), next.done);
}

TEST(DramCore, IdleTimePaysTheDebt) {
    DramBench bench("bench", DramConfig{});
    bench.at(0ns, [&] { bench.host.send(kRead, 0, 4096); });
    bench.at(400ns, [&] { bench.core_access(kOtherBank, 16); });
    bench.at(5us, [&] { bench.flash0.send(kRead, 0, 2048); });
    run(10us);
    EXPECT_EQ(bench.flash0.results.at(0).wait, 0ns);
}

TEST(DramCore, AnAccessBookedAheadDelaysOnlyTransfersThatMeetIt) {
    DramBench bench("bench", DramConfig{});
    const Ps duration = 2 * kLatency + kBurst;  // 32.5 ns
    bench.at(0ns, [&] {
        EXPECT_EQ(bench.core_access(kOtherBank, 16, 1us).wait, 0ns);
        bench.host.send(kRead, 0, 512);  // has ended long before
    });
    bench.at(1us + 10ns, [&] { bench.flash0.send(kRead, 0, 512); });  // meets the booked access
    run(10us);
    EXPECT_EQ(bench.host.results.at(0).wait, 0ns);
    EXPECT_EQ(bench.flash0.results.at(0).wait, duration - 10ns);
    EXPECT_EQ(bench.flash0.results.at(0).done, 1us + duration + kLatency + kQuantum);
}

TEST(DramCore, TransferFlowsAroundABookedAccess) {
    DramBench bench("bench", DramConfig{});
    const Ps duration = 2 * kLatency + kBurst;
    bench.at(0ns, [&] {
        bench.core_access(kOtherBank, 16, 500ns);
        bench.host.send(kRead, 0, 4096);
    });
    run(10us);
    const auto& result = bench.host.results.at(0);
    EXPECT_EQ(result.done, 2 * kLatency + 2 * kRowTime + duration);
    EXPECT_EQ(result.wait, duration);
    EXPECT_EQ(result.transfer, 2 * kLatency + 2 * kRowTime);
}

// Random traffic on all ports: the times of every answer add up, one access is served at a time, and work is
// conserved.
TEST(DramCore, RandomTrafficConservesBandwidth) {
    DramBench bench("bench", DramConfig{});
    std::mt19937_64 random(99);
    const std::array<DramInitiator*, 4> initiators{&bench.host, &bench.flash0, &bench.flash1, &bench.hash};
    constexpr int kRequests = 4000;
    Ps core_busy{0};
    std::uint64_t core_accesses = 0;
    Ps at{0};
    for (int i = 0; i < kRequests; ++i) {
        at += Ps{static_cast<std::int64_t>(random() % 1'000'000)};  // 0.5 us on average; each takes 1.3
        const std::uint64_t address = (random() % 20000) * 512;
        DramInitiator* initiator = initiators[random() % 4];
        bench.at(at, [=] { initiator->send(kRead, address, 4096); });
        if (random() % 2 == 0) {
            const Ps offset{static_cast<std::int64_t>(random() % 300'000)};
            bench.at(at, [&, address, offset] {
                const auto result = bench.core_access(address, 64, offset);
                EXPECT_EQ(result.delay, offset + result.wait + result.transfer);
                core_busy += result.transfer;
                ++core_accesses;
            });
        }
    }
    run(at + 10ms);
    Ps busy = core_busy;
    Ps last{0};
    std::size_t answered = 0;
    for (const DramInitiator* initiator : initiators) {
        EXPECT_EQ(initiator->pool.in_use(), 0U);
        for (const auto& result : initiator->results) {
            EXPECT_EQ(result.done - result.issued, result.wait + result.transfer);
            EXPECT_GE(result.wait, Ps{0});
            busy += result.transfer;
            last = std::max(last, result.done);
            ++answered;
        }
    }
    EXPECT_EQ(answered, static_cast<std::size_t>(kRequests));
    const DramStatistics statistics = bench.dram.statistics();
    EXPECT_EQ(statistics.busy(), busy);
    EXPECT_EQ(statistics.core.accesses, core_accesses);
    EXPECT_LE(statistics.activations, static_cast<std::uint64_t>(kRequests));
    // Overloaded from early on: the DRAM is busy without gaps, and never serves two accesses at once.
    EXPECT_LE(busy, last);
    EXPECT_GT(busy, last - 20us);
}

// Random runs of core accesses among transfers of the host, requested as one call and one by one: alike or
// not, in the way or not, within one row or beyond it.
TEST(DramCore, ConsecutiveAccessesTakeTheSameTimesInOneCall) {
    DramBench together("together", DramConfig{});
    DramBench apart("apart", DramConfig{});
    std::vector<DramTimes> as_one;
    std::vector<DramTimes> in_turn;
    std::mt19937_64 random(7);
    Ps at{0};
    for (int i = 0; i < 3000; ++i) {
        at += Ps{static_cast<std::int64_t>(random() % 6'000'000)};
        const std::uint64_t address = (random() % 20000) * 512;
        if (random() % 2 == 0) {
            together.at(at, [&, address] { together.host.send(kRead, address, 4096); });
            apart.at(at, [&, address] { apart.host.send(kRead, address, 4096); });
        }
        const std::uint32_t bytes = std::array{4U, 12U, 16U, 64U, 512U}[random() % 5];
        const DramRequest run{true, hal::DramAddress{address + random() % 100 * 4}, bytes, nullptr, nullptr,
                              0,    static_cast<std::uint32_t>(1 + random() % 40)};
        const Ps offset{static_cast<std::int64_t>(random() % 3'000'000)};
        together.at(at, [&, run, offset] {
            as_one.push_back(*together.dram.port(hal::DramPort::core).access(run, now() + offset));
        });
        apart.at(at, [&, run, offset] {
            in_turn.push_back(one_by_one(run, now() + offset, [&](const DramRequest& request, Ps t) {
                return *apart.dram.port(hal::DramPort::core).access(request, t);
            }));
        });
    }
    run(at + 10ms);
    ASSERT_EQ(as_one.size(), in_turn.size());
    for (std::size_t i = 0; i < as_one.size(); ++i) {
        EXPECT_EQ(as_one[i].wait, in_turn[i].wait);
        EXPECT_EQ(as_one[i].transfer, in_turn[i].transfer);
    }
    const DramStatistics one = together.dram.statistics();
    const DramStatistics many = apart.dram.statistics();
    EXPECT_EQ(one.core.accesses, many.core.accesses);
    EXPECT_EQ(one.core.bytes, many.core.bytes);
    EXPECT_EQ(one.core.busy, many.core.busy);
    EXPECT_EQ(one.core.delayed, many.core.delayed);
    EXPECT_EQ(one.core.max_wait, many.core.max_wait);
    EXPECT_EQ(one.host.busy, many.host.busy);
    EXPECT_EQ(one.rows.hits, many.rows.hits);
    EXPECT_EQ(one.rows.conflicts, many.rows.conflicts);
    EXPECT_EQ(one.cut_ins, many.cut_ins);
    ASSERT_EQ(together.host.results.size(), apart.host.results.size());
    for (std::size_t i = 0; i < together.host.results.size(); ++i) {
        EXPECT_EQ(together.host.results[i].done, apart.host.results[i].done);
    }
}

/// A transfer of the host with a core access that cuts in, and another core access booked ahead; power is cut
/// at the given number of nanoseconds.
class DramCoreCut : public testing::TestWithParam<int> {};

TEST_P(DramCoreCut, EveryPortWasBusyUntilThePowerWasLost) {
    DramBench bench("bench", DramConfig{});
    const Ps cut = 1ns * GetParam();
    const Ps transfer_end = 2 * kLatency + 2 * kRowTime;
    const Ps cut_in = 2 * kLatency + 3 * kQuantum;  // the first boundary after 400 ns
    constexpr Ps kBooked = 2us;
    Ps stolen{0};
    Ps booked{0};
    bench.at(0ns, [&] {
        bench.host.send(kRead, 0, 4096);
        const auto access = bench.core_access(kOtherBank, 16, kBooked);
        EXPECT_EQ(access.wait, 0ns);
        booked = access.transfer;
    });
    bench.at(400ns, [&] {
        if (cut > 400ns) {
            const auto access = bench.core_access(kOtherBank, 16);
            EXPECT_EQ(400ns + access.wait, cut_in);
            stolen = access.transfer;
        }
    });
    bench.at(cut, [&] { bench.power_cut(); });
    run(10us);
    const Ps in_transfer = std::clamp(cut - cut_in, Ps{0}, stolen);
    const Ps ahead = std::clamp(cut - kBooked, Ps{0}, booked);
    const DramStatistics statistics = bench.dram.statistics();
    EXPECT_EQ(statistics.core.busy, in_transfer + ahead);
    EXPECT_EQ(statistics.host.busy, std::min(cut, transfer_end + stolen) - in_transfer);
}

// The cut comes before the core's request, before it is served, during it, after it, after the transfer, and
// during the booked access.
INSTANTIATE_TEST_SUITE_P(Instants, DramCoreCut, testing::Values(200, 450, 520, 1000, 1330, 1500, 2010, 3000));

}  // namespace
}  // namespace solidtlm::hw
