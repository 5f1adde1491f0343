// SPDX-License-Identifier: Apache-2.0
//
// The order of the cells, the criterion and the rounds, by hand; docs/pts.md says where the numbers come
// from.
#include "testbench/studies/pts/pts.h"

#include <gtest/gtest.h>

#include <cmath>
#include <map>

#include "testbench/studies/kit/testing.h"

namespace solidtlm::testbench::pts {
namespace {

using platform::Configuration;

constexpr std::uint64_t kRange = 8 * hal::kMiB;

TEST(PtsCells, ARoundOfIopsHasFiftySixInOrder) {
    const std::vector<Cell> cells = iops_cells({});
    ASSERT_EQ(cells.size(), 56U);
    const std::vector<std::uint64_t> blocks{1048576, 131072, 65536, 32768, 16384, 8192, 4096, 512};
    const std::vector<std::uint32_t> reads{100, 95, 65, 50, 35, 5, 0};
    for (std::size_t i = 0; i < cells.size(); ++i) {
        EXPECT_EQ(cells[i], (Cell{blocks[i % 8], reads[i / 8], false})) << i;
    }
}

TEST(PtsCells, ChosenOnesAreInTheSameOrder) {
    Options options;
    options.blocks = {512, 4096};
    options.read_percents = {0, 65};
    EXPECT_EQ(iops_cells(options),
              (std::vector<Cell>{{4096, 65, false}, {512, 65, false}, {4096, 0, false}, {512, 0, false}}));
}

/// A plan with cells that are read by their IOPS; `iops[round][cell]`.
std::vector<CellResult> rounds_of(const std::vector<std::vector<unsigned>>& iops) {
    std::vector<CellResult> results;
    for (const auto& round : iops) {
        for (const unsigned count : round) {
            CellResult result;
            result.time = std::chrono::seconds(1);
            for (unsigned i = 0; i < count; ++i) {
                result.latency.add(std::chrono::microseconds(count));
            }
            results.push_back(result);
        }
    }
    return results;
}

TestPlan tracking(std::vector<std::size_t> tracked, std::size_t cells = 1) {
    TestPlan plan;
    plan.cells.resize(cells);
    plan.tracked = std::move(tracked);
    return plan;
}

TEST(PtsSteadyState, ByHand) {
    const TestPlan plan = tracking({0});
    // Mean 100, range 8. Least squares over rounds -2 to 2: (-200 - 104 + 102 + 192) / 10 = -1 per round, -4
    // % over the window.
    EXPECT_TRUE(steady(plan, rounds_of({{100}, {104}, {98}, {102}, {96}})));
    // Mean 105, range 25: 23.8 %.
    EXPECT_FALSE(steady(plan, rounds_of({{100}, {100}, {100}, {100}, {125}})));
    // Range 16 %, and a straight line: slope 16 %.
    EXPECT_FALSE(steady(plan, rounds_of({{92}, {96}, {100}, {104}, {108}})));
    // Four rounds are no window.
    EXPECT_FALSE(steady(plan, rounds_of({{100}, {100}, {100}, {100}})));
    // The last five rounds count.
    EXPECT_TRUE(steady(plan, rounds_of({{900}, {100}, {100}, {100}, {100}, {100}})));
}

TEST(PtsSteadyState, EveryTrackedCellCountsAndNoOther) {
    const auto results = rounds_of({{100, 10}, {100, 20}, {100, 30}, {100, 40}, {100, 50}});
    EXPECT_TRUE(steady(tracking({0}, 2), results));
    EXPECT_FALSE(steady(tracking({0, 1}, 2), results));
    EXPECT_FALSE(steady(tracking({}, 2), results)) << "nothing is judged";
}

TEST(PtsSteadyState, LatencyIsJudgedByItsMean) {
    TestPlan plan = tracking({0});
    plan.quantity = Tracked::mean_latency;
    auto results = rounds_of({{100}, {100}, {100}, {100}, {100}});
    EXPECT_TRUE(steady(plan, results));
    results.back().latency.add(std::chrono::milliseconds(10));  // doubles the mean, 1 % more requests
    EXPECT_FALSE(steady(plan, results));
    plan.quantity = Tracked::iops;
    EXPECT_TRUE(steady(plan, results));
}

Configuration tiny() {
    platform::ConfigurationSources sources;
    sources.preset = "tiny";
    return platform::load_configuration(sources);
}

TEST(PtsPlan, TracksWhatTheSpecificationNames) {
    Options options;
    options.tests = {"iops", "throughput", "latency"};
    const std::vector<TestPlan> plans = plans_of(options, tiny());
    ASSERT_EQ(plans.size(), 4U);
    const auto tracked = [](const TestPlan& plan) {
        std::vector<Cell> cells;
        for (const std::size_t i : plan.tracked) {
            cells.push_back(plan.cells[i]);
        }
        return cells;
    };
    EXPECT_EQ(tracked(plans[0]),
              (std::vector<Cell>{{1048576, 100, false}, {65536, 65, false}, {4096, 0, false}}));
    EXPECT_EQ(tracked(plans[1]), (std::vector<Cell>{{1048576, 0, true}}));
    EXPECT_EQ(tracked(plans[2]), (std::vector<Cell>{{131072, 0, true}}));
    EXPECT_EQ(tracked(plans[3]), (std::vector<Cell>{{4096, 0, false}}));
    EXPECT_EQ(plans[3].cells.size(), 9U);
    EXPECT_EQ(plans[3].depth, 1U);
    EXPECT_EQ(plans[3].quantity, Tracked::mean_latency);
}

TEST(PtsPlan, TellsEveryDeviation) {
    Options options;
    options.tests = {"iops"};
    options.cell = {kCellTime, 0, 0};
    EXPECT_EQ(plans_of(options, tiny()).front().deviations,
              (std::vector<std::string>{"preconditioning takes no simulated time"}));
    options.cell = {Ps{0}, 200, 0};
    options.blocks = {4096};
    options.rounds = 7;
    options.write_cache = true;
    EXPECT_EQ(plans_of(options, tiny()).front().deviations,
              (std::vector<std::string>{"7 cells were chosen, and the specification has 56",
                                        "a cell is 200 requests, not a minute", "at most 7 rounds, not 25",
                                        "the write cache is on, and PTS-E has it off",
                                        "preconditioning takes no simulated time",
                                        "then 1 times the active range is written at random, 4 KiB each, "
                                        "without simulated time, and 0.1 times with it"}));
    options.mode = "client";
    const TestPlan client = plans_of(options, tiny()).front();
    EXPECT_EQ(client.deviations.size(), 5U) << "PTS-C has the write cache on";
    EXPECT_EQ(client.range_bytes, tiny().exported_bytes() / 4 * 3 / hal::kMiB * hal::kMiB);
}

TEST(PtsPreconditioning, WritesTwiceInOrderAndThenAtRandom) {
    TestPlan plan;
    plan.range_bytes = kRange;
    plan.random_fills = 0.5;
    const auto source = preconditioning(plan, 1);
    Request request;
    constexpr std::uint64_t kBlocks = kRange / kSequentialBytes;
    for (std::uint64_t i = 0; i < 2 * kBlocks; ++i) {
        ASSERT_TRUE(source->next(request));
        EXPECT_EQ(request.operation, Operation::write);
        EXPECT_EQ(request.lba.value * hal::kSectorBytes, i % kBlocks * kSequentialBytes);
        EXPECT_EQ(request.sectors * hal::kSectorBytes, kSequentialBytes);
    }
    std::uint64_t random = 0;
    while (source->next(request)) {
        EXPECT_EQ(request.sectors, 8U);
        EXPECT_EQ(request.lba.value % 8, 0U);
        ++random;
    }
    EXPECT_EQ(random, kRange / 2 / 4096);
    plan.sequential_fills = 0.0;
    plan.random_fills = 0.0;
    EXPECT_EQ(preconditioning(plan, 1), nullptr);
}

/// Takes requests, `depth` at a time, and ends one every microsecond.
std::vector<Request> drain(RoundSource& source, CellRecorder& recorder, std::size_t depth) {
    std::vector<Request> all;
    std::size_t outstanding = 0;
    Ps now{0};
    while (!source.ended() || outstanding > 0) {
        Request request;
        source.advance(now);
        if (outstanding < depth && source.next(request)) {
            all.push_back(request);
            ++outstanding;
            continue;
        }
        if (outstanding == 0) {
            break;
        }
        now += std::chrono::microseconds(1);
        --outstanding;
        source.completed(0, true, now);
        Command command;
        command.completed_at = now;
        command.operation = Operation::write;
        command.sectors = 8;
        recorder.completed(command);
    }
    return all;
}

TEST(PtsRounds, CellsFollowOneAnotherAndTheQueueRunsEmptyBetweenThem) {
    TestPlan plan;
    plan.cells = {{8192, 100, false}, {4096, 65, false}, {4096, 0, true}};
    plan.length.requests = 1000;
    plan.range_bytes = kRange;
    plan.most_rounds = 2;
    CellRecorder recorder(16384);
    recorder.begin([] { return DeviceTelemetry{}; });
    RoundSource source(plan, 1, recorder);
    const std::vector<Request> requests = drain(source, recorder, 4);
    ASSERT_EQ(requests.size(), 6000U);
    ASSERT_EQ(recorder.results().size(), 6U);
    for (std::size_t i = 0; i < 6; ++i) {
        const CellResult& result = recorder.results()[i];
        EXPECT_EQ(result.round, 1 + i / 3);
        EXPECT_EQ(result.cell, i % 3);
        EXPECT_EQ(result.latency.count(), 1000U) << "also of the last ones, which end after the cell";
        EXPECT_EQ(result.begin, std::chrono::microseconds(1000 * i));
        EXPECT_EQ(result.time, std::chrono::microseconds(1000));
        EXPECT_DOUBLE_EQ(result.iops(), 1e6);
    }
    std::map<std::size_t, std::size_t> reads;
    for (std::size_t i = 0; i < requests.size(); ++i) {
        const std::size_t cell = i / 1000 % 3;
        EXPECT_EQ(requests[i].sectors, cell == 0 ? 16U : 8U);
        reads[cell] += requests[i].operation == Operation::read ? 1 : 0;
    }
    EXPECT_EQ(reads[0], 2000U);
    EXPECT_NEAR(static_cast<double>(reads[1]), 1300.0, 5 * std::sqrt(2000 * 0.65 * 0.35));
    EXPECT_EQ(reads[2], 0U);
    EXPECT_EQ(requests[5000].lba.value, 1000U * 8U) << "the second round goes on where the first has stopped";
}

TEST(PtsRounds, TheLeadIsNotMeasured) {
    TestPlan plan;
    plan.cells = {{8192, 100, false}};
    plan.length.requests = 10;
    plan.range_bytes = kRange;
    plan.most_rounds = 1;
    plan.lead_bytes = 100 * 4096;
    CellRecorder recorder(16384);
    recorder.begin([] { return DeviceTelemetry{}; });
    RoundSource source(plan, 1, recorder);
    const std::vector<Request> requests = drain(source, recorder, 4);
    ASSERT_EQ(requests.size(), 110U);
    for (std::size_t i = 0; i < requests.size(); ++i) {
        EXPECT_EQ(requests[i].operation, i < 100 ? Operation::write : Operation::read) << i;
    }
    ASSERT_EQ(recorder.results().size(), 1U);
    EXPECT_EQ(recorder.results()[0].latency.count(), 10U);
    EXPECT_EQ(recorder.results()[0].begin, std::chrono::microseconds(100))
        << "the queue runs empty before it";
}

TEST(PtsRounds, EndByTimeAndByBytes) {
    TestPlan plan;
    plan.cells = {{4096, 0, false}};
    plan.length.time = std::chrono::microseconds(100);
    plan.range_bytes = kRange;
    plan.most_rounds = 1000;
    plan.most_written_bytes = 2000 * 4096;
    CellRecorder recorder(16384);
    recorder.begin([] { return DeviceTelemetry{}; });
    RoundSource source(plan, 1, recorder);
    (void)drain(source, recorder, 1);
    EXPECT_EQ(recorder.results().size(), 20U) << "100 requests of a microsecond each";
    plan.length.written_bytes = 1000 * 4096;
    CellRecorder longer(16384);
    longer.begin([] { return DeviceTelemetry{}; });
    RoundSource until_written(plan, 1, longer);
    (void)drain(until_written, longer, 1);
    EXPECT_EQ(longer.results().size(), 2U);
}

}  // namespace
}  // namespace solidtlm::testbench::pts
