// SPDX-License-Identifier: Apache-2.0
#include "testbench/show/time_series.h"

#include <gtest/gtest.h>

#include <numeric>

#include "testbench/show/test_inputs.h"

namespace solidtlm::testbench {
namespace {

using testing::kMicrosecond;
using Pointer = Json::json_pointer;

/// A host with its series, and a one-channel device that only the test changes.
class TimeSeriesTest : public ::testing::Test {
  protected:
    explicit TimeSeriesTest(std::size_t dies = 2) {
        device_.channels.resize(1);
        device_.dies.resize(dies);
    }

    void issue(std::int64_t us) {
        Command command;
        command.sequence = next_sequence_++;
        command.arrival = command.issued_at = us * kMicrosecond;
        series_.issued(command);
    }
    void complete(std::int64_t us, std::int64_t latency_us, Operation operation = Operation::read) {
        const Ps latency = latency_us * kMicrosecond;
        Command command = testing::finished_command(0, operation, us * kMicrosecond - latency, latency, 8);
        series_.completed(command);
    }

    static std::uint64_t sum(const Json& values) {
        return std::accumulate(values.begin(), values.end(), std::uint64_t{0},
                               [](std::uint64_t a, const Json& b) { return a + b.get<std::uint64_t>(); });
    }

    DeviceSample device_;
    TimeSeries series_{[this](DeviceSample& sample) { sample = device_; }};
    std::uint64_t next_sequence_ = 0;
};

// Commands at 100 and 105 us; one completes at 110, the other at 130 us. Samples are due 10 us apart.
TEST_F(TimeSeriesTest, TwoCommandsByHand) {
    issue(100);
    issue(105);
    device_.link = 4 * kMicrosecond;
    device_.dies[1][static_cast<std::size_t>(hal::Holder::host)] = 5 * kMicrosecond;
    device_.unwritten_units = 3;
    complete(110, 10);
    device_.dies[1][static_cast<std::size_t>(hal::Holder::host)] = 10 * kMicrosecond;
    device_.dies[0][static_cast<std::size_t>(hal::Holder::erase)] = 20 * kMicrosecond;
    device_.free_superblocks = 9;
    complete(130, 25, Operation::write);
    series_.finished();
    EXPECT_EQ(series_.to_json(), Json::parse(R"({
        "time_us": [0.0, 10.0, 30.0],
        "operations": {
            "read": {"commands": [1, 0], "bytes": [4096, 0], "mean_latency_us": [10.0, null]},
            "write": {"commands": [0, 1], "bytes": [0, 4096], "mean_latency_us": [null, 25.0]}},
        "worst_latency_us": [10.0, 25.0],
        "queue_depth": [1.5, 1.0],
        "unwritten_units": [3, 3],
        "free_superblocks": [0, 9],
        "link_permille": [400, 0],
        "core_permille": [0, 0],
        "dram_permille": [0, 0],
        "map_step": 1,
        "channels_permille": {},
        "dies_permille": {"host": [[0, 0], [500, 250]], "erase": [[0, 1000], [0, 0]]}})"));
}

// Three commands end at 20 us, when a sample is due, and two at 25 us, when the run ends; one is issued
// between two that end at one instant.
TEST_F(TimeSeriesTest, CommandsOfOneInstantBelongToOneInterval) {
    for (int i = 0; i < 5; ++i) {
        issue(0);
    }
    complete(20, 20);
    issue(20);
    complete(20, 20);
    complete(20, 15);
    complete(25, 25, Operation::write);
    complete(25, 5);
    series_.finished();
    const Json series = series_.to_json();
    EXPECT_EQ(series.at("time_us"), Json::parse("[0.0, 20.0, 25.0]"));
    EXPECT_EQ(series.at("operations").at("read").at("commands"), Json::parse("[3, 1]"));
    EXPECT_EQ(series.at("operations").at("read").at("bytes"), Json::parse("[12288, 4096]"));
    EXPECT_EQ(series.at("operations").at("read").at("mean_latency_us"), Json::parse("[18.333, 5.0]"));
    EXPECT_EQ(series.at("operations").at("write").at("commands"), Json::parse("[0, 1]"));
    EXPECT_EQ(series.at("worst_latency_us"), Json::parse("[20.0, 25.0]"));
    EXPECT_EQ(series.at("queue_depth"), Json::parse("[5.0, 3.0]"));
}

// The last ones end when a sample was due.
TEST_F(TimeSeriesTest, CommandsThatEndWithTheRunAreNotLost) {
    issue(0);
    issue(0);
    issue(0);
    complete(0, 0);
    complete(30, 30);
    complete(30, 30);
    series_.finished();
    const Json series = series_.to_json();
    EXPECT_EQ(series.at("time_us"), Json::parse("[0.0, 30.0]"));
    EXPECT_EQ(series.at("operations").at("read").at("commands"), Json::parse("[3]"));
}

TEST_F(TimeSeriesTest, AnIdleTimeIsAnIntervalOfItsOwn) {
    issue(0);
    complete(20, 20);
    issue(5000);
    complete(5020, 20);
    const Json series = series_.to_json();
    EXPECT_EQ(series.at("time_us"), Json::parse("[0.0, 20.0, 5000.0, 5020.0]"));
    EXPECT_EQ(series.at("queue_depth"), Json::parse("[1.0, 0.0, 1.0]"));
    EXPECT_EQ(series.at("operations").at("read").at("commands"), Json::parse("[1, 0, 1]"));
}

TEST_F(TimeSeriesTest, ALongRunKeepsItsSumsInBoundedMemory) {
    constexpr std::int64_t kCommands = 200'000;
    for (std::int64_t i = 0; i < kCommands; ++i) {
        issue(7 * i);
        device_.core += 3 * kMicrosecond;
        complete(7 * i + 5, i == 1234 ? 999 : 5);
    }
    series_.finished();
    const Json series = series_.to_json();
    const std::size_t intervals = series.at("queue_depth").size();
    EXPECT_LE(intervals, TimeSeries::kMaxIntervals);
    EXPECT_GE(intervals, TimeSeries::kMaxIntervals / 4);
    EXPECT_EQ(series.at("time_us").size(), intervals + 1);
    EXPECT_EQ(series.at("time_us").back(), 7.0 * kCommands - 2);
    EXPECT_EQ(sum(series.at(Pointer("/operations/read/commands"))), std::uint64_t{kCommands});
    EXPECT_EQ(sum(series.at(Pointer("/operations/read/bytes"))), std::uint64_t{kCommands} * 4096);
    for (std::size_t i = 0; i < intervals; ++i) {
        EXPECT_LT(series.at("time_us").at(i), series.at("time_us").at(i + 1));
        EXPECT_NEAR(series.at("queue_depth").at(i).get<double>(), 5.0 / 7.0, 0.01);
        EXPECT_NEAR(series.at("core_permille").at(i).get<double>(), 3000.0 / 7.0, 5.0);
    }
    const Json& worst = series.at("worst_latency_us");
    EXPECT_EQ(std::count(worst.begin(), worst.end(), 999.0), 1) << "the slow one is not lost";
    EXPECT_EQ(std::count(worst.begin(), worst.end(), 5.0), static_cast<std::ptrdiff_t>(intervals) - 1);
}

TEST_F(TimeSeriesTest, IdleTimesDoNotBlurTheBusyOnes) {
    // Bursts of 1 ms with a command every 10 us, each after 99 ms without commands.
    constexpr int kBursts = 20;
    for (std::int64_t burst = 0; burst < kBursts; ++burst) {
        for (std::int64_t i = 0; i < 100; ++i) {
            issue(100'000 * burst + 10 * i);
            complete(100'000 * burst + 10 * i + 9, 9);
        }
    }
    series_.finished();
    const Json series = series_.to_json();
    const Json& depth = series.at("queue_depth");
    EXPECT_EQ(std::count_if(depth.begin(), depth.end(), [](const Json& d) { return d < 0.01; }), kBursts - 1);
    EXPECT_GE(std::count_if(depth.begin(), depth.end(), [](const Json& d) { return d > 0.8; }), 2 * kBursts);
    EXPECT_EQ(sum(series.at(Pointer("/operations/read/commands"))), std::uint64_t{kBursts} * 100);
}

TEST_F(TimeSeriesTest, DeduplicationByInterval) {
    const auto at = [this](std::int64_t us, const fw::DedupCounters& counters, std::uint64_t references,
                           std::uint64_t waiting) {
        device_.dedup = fw::DedupState{counters, 2, references, waiting, 0, 0};
        issue(us);
    };
    at(0, {}, 4, 9);
    fw::DedupCounters counters;
    counters.checked = 7;
    counters.duplicates = 3;
    at(20, counters, 7, 2);
    counters.checked = 5;  // count since a power cut
    counters.duplicates = 1;
    at(40, counters, 8, 0);
    series_.finished();
    const Json dedup = series_.to_json().at("dedup");
    EXPECT_EQ(dedup.at("checked"), (Json{7, 5}));
    EXPECT_EQ(dedup.at("duplicates"), (Json{3, 1}));
    EXPECT_EQ(dedup.at("saved_pages"), (Json{5, 6}));
    EXPECT_EQ(dedup.at("waiting"), (Json{2, 0}));
}

TEST_F(TimeSeriesTest, NothingHappened) {
    series_.finished();
    const Json series = series_.to_json();
    EXPECT_TRUE(series.at("time_us").empty());
    EXPECT_TRUE(series.at("operations").empty());
    EXPECT_TRUE(series.at("dies_permille").empty());
}

TEST_F(TimeSeriesTest, IssuedButNeverCompleted) {
    issue(3);
    issue(50);
    const Json series = series_.to_json();
    EXPECT_EQ(series.at("time_us"), Json::parse("[0.0, 47.0]"));
    EXPECT_EQ(series.at("queue_depth"), Json::parse("[1.0]"));
    EXPECT_TRUE(series.at("operations").empty());
}

class ManyDies : public TimeSeriesTest {
  protected:
    ManyDies() : TimeSeriesTest(256) {}
};

TEST_F(ManyDies, TheMapStaysSmall) {
    constexpr std::int64_t kSamples = 200;  // times 256 dies: 51,200 values, step 4
    issue(0);
    for (std::int64_t i = 1; i <= kSamples; ++i) {
        device_.dies[255][0] += (i % 4 == 0 ? 8 : 2) * kMicrosecond;
        issue(10 * i);
    }
    const Json series = series_.to_json();
    EXPECT_EQ(series.at("queue_depth").size(), 200U);
    EXPECT_EQ(series.at("map_step"), 4);
    const Json& rows = series.at(Pointer("/dies_permille/host"));
    ASSERT_EQ(rows.size(), 256U);
    EXPECT_EQ(rows.at(255), Json(std::vector<int>(50, 350))) << "(2 + 2 + 2 + 8) of 40 us";
    EXPECT_EQ(rows.at(0), Json(std::vector<int>(50, 0)));
}

}  // namespace
}  // namespace solidtlm::testbench
