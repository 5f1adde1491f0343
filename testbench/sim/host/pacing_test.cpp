// SPDX-License-Identifier: Apache-2.0
//
// When requests arrive.
#include "testbench/sim/host/pacing.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <ostream>

#include "testbench/sim/host/host_bench.h"
#include "testbench/sim/host/pacing/closed_loop.h"
#include "testbench/sim/host/pacing/open_loop.h"
#include "testbench/sim/host/pacing/recorded_depth.h"

namespace solidtlm::testbench {
namespace {

using namespace std::chrono_literals;

TEST(Pacing, OpenLoopCountsLatencyFromTheArrival) {
    const OpenLoop pacing(2.0);
    Bench bench(fast(), pacing);
    bench.firmware.delay = 300us;
    for (int i = 0; i < 100; ++i) {
        bench.source.add(Operation::read, 0, 8);
        bench.source.requests.back().arrival = 10us * i;
    }
    bench.run();
    ASSERT_EQ(bench.shadow.done.size(), 100U);
    const Ps base = bench.shadow.done[0].arrival;
    for (std::size_t i = 0; i < 100; ++i) {
        EXPECT_EQ(bench.shadow.done[i].arrival - base, Ps{5us} * static_cast<int>(i));
        EXPECT_GE(bench.shadow.done[i].issued_at, bench.shadow.done[i].arrival);
    }
    EXPECT_GT(bench.shadow.done[99].issued_at, bench.shadow.done[99].arrival) << "no slot was free";
}

// A quotient or a sum that passes the horizon is no instant of the past.
TEST(Pacing, OpenLoopKnowsTheHorizon) {
    const auto due = [](Ps arrival, double speed, Ps base) {
        Request request;
        request.arrival = arrival;
        return *OpenLoop(speed).due(request, base);
    };
    constexpr Ps kWeek{604'800s};
    EXPECT_EQ(due(kWeek, 0.065, Ps{0}), hal::kBeyondHorizon);
    EXPECT_EQ(due(kWeek, 1e-300, Ps{1s}), hal::kBeyondHorizon);
    EXPECT_EQ(due(kWeek, 0.5, Ps{1s}), Ps{1'209'601s});
    EXPECT_EQ(due(hal::kHorizon, 1.0, Ps{0}), hal::kHorizon);
    EXPECT_EQ(due(hal::kHorizon, 1.0, Ps{1}), hal::kBeyondHorizon);
    EXPECT_EQ(due(hal::kBeyondHorizon, 1000.0, Ps{0}), hal::kBeyondHorizon) << "how far beyond is not known";
}

TEST(Pacing, ClosedLoopKeepsItsDepth) {
    const ClosedLoop pacing(5);
    Bench bench(fast(), pacing);
    bench.firmware.delay = 300us;
    for (int i = 0; i < 100; ++i) {
        bench.source.add(Operation::read, 0, 8);
    }
    bench.run();
    EXPECT_EQ(bench.shadow.done.size(), 100U);
    EXPECT_EQ(bench.shadow.deepest, 5U);
}

/// Adds `count` requests of several kinds: some become several commands, some are not queued, some fail.
void add_mixture(Bench& bench, std::uint64_t count) {
    std::mt19937_64 random(29);
    for (std::uint64_t i = 0; i < count; ++i) {
        const std::uint64_t lba = i * 100 % (kCapacity - 100);
        const std::uint64_t kind = random() % 100;
        if (kind < 2) {
            bench.source.add(Operation::flush, 0, 0);
        } else if (kind < 4) {
            bench.source.add_trim({{Lba{lba}, 8}}, kind == 2);
        } else {
            bench.source.add(kind < 40 ? Operation::read : Operation::write, lba, 1 + random() % 90,
                             kind != 5);
        }
        if (kind == 98) {
            bench.firmware.failures[lba] = hal::HostStatus::uncorrectable;
        }
    }
    bench.firmware.fail_once = true;
}

/// When requests arrived, in their order, and when they ended, in time order.
struct Flow {
    explicit Flow(const Shadow& shadow) {
        std::map<std::uint64_t, Ps> end_of;
        std::map<std::uint64_t, Ps> arrival_of;
        for (const Shadow::Done& done : shadow.done) {
            arrival_of[done.request] = done.arrival;
            end_of[done.request] = std::max(end_of[done.request], done.completed_at);
        }
        for (const auto& [request, arrival] : arrival_of) {
            arrivals.push_back(arrival);
            ends.push_back(end_of[request]);
        }
        std::ranges::sort(ends);
    }
    std::vector<Ps> arrivals;
    std::vector<Ps> ends;
};

/// The i-th end is the (depth + i)-th arrival.
void expect_full_queue(const Bench& bench, std::size_t depth, Ps begin) {
    const Flow flow(bench.shadow);
    for (std::size_t i = 0; i < flow.arrivals.size(); ++i) {
        ASSERT_EQ(flow.arrivals[i], i < depth ? begin : flow.ends[i - depth]) << i;
    }
}

// Writes that the drive accepts at once wait for the link, and the port is always busy with one of them.
TEST(Pacing, ClosedLoopIsFullThoughThePortIsBusy) {
    constexpr std::size_t kDepth = 32;
    constexpr std::size_t kCount = 1000;
    const ClosedLoop pacing(kDepth);
    Bench bench(fast(), pacing);
    bench.dram.ps_per_byte = Ps{200};
    for (std::uint64_t i = 0; i < kCount; ++i) {
        bench.source.add(Operation::write, i * 8, 8);
    }
    bench.run();
    ASSERT_EQ(bench.shadow.done.size(), kCount);
    EXPECT_LT(bench.host.statistics().max_outstanding, 8U) << "most of them wait in the host";
    const Ps begin = bench.shadow.done.front().arrival;
    expect_full_queue(bench, kDepth, begin);
    EXPECT_EQ(bench.host.latency_excess(), Ps{0});
    const Shadow::Done& middle = bench.shadow.done[kCount / 2];
    EXPECT_NEAR(static_cast<double>((middle.completed_at - middle.arrival).count()),
                kDepth * link_seconds(write_frames(8), 95, 150) * 1e12, 2e4)
        << "Little's law: 32 times a write's frames, to the rounding of a dword time";
    EXPECT_GT(bench.shadow.last[hal::Stage::host_queue], (middle.completed_at - middle.arrival) * 3 / 4);
}

struct ClosedStream {
    std::uint32_t depth;
    std::uint32_t tags;
    std::optional<AhciPortConfig> adapter = {};
    bool host_times = false;
};
void PrintTo(const ClosedStream& stream, std::ostream* out) {
    *out << "depth " << stream.depth << ", " << stream.tags << " tags" << (stream.adapter ? ", adapter" : "")
         << (stream.host_times ? ", host times" : "");
}
class ClosedStreams : public testing::TestWithParam<ClosedStream> {};

TEST_P(ClosedStreams, StayFull) {
    const ClosedStream& stream = GetParam();
    const ClosedLoop pacing(stream.depth);
    SataConfig config;
    config.queue_depth = stream.tags;
    config.content = hal::ContentMode::bytes;
    HostConfig host_config;
    host_config.max_sectors = 32;
    if (stream.host_times) {
        host_config.submit_time = 3us;
        host_config.complete_time = 2us;
        host_config.coalesce_time = 50us;
        host_config.coalesce_completions = 5;
    }
    Bench bench(config, pacing, host_config, stream.adapter);
    bench.firmware.delay = 5us;
    bench.dram.ps_per_byte = Ps{156};
    add_mixture(bench, 2000);
    bench.run();
    EXPECT_EQ(bench.shadow.times_finished, 1);
    EXPECT_GT(bench.host.statistics().failed, 5U);
    EXPECT_LE(bench.host.statistics().max_outstanding, stream.tags);
    expect_full_queue(bench, stream.depth, bench.shadow.done.front().arrival);
    EXPECT_EQ(bench.host.latency_excess(), Ps{0});
}
INSTANTIATE_TEST_SUITE_P(Depths, ClosedStreams,
                         testing::Values(ClosedStream{1, 32}, ClosedStream{7, 32}, ClosedStream{32, 32},
                                         ClosedStream{32, 4}, ClosedStream{64, 32}, ClosedStream{500, 32},
                                         ClosedStream{32, 32, AhciPortConfig{}},
                                         ClosedStream{64, 32, slow_adapter()},
                                         ClosedStream{32, 32, std::nullopt, true}, ClosedStream{3000, 32}));

TEST(Pacing, ARequestArrivesThoughTheDriveIsOff) {
    const ClosedLoop pacing(8);
    Bench bench(fast(), pacing);
    bench.firmware.delay = 200us;
    for (std::uint64_t i = 0; i < 100; ++i) {
        bench.source.add(Operation::write, i * 64, 64);
    }
    bench.run(0.3);
    bench.firmware.power_cut();
    bench.device.power_cut();
    bench.link.power_cut();
    bench.checkers.power_cut();
    bench.host.power_cut();
    bench.run(1);
    bench.firmware.attach();
    bench.device.power_on();
    bench.run();
    EXPECT_EQ(bench.shadow.times_finished, 1);
    expect_full_queue(bench, 8, bench.shadow.done.front().arrival);
    EXPECT_EQ(bench.host.latency_excess(), Ps{0});
}

TEST(Pacing, RecordedDepthDoesNotWaitForThePort) {
    const RecordedDepth pacing;
    Bench bench(fast(), pacing);
    bench.dram.ps_per_byte = Ps{200};
    for (std::uint64_t i = 0; i < 500; ++i) {
        bench.source.add(Operation::write, i * 8, 8);
        bench.source.requests.back().queue_depth = 20;
    }
    bench.run();
    ASSERT_EQ(bench.shadow.done.size(), 500U);
    EXPECT_LT(bench.host.statistics().max_outstanding, 8U);
    expect_full_queue(bench, 20, bench.shadow.done.front().arrival);
    EXPECT_EQ(bench.host.latency_excess(), std::nullopt) << "only known for closed loops";
}

TEST(Admission, NoRequestArrivesBeforeTheSourceHasIt) {
    Admission admission;
    admission.not_before(1us);
    EXPECT_EQ(admission.admit(2), 1us);
    EXPECT_EQ(admission.admit(2), 1us);
    EXPECT_EQ(admission.admit(2), std::nullopt);
    admission.ended(3us);
    admission.ended(4us);
    admission.not_before(5us);
    EXPECT_EQ(admission.admit(2), 5us);
    admission.ended(6us);
    EXPECT_EQ(admission.admit(1), 6us);
    EXPECT_EQ(admission.admit(1), std::nullopt);
}

TEST(Admission, EachRequestHasADepthOfItsOwn) {
    Admission admission;
    EXPECT_EQ(admission.admit(3), Ps{0});
    EXPECT_EQ(admission.admit(3), Ps{0});
    EXPECT_EQ(admission.admit(3), Ps{0});
    for (const Ps at : {1us, 2us, 3us}) {
        admission.ended(at);
    }
    EXPECT_EQ(admission.admit(3), 1us) << "two others";
    EXPECT_EQ(admission.admit(1), std::nullopt) << "the previous request is still outstanding";
    admission.ended(9us);
    EXPECT_EQ(admission.admit(1), 9us);
}

TEST(Pacing, RecordedDepthFollowsTheTrace) {
    const RecordedDepth pacing;
    Bench bench(fast(), pacing);
    bench.firmware.delay = 300us;
    for (int i = 0; i < 60; ++i) {
        bench.source.add(Operation::read, 0, 8);
        bench.source.requests.back().queue_depth = i < 30 ? 1 : 3;
    }
    bench.run();
    ASSERT_EQ(bench.shadow.done.size(), 60U);
    for (const Shadow::Done& done : bench.shadow.done) {
        EXPECT_LT(done.outstanding_at_issue, done.request < 30 ? 1U : 3U);
    }
    EXPECT_EQ(bench.shadow.deepest, 3U);
}

}  // namespace
}  // namespace solidtlm::testbench
