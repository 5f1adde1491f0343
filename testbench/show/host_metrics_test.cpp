// SPDX-License-Identifier: Apache-2.0
#include "testbench/show/host_metrics.h"

#include <gtest/gtest.h>

#include <random>
#include <string>

#include "testbench/show/counted_source.h"
#include "testbench/show/observer_chain.h"
#include "testbench/show/test_inputs.h"

namespace solidtlm::testbench {
namespace {

using hal::Stage;
using testing::finished_command;
using testing::kMicrosecond;
using testing::observe;

TEST(HostMetrics, CountsByKind) {
    const HostMetrics metrics = testing::sample_metrics();
    EXPECT_EQ(metrics.issued(), 103U);
    EXPECT_EQ(metrics.completed(), 103U);
    EXPECT_EQ(metrics.failed(), 0U);
    EXPECT_EQ(metrics[Operation::read].count(), 100U);
    EXPECT_EQ(metrics[Operation::read].bytes, 100U * 4096U);
    EXPECT_EQ(metrics[Operation::write].bytes, 8192U);
    EXPECT_EQ(metrics[Operation::trim].bytes, 1000U * 512U) << "both ranges";
    EXPECT_EQ(metrics[Operation::flush].bytes, 0U);
    EXPECT_EQ(metrics.measured(), 5650 * kMicrosecond);
    EXPECT_EQ(metrics.largest_residual(), Ps{0});
}

TEST(HostMetrics, StagesAddUpToTheMeanLatency) {
    const HostMetrics metrics = testing::sample_metrics();
    const OperationMetrics& reads = metrics[Operation::read];
    // On the link: 1 + 2 + ... + 9 us and then 91 times 10 us, over 100 reads.
    const StageSums stages = reads.stages.from(Ps{0});
    EXPECT_DOUBLE_EQ(stages.mean_ps(Stage::link_transfer), (45.0 + 910.0) / 100.0 * 1e6);
    EXPECT_DOUBLE_EQ(stages.mean_ps(Stage::array), (5050.0 - 955.0) / 100.0 * 1e6);
    EXPECT_EQ(stages.mean_ps(Stage::gc_stall), 0.0);
    EXPECT_DOUBLE_EQ(reads.latency.mean_ps(), 50.5e6);
    const OperationMetrics total = metrics.total();
    EXPECT_DOUBLE_EQ(total.latency.mean_ps(), 5650e6 / 103.0);
    const StageSums all = total.stages.from(Ps{0});
    EXPECT_DOUBLE_EQ(all.mean_ps(Stage::link_transfer) + all.mean_ps(Stage::array), total.latency.mean_ps());
}

// 1,000 commands of 10 us, and 20 of 400 us that spend nearly all their time in the array. The 99th
// percentile is a slow command, and only slow commands are among the slowest.
TEST(HostMetrics, TheSlowestCommandsHaveStagesOfTheirOwn) {
    HostMetrics metrics;
    for (std::uint64_t i = 0; i < 1020; ++i) {
        const Ps latency = (i % 51 == 0 ? 400 : 10) * kMicrosecond;
        observe(metrics, finished_command(i, Operation::read, Ps{0}, latency, 8, 9 * kMicrosecond));
    }
    const StageSums slowest = metrics[Operation::read].slowest();
    EXPECT_EQ(slowest.count, 20U);
    EXPECT_DOUBLE_EQ(slowest.mean_ps(Stage::array), 391e6);
    EXPECT_DOUBLE_EQ(slowest.mean_ps(Stage::link_transfer), 9e6);
    const HostMetrics copy = metrics;
    EXPECT_EQ(copy.total().slowest().count, 20U);
    EXPECT_EQ(HostMetrics{}[Operation::read].slowest().count, 0U);
}

TEST(HostMetrics, FailedCommandsCountButDoNotEnterLatency) {
    HostMetrics metrics;
    Command bad = finished_command(0, Operation::read, Ps{0}, 900 * kMicrosecond, 8);
    bad.status = CommandStatus::failed;
    observe(metrics, bad);
    observe(metrics, finished_command(1, Operation::read, Ps{0}, 100 * kMicrosecond, 8));
    EXPECT_EQ(metrics.issued(), 2U);
    EXPECT_EQ(metrics.completed(), 1U);
    EXPECT_EQ(metrics.failed(), 1U);
    EXPECT_EQ(metrics[Operation::read].failed, 1U);
    EXPECT_EQ(metrics[Operation::read].bytes, 4096U);
    EXPECT_EQ(metrics[Operation::read].latency.max(), 100 * kMicrosecond);
    EXPECT_EQ(metrics.measured(), 900 * kMicrosecond) << "the run lasted until the failure";
}

TEST(HostMetrics, ResidualIsTheLargestOfEitherSignAndOfFailedCommandsToo) {
    HostMetrics metrics;
    Command late = finished_command(0, Operation::read, Ps{0}, 10 * kMicrosecond, 8);
    late.residual = Ps{5};
    observe(metrics, late);
    EXPECT_EQ(metrics.largest_residual(), Ps{5});
    Command early = finished_command(1, Operation::read, Ps{0}, 10 * kMicrosecond, 8);
    early.residual = Ps{-7};
    early.status = CommandStatus::failed;
    observe(metrics, early);
    EXPECT_EQ(metrics.largest_residual(), Ps{7});
}

TEST(HostMetrics, OutstandingCommandsAreThoseNotCompleted) {
    HostMetrics metrics;
    Command first = finished_command(0, Operation::read, Ps{0}, kMicrosecond, 8);
    Command second = finished_command(1, Operation::read, Ps{0}, kMicrosecond, 8);
    metrics.issued(first);
    metrics.issued(second);
    EXPECT_EQ(metrics.outstanding(), 2U);
    metrics.completed(second);
    EXPECT_EQ(metrics.outstanding(), 1U);
}

TEST(HostMetrics, CommandIssuedAgainIsStillOneCommand) {
    HostMetrics metrics;
    Command command = finished_command(0, Operation::read, Ps{0}, kMicrosecond, 8);
    metrics.issued(command);
    command.retries = 1;
    metrics.issued(command);
    metrics.completed(command);
    EXPECT_EQ(metrics.issued(), 1U);
    EXPECT_EQ(metrics.retries(), 1U);
    EXPECT_EQ(metrics.outstanding(), 0U);
}

TEST(HostMetrics, MeasurementForgetsEarlierCommandsEvenWhenTheyCompleteLater) {
    HostMetrics metrics;
    observe(metrics, finished_command(0, Operation::write, Ps{0}, kMicrosecond, 8));
    Command straggler = finished_command(1, Operation::write, Ps{0}, 50 * kMicrosecond, 8);
    metrics.issued(straggler);
    metrics.begin_measurement();
    Command counted = finished_command(2, Operation::read, 20 * kMicrosecond, 10 * kMicrosecond, 8);
    metrics.issued(counted);
    metrics.completed(straggler);
    metrics.completed(counted);
    EXPECT_EQ(metrics.issued(), 1U);
    EXPECT_EQ(metrics.completed(), 1U);
    EXPECT_EQ(metrics[Operation::write].count(), 0U);
    EXPECT_EQ(metrics.measured(), 10 * kMicrosecond);
}

TEST(HostMetrics, RandomStreamMatchesAShadow) {
    std::mt19937_64 random(17);
    HostMetrics metrics;
    struct Shadow {
        std::uint64_t count = 0;
        std::uint64_t failed = 0;
        std::uint64_t bytes = 0;
        std::int64_t latency = 0;
        std::int64_t link = 0;
    };
    std::array<Shadow, kOperations> shadow{};
    for (std::uint64_t i = 0; i < 20'000; ++i) {
        const auto kind = static_cast<Operation>(random() % kOperations);
        const Ps latency{static_cast<std::int64_t>(random() % 10'000'000)};
        const Ps link{static_cast<std::int64_t>(random() % (latency.count() + 1))};
        const auto sectors = static_cast<std::uint32_t>(1 + random() % 256);
        Command command =
            finished_command(i, kind, Ps{static_cast<std::int64_t>(i) * 1000}, latency, sectors, link);
        command.status = random() % 50 == 0 ? CommandStatus::failed : CommandStatus::ok;
        if (kind == Operation::trim) {
            command.ranges = {{Lba{0}, sectors}};
        }
        observe(metrics, command);
        Shadow& expected = shadow[static_cast<std::size_t>(kind)];
        if (command.status == CommandStatus::failed) {
            ++expected.failed;
            continue;
        }
        ++expected.count;
        expected.bytes += kind == Operation::flush ? 0 : std::uint64_t{sectors} * 512;
        expected.latency += latency.count();
        expected.link += link.count();
    }
    for (std::size_t i = 0; i < kOperations; ++i) {
        const OperationMetrics& got = metrics[static_cast<Operation>(i)];
        EXPECT_EQ(got.count(), shadow[i].count);
        EXPECT_EQ(got.failed, shadow[i].failed);
        EXPECT_EQ(got.bytes, shadow[i].bytes);
        EXPECT_TRUE(got.latency.sum() == shadow[i].latency);
        const StageSums sums = got.stages.from(Ps{0});
        EXPECT_EQ(sums.count, shadow[i].count);
        EXPECT_TRUE(sums.stages[static_cast<std::size_t>(Stage::link_transfer)] == shadow[i].link);
        EXPECT_TRUE(sums.stages[static_cast<std::size_t>(Stage::array)] ==
                    shadow[i].latency - shadow[i].link);
    }
    EXPECT_EQ(metrics.largest_residual(), Ps{0});
}

TEST(HostMetrics, StagesOfCommandsBeyondAllBoundsAddUp) {
    constexpr Ps kLatency = Ps::max() / 2;  // the sum of three does not fit in 64 bits
    StageSumsByLatency stages;
    hal::Ledger ledger;
    ledger.start(Stage::array, Ps{0});
    ledger.enter(Stage::completion, kLatency);
    constexpr int kCommands = 7;
    for (int i = 0; i < kCommands; ++i) {
        stages.add(kLatency, ledger);
    }
    const StageSums sums = stages.from(Ps{0});
    EXPECT_EQ(sums.count, static_cast<std::uint64_t>(kCommands));
    EXPECT_TRUE(sums.stages[static_cast<std::size_t>(Stage::array)] == WidePs{kLatency.count()} * kCommands);
    EXPECT_TRUE(StageSumsByLatency(stages).from(Ps{0}).stages == sums.stages);
}

struct Recorder : CommandObserver {
    Recorder(std::string name, std::string& log) : name_(std::move(name)), log_(log) {}
    void issued(Command& /*command*/) override { log_ += name_ + "i "; }
    void completed(Command& /*command*/) override { log_ += name_ + "c "; }
    void finished() override { log_ += name_ + "f "; }

  private:
    std::string name_;
    std::string& log_;
};

TEST(ObserverChain, NotifiesInOrder) {
    std::string log;
    Recorder a("a", log);
    Recorder b("b", log);
    ObserverChain chain;
    chain.add(a);
    chain.add(b);
    Command command;
    chain.issued(command);
    chain.completed(command);
    chain.finished();
    EXPECT_EQ(log, "ai bi ac bc af bf ");
}

TEST(HostMetrics, AWindowCountsCompletionsWithinIt) {
    HostMetrics metrics;
    observe(metrics, finished_command(0, Operation::read, Ps{0}, kMicrosecond, 8));
    Command earlier = finished_command(1, Operation::read, Ps{0}, 30 * kMicrosecond, 8);
    Command first = finished_command(2, Operation::read, 10 * kMicrosecond, 30 * kMicrosecond, 8);
    Command later = finished_command(3, Operation::read, 30 * kMicrosecond, 30 * kMicrosecond, 8);
    metrics.issued(earlier);
    metrics.issued(first);
    metrics.begin_window(10 * kMicrosecond);
    EXPECT_EQ(metrics.outstanding(), 2U);
    metrics.completed(earlier);  // ends at 30 us
    metrics.issued(later);
    metrics.completed(first);  // ends at 40 us
    metrics.end_window();
    metrics.completed(later);
    EXPECT_EQ(metrics.issued(), 2U);
    EXPECT_EQ(metrics.completed(), 2U) << "the one under way at the begin, not the one at the end";
    EXPECT_EQ(metrics.measured(), 30 * kMicrosecond);
    EXPECT_EQ(metrics[Operation::read].latency.max(), 30 * kMicrosecond);
    EXPECT_DOUBLE_EQ(metrics.mean_outstanding(), (20 + 30 + 10) / 30.0) << "their parts of the window";
}

// The window begins and ends in the middle of commands that end at one instant: two at 10 us, three at 40 us.
TEST(HostMetrics, AWindowDividesNoInstant) {
    HostMetrics metrics;
    const auto until = [](std::uint64_t sequence, std::int64_t us) {
        return finished_command(sequence, Operation::read, Ps{0}, us * kMicrosecond, 8);
    };
    std::vector<Command> commands{until(0, 10), until(1, 10), until(2, 25), until(3, 40),
                                  until(4, 40), until(5, 40), until(6, 41)};
    for (Command& command : commands) {
        metrics.issued(command);
    }
    metrics.completed(commands[0]);
    metrics.begin_window(10 * kMicrosecond);
    metrics.completed(commands[1]);
    EXPECT_EQ(metrics.outstanding(), 5U);
    EXPECT_EQ(metrics.completed(), 0U) << "it ends where the window begins";
    metrics.completed(commands[2]);
    metrics.completed(commands[3]);
    metrics.end_window();
    metrics.completed(commands[4]);
    metrics.completed(commands[5]);
    metrics.completed(commands[6]);
    EXPECT_EQ(metrics.completed(), 4U);
    EXPECT_EQ(metrics.issued(), 4U);
    EXPECT_EQ(metrics[Operation::read].count(), 4U);
    EXPECT_EQ(metrics.measured(), 30 * kMicrosecond);
    EXPECT_DOUBLE_EQ(metrics.mean_outstanding(), (15 + 4 * 30) / 30.0);
}

TEST(HostMetrics, FailuresAndResidualsCountOutsideTheWindowToo) {
    HostMetrics metrics;
    const auto fail = [&metrics](std::uint64_t sequence) {
        Command bad = finished_command(sequence, Operation::write, Ps{0}, kMicrosecond, 8);
        bad.status = CommandStatus::failed;
        bad.residual = Ps{5};
        observe(metrics, bad);
    };
    fail(0);
    metrics.begin_window(kMicrosecond);
    EXPECT_EQ(metrics.failed(), 1U);
    EXPECT_EQ(metrics.outstanding(), 0U);
    EXPECT_EQ(metrics.largest_residual(), Ps{5});
    metrics.end_window();
    fail(1);
    EXPECT_EQ(metrics.failed(), 2U);
}

struct ThreeRequests : RequestSource {
    bool next(Request& request) override {
        request.clear();
        return left-- > 0;
    }
    [[nodiscard]] std::optional<std::uint64_t> size() const override { return 3; }
    int left = 3;
};

TEST(CountedSource, CountsRequestsAndNotTheEnd) {
    ThreeRequests inner;
    CountedSource source(inner);
    Request request;
    EXPECT_FALSE(source.exhausted());
    while (source.next(request)) {
    }
    EXPECT_EQ(source.requests(), 3U);
    EXPECT_EQ(source.size(), 3U);
    EXPECT_TRUE(source.exhausted());
}

}  // namespace
}  // namespace solidtlm::testbench
