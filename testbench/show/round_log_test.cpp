// SPDX-License-Identifier: Apache-2.0
#include "testbench/show/round_log.h"

#include <gtest/gtest.h>

#include "testbench/show/test_inputs.h"

namespace solidtlm::testbench {
namespace {

constexpr std::uint64_t kCommandBytes = 4096;

/// A flash that programs `amplification` times the written bytes, and erases half as much.
struct WrittenDrive {
    RoundLog log;
    FlashWork flash;
    std::uint64_t sequence = 0;

    explicit WrittenDrive(RoundLength length) : log(length, [this] { return flash; }) {}

    bool write(std::uint64_t amplification) {
        flash.programmed_bytes += amplification * kCommandBytes;
        flash.erased_bytes += amplification * kCommandBytes / 2;
        return log.completed(command(Operation::write));
    }
    bool read() { return log.completed(command(Operation::read)); }
    Command command(Operation operation) {
        return testing::finished_command(sequence++, operation, Ps{0}, 10 * testing::kMicrosecond, 8);
    }
};

TEST(RoundLog, ARoundEndsWhenTheFlashHasProgrammedEnough) {
    WrittenDrive drive(RoundLength{4 * kCommandBytes});
    EXPECT_FALSE(drive.write(2));
    EXPECT_FALSE(drive.read());
    EXPECT_TRUE(drive.write(2));
    EXPECT_TRUE(drive.write(5)) << "longer if a command moves more";
    EXPECT_FALSE(drive.write(3)) << "not counted in the next one";
    const auto rounds = drive.log.rounds();
    ASSERT_EQ(rounds.size(), 2U);
    EXPECT_EQ(rounds[0].commands, 3U);
    EXPECT_TRUE(rounds[0].latency == WidePs{30'000'000});
    EXPECT_EQ(rounds[0].written_bytes, 2 * kCommandBytes);
    EXPECT_EQ(rounds[0].programmed_bytes, 4 * kCommandBytes);
    EXPECT_EQ(rounds[0].erased_bytes, 2 * kCommandBytes);
    EXPECT_EQ(rounds[1].commands, 1U);
    EXPECT_EQ(rounds[1].programmed_bytes, 5 * kCommandBytes);
}

TEST(RoundLog, OrWhenTheHostHasMovedEnough) {
    WrittenDrive drive(RoundLength{100 * kCommandBytes, 3 * kCommandBytes});
    EXPECT_FALSE(drive.read());
    EXPECT_FALSE(drive.write(1));
    EXPECT_TRUE(drive.read());
    EXPECT_EQ(drive.log.rounds()[0].written_bytes, kCommandBytes);
}

TEST(RoundLog, IgnoresFailedCommands) {
    WrittenDrive drive(RoundLength{kCommandBytes});
    Command failed = drive.command(Operation::write);
    failed.status = CommandStatus::failed;
    EXPECT_FALSE(drive.log.completed(failed));
    EXPECT_TRUE(drive.write(1));
    EXPECT_EQ(drive.log.rounds()[0].commands, 1U);
}

TEST(RoundLog, BeginsOnRequest) {
    WrittenDrive drive(RoundLength{4 * kCommandBytes});
    EXPECT_TRUE(drive.write(4));
    EXPECT_FALSE(drive.write(3));
    drive.log.begin();
    EXPECT_TRUE(drive.log.rounds().empty());
    EXPECT_FALSE(drive.write(3));
    EXPECT_TRUE(drive.write(1));
    EXPECT_EQ(drive.log.rounds()[0].programmed_bytes, 4 * kCommandBytes);
}

TEST(RoundLog, MemoryDoesNotGrow) {
    WrittenDrive drive(RoundLength{kCommandBytes});
    for (std::size_t i = 1; i < RoundLog::kMostRounds; ++i) {
        EXPECT_TRUE(drive.write(1));
    }
    EXPECT_EQ(drive.log.rounds().size(), RoundLog::kMostRounds - 1);
    EXPECT_TRUE(drive.write(1));
    ASSERT_EQ(drive.log.rounds().size(), RoundLog::kMostRounds / 2);
    for (const RoundWork& round : drive.log.rounds()) {
        EXPECT_EQ(round.commands, 2U);
        EXPECT_EQ(round.programmed_bytes, 2 * kCommandBytes);
    }
    EXPECT_FALSE(drive.write(1)) << "the following rounds are as long";
    EXPECT_TRUE(drive.write(1));
}

}  // namespace
}  // namespace solidtlm::testbench
