// SPDX-License-Identifier: Apache-2.0
//
// Parts of the striping study: plans, bounds, tables and figures; and the Jasmine board.
#include <gtest/gtest.h>

#include <algorithm>
#include <set>

#include "testbench/sim/test_support.h"
#include "testbench/studies/kit/testing.h"
#include "testbench/studies/striping/striping.h"

namespace solidtlm::testbench::striping {
namespace {

/// Rounds of constant length: every die with requests serves one of them, and that request then wants a
/// random die.
double busy_in_rounds(std::size_t requests, std::size_t dies) {
    Random random(1);
    std::vector<std::size_t> waiting(dies, 0);
    for (std::size_t i = 0; i < requests; ++i) {
        ++waiting[random.below(dies)];
    }
    constexpr int kRounds = 20'000;
    double busy = 0.0;
    for (int round = 0; round < kRounds; ++round) {
        std::size_t served = 0;
        for (std::size_t& queue : waiting) {
            served += queue > 0 ? 1 : 0;
            queue -= queue > 0 ? 1 : 0;
        }
        for (std::size_t i = 0; i < served; ++i) {
            ++waiting[random.below(dies)];
        }
        busy += static_cast<double>(served);
    }
    return busy / kRounds;
}

TEST(BusyDies, AgreesWithRoundsOfConstantLength) {
    EXPECT_DOUBLE_EQ(busy_dies(1.0, 16.0), 1.0);
    EXPECT_DOUBLE_EQ(busy_dies(32.0, 1.0), 1.0);
    for (const std::size_t dies : {4U, 8U, 16U, 32U, 128U}) {
        const double simulated = busy_in_rounds(32, dies);
        EXPECT_NEAR(busy_dies(32.0, static_cast<double>(dies)), simulated, 0.02 * simulated) << dies;
    }
}

platform::Configuration device(std::vector<std::string> settings) {
    settings.emplace_back("content=none");
    return preset("default", std::move(settings));
}

// 64 dies that read 4 KiB: with SATA 6 Gb/s, the link is the limit; without it, the dies that 32 requests
// reach.
TEST(Bounds, AnIdealLinkIsNoBound) {
    const Stream stream{Operation::read, false, 4096, 32};
    const auto bounds = [&stream](const char* generation) {
        return bounds_of(preset("default", {"nand.geometry.channels=16", "nand.geometry.dies=4",
                                            "core.frequency_mhz=10000", "dram.data_rate_mt_per_s=6400",
                                            std::string("sata.generation=") + generation}),
                         stream);
    };
    EXPECT_EQ(bounds("gen3").binding(), "link");
    const Bounds ideal = bounds("ideal");
    EXPECT_EQ(ideal.binding(), "dies");
    EXPECT_NEAR(ideal.mb_per_s[static_cast<std::size_t>(Resource::link)], 1e9, 1.0);
    EXPECT_GT(ideal.least, bounds("gen3").least);
    EXPECT_GT(ideal.fill_share(), 0.99);
}

TEST(Plan, ReadsFillEveryParallelUnitWithTheSame) {
    Stream stream;
    const StreamPlan striped = plan_stream(device({}), stream, 100, 0.5);
    EXPECT_EQ(striped.fill_bytes, 32U << 20U) << "twice the write buffer";
    EXPECT_EQ(striped.commands_before(), 256U + 1 + 256) << "fill, flush, warm-up";
    const StreamPlan unstriped = plan_stream(device({"firmware.allocation.striping=none"}), stream, 100, 0.5);
    EXPECT_EQ(unstriped.fill_bytes, 64ULL * 4 << 20U) << "64 planes, blocks of 4 MiB";
    // 3 dies of 2 planes: 96 KiB and 128 KiB need a common multiple.
    const StreamPlan odd =
        plan_stream(device({"nand.geometry.channels=3", "nand.geometry.dies=1"}), stream, 100, 0.5);
    EXPECT_EQ(odd.fill_bytes % (96U << 10U), 0U);
    EXPECT_EQ(odd.fill_bytes % (128U << 10U), 0U);
}

TEST(Plan, WritesWarmUpLongerTheSlowerTheBufferFills) {
    Stream stream;
    stream.operation = Operation::write;
    const auto warm_up = [&stream](double share) {
        return plan_stream(device({}), stream, 100, share).warm_up;
    };
    EXPECT_EQ(warm_up(1.0), 2U * 128U) << "128 requests fill 16 MiB";
    EXPECT_EQ(warm_up(0.25), 8U * 128U);
    EXPECT_EQ(warm_up(0.0), 40U * 128U);
    EXPECT_EQ(plan_stream(device({}), stream, 100, 0.5).fill_bytes, 0U) << "a fresh device";
}

TEST(Plan, RefusesADeviceThatIsTooSmall) {
    Stream stream;
    const auto tiny = device({"nand.geometry.channels=1", "nand.geometry.dies=1", "nand.geometry.blocks=8",
                              "ssd.over_provisioning=0.7"});
    EXPECT_THROW((void)plan_stream(tiny, stream, 100, 0.5), InputError);
    stream.operation = Operation::write;
    EXPECT_THROW((void)plan_stream(tiny, stream, 100, 0.5), InputError);
}

TEST(Source, FillsFlushesAndStreams) {
    Stream stream;
    stream.sequential = false;
    stream.bytes = 4096;
    StreamPlan plan;
    plan.region_bytes = plan.fill_bytes = 262'144;
    plan.warm_up = 2;
    plan.measured = 500;
    StreamSource source(stream, plan, 7);
    Request request;
    for (std::uint64_t at : {0U, 256U}) {
        ASSERT_TRUE(source.next(request));
        EXPECT_EQ(request.operation, Operation::write);
        EXPECT_EQ(request.lba.value, at);
        EXPECT_EQ(request.sectors, 256U);
    }
    ASSERT_TRUE(source.next(request));
    EXPECT_EQ(request.operation, Operation::flush);
    std::set<std::uint64_t> places;
    int reads = 0;
    while (source.next(request)) {
        ++reads;
        EXPECT_EQ(request.operation, Operation::read);
        EXPECT_EQ(request.lba.value % 8, 0U);
        EXPECT_LE(request.lba.value + request.sectors, 512U);
        places.insert(request.lba.value);
    }
    EXPECT_EQ(reads, 502);
    EXPECT_EQ(places.size(), 64U) << "500 draws of 64 places";
}

// NVMe does not order commands: without waiting, reads would begin before the preceding flush has ended.
TEST(Source, WaitsForItsFillWhereTheInterfaceDoesNot) {
    const Stream stream;
    EXPECT_EQ(StreamSource(stream, plan_stream(device({}), stream, 100, 0.5), 1).feedback(), nullptr);
    StreamPlan plan = plan_stream(device({"host.interface=nvme"}), stream, 100, 0.5);
    plan.fill_bytes = 262'144;
    StreamSource source(stream, plan, 1);
    SourceFeedback* const feedback = source.feedback();
    ASSERT_NE(feedback, nullptr);
    Request request;
    const auto takes = [&](Operation operation) {
        return source.next(request) && request.operation == operation;
    };
    EXPECT_TRUE(takes(Operation::write) && takes(Operation::write));
    feedback->completed(0, true, Ps{1});
    EXPECT_FALSE(source.next(request)) << "a write is outstanding";
    feedback->completed(0, true, Ps{2});
    EXPECT_TRUE(takes(Operation::flush));
    EXPECT_FALSE(source.next(request));
    EXPECT_FALSE(feedback->ended());
    feedback->completed(0, true, Ps{3});
    EXPECT_TRUE(takes(Operation::read));
}

TEST(Sweep, ReportsEachImpossibleValueOnce) {
    Sweep sweep;
    sweep.channels = {1, 2};
    sweep.orders = {"PCWD"};
    try {
        (void)points_of(sweep, device({"firmware.write_buffer.size=500MiB", "dram.size=520MiB",
                                       "nand.geometry.channels=1", "nand.geometry.dies=1"}));
        FAIL() << "the map of the larger devices does not fit";
    } catch (const platform::ConfigurationError& error) {
        std::set<std::string> texts;
        for (const platform::ConfigurationIssue& issue : error.issues()) {
            EXPECT_TRUE(texts.insert(issue.text()).second) << issue.text();
        }
    }
}

/// Random reads that wait for dies for a quarter of 100 us; bounds are 560 (link), 400, 200 (dies), 1600,
/// 9000.
Measured point(std::uint32_t channels, std::uint32_t dies, double mb_per_s) {
    Json stages;
    for (const std::string_view holder : hal::kHolderNames) {
        stages["channel_wait_" + std::string(holder)] = 0.0;
        stages["die_wait_" + std::string(holder)] = holder == "host" ? 20.0 : holder == "gc" ? 5.0 : 0.0;
    }
    const Json result{
        {"host",
         {{"read",
           {{"mb_per_s", mb_per_s}, {"iops", 1.0}, {"latency_us", {{"mean", 100.0}, {"p99", 200.0}}}}}}},
        {"ledger", {{"by_operation", {{"read", stages}}}}},
        {"utilization",
         {{"link", 0.5}, {"channels", {0.5, 0.7}}, {"dies", {1.0}}, {"dram", 0.1}, {"core", 0.1}}}};
    Measured made{{{"order", "PCWD"},
                   {"striping", "full"},
                   {"allocation", "static"},
                   {"pattern", "random"},
                   {"operation", "read"},
                   {"channels", channels},
                   {"dies_per_channel", dies}}};
    measure(result, Operation::read, Bounds{{560.0, 400.0, 200.0, 1600.0, 9000.0}, 200.0}, made);
    return made;
}

TEST(Table, MatrixAndLines) {
    const std::vector<Measured> points{point(1, 1, 100.0), point(2, 1, 200.0), point(1, 4, 150.0)};
    const std::string matrix = tables(points, false, TextStyle{});
    EXPECT_NE(matrix.find("random read, PCWD, striping full, static"), std::string::npos);
    EXPECT_NE(matrix.find("1 channel"), std::string::npos);
    EXPECT_NE(matrix.find("150.0 dies"), std::string::npos);
    EXPECT_NE(matrix.find("failed"), std::string::npos) << "2 x 4 is missing";
    const std::string lines = tables(points, true, TextStyle{});
    EXPECT_EQ(std::count(lines.begin(), lines.end(), '\n'), 1 + 1 + 1 + 3) << lines;
}

TEST(Figures, OneMapPerQuantityThatVaries) {
    const std::vector<Measured> points{point(1, 1, 200.0), point(2, 1, 199.0)};
    const std::vector<Figure> figures = heat_maps(points);
    ASSERT_EQ(figures.size(), 2U)
        << "throughput and waiting for dies; the bound is met, no operation waits for channels";
    const Json throughput = to_json(figures[0]);
    EXPECT_EQ(throughput["id"], "throughput-random-read-pcwd-full-static");
    EXPECT_EQ(throughput["cells"], (Json{{200.0, 199.0}}));
    EXPECT_EQ(to_json(figures[1])["cells"], (Json{{25.0, 25.0}}));
    EXPECT_EQ(heat_maps(std::vector<Measured>{point(1, 1, 150.0)}).size(), 3U) << "misses its bound";
}

TEST(Derived, SharesAndBounds) {
    const Json derived = point(1, 1, 150.0).derived;
    EXPECT_EQ(derived["measured_of_bound"], 0.75);
    EXPECT_EQ(derived["bound_by"], "dies");
    EXPECT_EQ(derived["die_wait_share"], 0.25);
    EXPECT_EQ(derived["die_wait_gc_share"], 0.05);
    EXPECT_EQ(point(1, 1, 150.0).value("channels_busy"), 60.0) << "mean of 50 and 70 %";
}

TEST(Jasmine, AgreesWithThePublishedNumbersWithinTenPercent) {
    const std::vector<Measured> measured =
        testing::measured_of(jasmine_jobs(preset("jasmine", {"content=none"}), 0));
    const std::vector<Claim> claims = jasmine_claims(measured);
    ASSERT_EQ(claims.size(), 5U);
    for (const Claim& claim : claims) {
        EXPECT_NEAR(claim.measured.get<double>(), claim.published.get<double>(),
                    0.10 * claim.published.get<double>())
            << claim.id;
        EXPECT_EQ(claim.verdict, Verdict::reproduced);
    }
}

TEST(Jasmine, Verdicts) {
    const auto claim = [](double mb_per_s) {  // published: 39.3 MB/s
        const Measured measured{{{"channels", 1}, {"ways", 1}}, {}, {{"mb_per_s", mb_per_s}}};
        return jasmine_claims({&measured, 1}).at(0);
    };
    EXPECT_EQ(claim(43.0).verdict, Verdict::reproduced);
    EXPECT_EQ(claim(44.0).verdict, Verdict::partly);
    EXPECT_EQ(claim(30.0).verdict, Verdict::not_reproduced);
    EXPECT_FALSE(claim(30.0).reason.empty());
}

}  // namespace
}  // namespace solidtlm::testbench::striping
