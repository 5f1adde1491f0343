// SPDX-License-Identifier: Apache-2.0
#include "testbench/show/run_state.h"

#include <gtest/gtest.h>

#include <string>

#include "testbench/show/test_inputs.h"

namespace solidtlm::testbench {
namespace {

using testing::kMicrosecond;
using Found = SteadyState::Verdict;

constexpr std::uint64_t kUnit = 4096;
constexpr std::uint64_t kWritesPerRound = 1000;

/// A drive that a host writes or reads, one command after another. Flash programs `amplification` times what
/// is written, and erases the share `erased` of that.
struct RunOfDrive {
    HostMetrics metrics;
    FlashWork flash;
    RunState state;
    Ps now{0};
    std::uint64_t sequence = 0;
    std::uint64_t amplification = 2;
    double erased = 1.0;
    bool known = false;

    explicit RunOfDrive(StateFacts facts) : state(with_round(facts), metrics, [this] { return flash; }) {}
    static StateFacts with_round(StateFacts facts) {
        facts.round_bytes = kWritesPerRound * kUnit;
        return facts;
    }
    void run(Operation operation, std::uint64_t count, std::int64_t us, Ps waited = Ps{0}) {
        constexpr std::uint32_t kSectors = 8;
        for (std::uint64_t i = 0; i < count; ++i) {
            const Command command =
                testing::finished_command(sequence++, operation, now, us * kMicrosecond, kSectors);
            Command issued = command;
            metrics.issued(issued);
            state.issued(issued, now + waited);
            now = command.completed_at;
            if (operation == Operation::write) {
                flash.programmed_bytes += amplification * kUnit;
                flash.erased_bytes +=
                    static_cast<std::uint64_t>(erased * static_cast<double>(amplification * kUnit));
            }
            metrics.completed(issued);
            known |= state.completed(issued);
        }
    }
    [[nodiscard]] std::string text() const { return state.to_json()["text"]; }
};

TEST(RunState, WholeRoundsOfCollectionAreSteady) {
    RunOfDrive drive({.aged = true});
    drive.run(Operation::write, 2 * kWritesPerRound, 50);
    EXPECT_EQ(drive.state.verdict(), Found::too_short);
    EXPECT_EQ(drive.state.to_json()["missing"], 1000);
    EXPECT_EQ(drive.text(),
              "too short to judge, 2 of 3 rounds of collection; about 1,000 commands more would "
              "do; p99 not known");
    drive.run(Operation::write, kWritesPerRound, 50);
    EXPECT_EQ(drive.state.verdict(), Found::steady);
    const Json state = drive.state.to_json();
    EXPECT_EQ(state["kind"], "steady");
    EXPECT_EQ(state["rounds"], 3);
    EXPECT_EQ(state["missing"], 0);
    EXPECT_EQ(state["limited_by"], "queue depth");
    EXPECT_EQ(state["intervals"]["mean"]["value"], 50.0);
    EXPECT_EQ(state["intervals"]["mean"]["half_width"], 0.0);
    EXPECT_FALSE(state["intervals"].contains("p999")) << "10,000 commands a section are not there";
    EXPECT_TRUE(drive.text().starts_with("steady over 3 rounds of collection; p99 ")) << drive.text();
}

// The third round takes twice as long.
TEST(RunState, ADriftIsSaid) {
    RunOfDrive drive({.aged = true});
    drive.run(Operation::write, 2 * kWritesPerRound, 50);
    drive.run(Operation::write, kWritesPerRound, 100);
    EXPECT_EQ(drive.state.verdict(), Found::drifting);
    EXPECT_TRUE(
        drive.text().starts_with("drifting: write amplification varies by 0.0 % (slope 0.0 %), mean "
                                 "latency by 75.0 % (slope 75.0 %)"))
        << drive.text();
}

TEST(RunState, FreeSpaceThatIsUsedUpIsNoState) {
    RunOfDrive empty({});
    empty.erased = 0.0;
    empty.run(Operation::write, 10, 50);
    EXPECT_EQ(empty.state.verdict(), Found::filling) << "at once, on a drive that was empty";
    EXPECT_TRUE(empty.text().starts_with("filling: nothing was collected, because free space"));
    RunOfDrive aged({.aged = true});
    aged.erased = 0.0;
    aged.run(Operation::write, 10, 50);
    EXPECT_EQ(aged.state.verdict(), Found::too_short);
    aged.run(Operation::write, 3 * kWritesPerRound, 50);
    EXPECT_EQ(aged.state.verdict(), Found::filling);
    RunOfDrive slow({.aged = true});
    slow.erased = 0.5;
    slow.run(Operation::write, 3 * kWritesPerRound, 50);
    EXPECT_TRUE(slow.text().starts_with("filling: more was programmed than erased")) << slow.text();
}

TEST(RunState, ReadsNeedNoRounds) {
    RunOfDrive drive({});
    drive.run(Operation::read, 400, 50);
    EXPECT_EQ(drive.state.verdict(), Found::too_short);
    EXPECT_EQ(drive.state.to_json()["missing"], 600);
    drive.run(Operation::read, 600, 50);
    EXPECT_EQ(drive.state.verdict(), Found::unwritten);
    EXPECT_TRUE(drive.text().starts_with("steady, nothing was written")) << drive.text();
    EXPECT_EQ(drive.state.to_json()["intervals"]["iops"]["value"], 20'000.0);
}

TEST(RunState, TheHostsQueueMayBeTheLimit) {
    for (const bool open : {true, false}) {
        RunOfDrive drive({.open = open, .queue_depth = 1});
        drive.run(Operation::read, 1800, 50);
        drive.run(Operation::read, 199, 50, kMicrosecond);
        EXPECT_NE(drive.state.to_json()["limited_by"], "host queue") << "not one in ten";
        drive.run(Operation::read, 100, 50, kMicrosecond);
        EXPECT_EQ(drive.state.to_json()["limited_by"], open ? "host queue" : "queue depth");
        EXPECT_EQ(
            drive.text().find("the host's queue of 1 was full for 14 % of the commands") != std::string::npos,
            open)
            << drive.text();
    }
    RunOfDrive deep({.open = true, .queue_depth = 2});
    deep.run(Operation::read, 1000, 50, kMicrosecond);
    EXPECT_TRUE(deep.state.to_json()["limited_by"].is_null()) << "it was not full";
}

// Means of rounds: 50, 52, 48 us: 2 us of deviation, 4.303 * 2 / sqrt(3) = 4.97 us, 9.9 %. With a fourth of
// 50 us it is 3.182 * sqrt(8 / 3 / 4) = 2.60 us, 5.2 %; with a fifth, 2.776 * sqrt(8 / 4 / 5) = 1.76 us, 3.5
// %.
TEST(RunState, KnowsWhenAQuantityIsKnown) {
    RunOfDrive drive({.aged = true, .known = {{"mean", 0.04}}});
    for (const std::int64_t us : {50, 52, 48, 50}) {
        drive.run(Operation::write, kWritesPerRound, us);
        EXPECT_FALSE(drive.known);
    }
    EXPECT_NEAR(drive.state.to_json()["half_width"].get<double>(), 0.0520, 0.0001);
    drive.run(Operation::write, kWritesPerRound - 1, 50);
    EXPECT_FALSE(drive.known) << "a round is whole";
    drive.run(Operation::write, 1, 50);
    EXPECT_TRUE(drive.known);
    EXPECT_EQ(drive.state.to_json()["quantity"], "mean");
    EXPECT_NEAR(drive.state.to_json()["half_width"].get<double>(), 0.0351, 0.0001);
}

// The numbers of a drive that fills are not those that were asked for.
TEST(RunState, NothingIsKnownOfADriveThatFills) {
    RunOfDrive drive({.known = {{"mean", 0.5}}});
    drive.erased = 0.0;
    drive.run(Operation::write, 5 * kWritesPerRound, 50);
    EXPECT_FALSE(drive.known);
}

TEST(RunState, BeginsAnew) {
    RunOfDrive drive({.aged = true});
    drive.run(Operation::write, 3 * kWritesPerRound, 50);
    drive.metrics.begin_window(drive.now);
    drive.state.begin(drive.now);
    EXPECT_EQ(drive.state.verdict(), Found::too_short);
    drive.run(Operation::write, 3 * kWritesPerRound, 80);
    EXPECT_EQ(drive.state.to_json()["intervals"]["mean"]["value"], 80.0);
}

}  // namespace
}  // namespace solidtlm::testbench
