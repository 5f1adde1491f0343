// SPDX-License-Identifier: Apache-2.0
//
// Parts of the striping study: plans, bounds, tables and figures; and the Jasmine board.
#include <gtest/gtest.h>

#include <algorithm>
#include <set>

#include "testbench/run/child_runs.h"
#include "testbench/run/test_support.h"
#include "testbench/studies/striping/jasmine.h"
#include "testbench/studies/striping/point.h"
#include "testbench/studies/striping/table.h"

namespace solidtlm::testbench::striping {
namespace {

/// Rounds of constant length: every die with requests serves one of them, which then wants a random die.
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

TEST(Plan, ReadsFillEveryParallelUnitWithTheSame) {
    Stream stream;
    const StreamPlan striped = plan_stream(device({}), stream, 100, 0.5);
    EXPECT_EQ(striped.fill_bytes, 32U << 20U) << "twice the write buffer";
    EXPECT_EQ(striped.commands_before(), 256U + 1 + 256) << "fill, flush, warm-up";
    const StreamPlan unstriped = plan_stream(device({"firmware.allocation.striping=none"}), stream, 100, 0.5);
    EXPECT_EQ(unstriped.fill_bytes, 64ULL * 4 << 20U) << "64 planes, blocks of 4 MiB";
    // 3 dies of 2 planes: 96 KiB, a common multiple with 128 KiB.
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

TEST(Sweep, NamesWhatIsImpossibleOnce) {
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

MeasuredPoint point(std::uint32_t channels, std::uint32_t dies, double mb_per_s) {
    MeasuredPoint made;
    made.panel = {"PCWD", "full", "static", "random", "read"};
    made.channels = channels;
    made.dies = dies;
    made.measured.mb_per_s = mb_per_s;
    made.measured.die = {.host = 20.0, .gc = 5.0, .total = 25.0};
    made.bounds.mb_per_s = {560.0, 400.0, 200.0, 1600.0, 9000.0};
    made.bounds.least = 200.0;
    return made;
}

TEST(Table, MatrixAndLines) {
    const std::vector<MeasuredPoint> points{point(1, 1, 100.0), point(2, 1, 200.0), point(1, 4, 150.0)};
    const std::string matrix = tables(points, false, TextStyle{});
    EXPECT_NE(matrix.find("random read, PCWD, striping full, static"), std::string::npos);
    EXPECT_NE(matrix.find("1 channel"), std::string::npos);
    EXPECT_NE(matrix.find("150.0 dies"), std::string::npos);
    EXPECT_NE(matrix.find("failed"), std::string::npos) << "2 x 4 is missing";
    const std::string lines = tables(points, true, TextStyle{});
    EXPECT_EQ(std::count(lines.begin(), lines.end(), '\n'), 1 + 1 + 1 + 3) << lines;
}

TEST(Figures, OneMapEachWhereThereIsSomethingToSee) {
    const std::vector<MeasuredPoint> points{point(1, 1, 200.0), point(2, 1, 199.0)};
    const std::vector<Figure> figures = heat_maps(points);
    ASSERT_EQ(figures.size(), 2U)
        << "throughput and waiting for dies; the bound is met, nobody waits for channels";
    const Json throughput = to_json(figures[0]);
    EXPECT_EQ(throughput["id"], "throughput-random-read-pcwd-full-static");
    EXPECT_EQ(throughput["cells"], (Json{{200.0, 199.0}}));
    EXPECT_EQ(to_json(figures[1])["cells"], (Json{{25.0, 25.0}}));
    EXPECT_EQ(heat_maps(std::vector<MeasuredPoint>{point(1, 1, 150.0)}).size(), 3U) << "misses its bound";
}

TEST(Derived, SharesAndBounds) {
    const Json derived = point(1, 1, 150.0).derived();
    EXPECT_EQ(derived["measured_of_bound"], 0.75);
    EXPECT_EQ(derived["bound_by"], "dies");
    EXPECT_EQ(derived["die_wait_share"], 0.25);
    EXPECT_EQ(derived["die_wait_gc_share"], 0.05);
}

TEST(Jasmine, AgreesWithThePublishedNumbersWithinTenPercent) {
    const platform::Configuration base = preset("jasmine", {"content=none"});
    std::vector<PointJob> jobs;
    for (const JasmineCase& which : jasmine_cases()) {
        jobs.push_back({which.claim, [&base, which] {
                            const platform::Configuration board = jasmine_configuration(which, base);
                            return run_point(board, jasmine_stream(),
                                             plan_stream(board, jasmine_stream(), 1500, 0.5));
                        }});
    }
    const std::vector<PointOutcome> outcomes = run_points(jobs, PointPool{2, true});
    for (std::size_t i = 0; i < outcomes.size(); ++i) {
        const JasmineCase& which = jasmine_cases()[i];
        for (const std::string& fault : outcomes[i].outcome.faults) {
            ADD_FAILURE() << which.claim << ": " << fault;
        }
        const double measured = measured_of(outcomes[i].outcome.result, Operation::read).mb_per_s;
        EXPECT_NEAR(measured, which.published_mb_per_s, 0.10 * which.published_mb_per_s) << which.claim;
        EXPECT_EQ(jasmine_claim(which, measured).verdict, Verdict::reproduced);
    }
}

TEST(Jasmine, Verdicts) {
    const JasmineCase& first = jasmine_cases().front();  // 39.3 MB/s
    EXPECT_EQ(jasmine_claim(first, 43.0).verdict, Verdict::reproduced);
    EXPECT_EQ(jasmine_claim(first, 44.0).verdict, Verdict::partly);
    EXPECT_EQ(jasmine_claim(first, 30.0).verdict, Verdict::not_reproduced);
    EXPECT_FALSE(jasmine_claim(first, 30.0).reason.empty());
}

}  // namespace
}  // namespace solidtlm::testbench::striping
