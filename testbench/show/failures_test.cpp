// SPDX-License-Identifier: Apache-2.0
#include "testbench/show/failures.h"

#include <gtest/gtest.h>

#include "testbench/show/test_inputs.h"

namespace solidtlm::testbench {
namespace {

namespace ata = hw::ata;
using testing::kMicrosecond;

/// A command that fails `us` microseconds after the start.
Command failed(Operation operation, int us, std::uint8_t status, std::uint8_t error, std::uint64_t lba) {
    Command command = testing::finished_command(0, operation, Ps{0}, us * kMicrosecond, 8);
    command.lba = Lba{lba / 8 * 8};
    command.status = CommandStatus::failed;
    command.failure = ata_failure(status, error);
    command.error_lba = Lba{lba};
    return command;
}

Failures observed(std::vector<Command> commands) {
    Failures failures;
    for (Command& command : commands) {
        failures.completed(command);
    }
    return failures;
}

TEST(Failures, AreDistinguishedByTheRegisters) {
    EXPECT_EQ(ata_failure(ata::kStatusError, ata::kUncorrectable), FailureKind::uncorrectable);
    EXPECT_EQ(ata_failure(ata::kStatusError, ata::kIdNotFound), FailureKind::id_not_found);
    EXPECT_EQ(ata_failure(ata::kStatusError, ata::kAbort), FailureKind::aborted);
    EXPECT_EQ(ata_failure(ata::kStatusError | ata::kDeviceFault, ata::kAbort), FailureKind::write_fault);
    EXPECT_EQ(ata_failure(0, 0), FailureKind::power_lost);
}

TEST(Failures, ShowPlaceAndTimeOfTheFirstOfEachKind) {
    constexpr std::uint8_t kFault = ata::kStatusError | ata::kDeviceFault;
    Command flush = failed(Operation::flush, 4, kFault, ata::kAbort, 0);
    const Failures failures =
        observed({failed(Operation::read, 2, ata::kStatusError, ata::kUncorrectable, 1003),
                  failed(Operation::write, 3, kFault, ata::kAbort, 4096), flush,
                  failed(Operation::write, 5, 0, 0, 8)});
    DriveState drive;
    drive.health.read_only = true;
    drive.health.read_only_why = "nothing is free";
    drive.health.read_only_since = 2500 * Ps{1000};
    drive.health.retired_blocks = 1234;
    drive.health.reserve_percent = 0;
    drive.health.percentage_used = 104;
    const Json section = failures_section(failures, &drive);
    EXPECT_EQ(section["kinds"]["write_fault"],
              (Json{{"count", 2}, {"first", {{"operation", "write"}, {"lba", 4096}, {"at_s", 3e-6}}}}));
    EXPECT_EQ(section["kinds"]["uncorrectable"]["first"]["lba"], 1003);
    EXPECT_FALSE(section["kinds"].contains("aborted"));
    EXPECT_EQ(section["drive"]["read_only_since_s"], 2.5e-6);
    EXPECT_EQ(failure_facts(section),
              (std::vector<std::string>{
                  "1 uncorrectable (UNC), the first a read at LBA 1003 at 2.00 us",
                  "2 write fault (DF), the first a write at LBA 4096 at 3.00 us",
                  "the drive has been read-only since 2.50 us: nothing is free; 1,234 blocks retired, 0 % of "
                  "the reserve left, 104 % of the rated erases used"}));
}

TEST(Failures, ShowTheStateOfTheDrive) {
    const Failures failures =
        observed({failed(Operation::flush, 1, ata::kStatusError | ata::kDeviceFault, ata::kAbort, 0)});
    const DriveState drive{{}, true};
    EXPECT_EQ(
        failure_facts(failures_section(failures, &drive)),
        (std::vector<std::string>{
            "1 write fault (DF), the first a flush at 1.00 us",
            "the drive takes writes; it has lost data that it had acknowledged; 0 blocks retired, 100 % "
            "of the reserve left, 0 % of the rated erases used"}));
    EXPECT_EQ(failure_facts(failures_section(failures, nullptr)).size(), 1U);
    EXPECT_FALSE(Failures{}.any());
}

}  // namespace
}  // namespace solidtlm::testbench
