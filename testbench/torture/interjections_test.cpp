// SPDX-License-Identifier: Apache-2.0
#include "testbench/torture/interjections.h"

#include <gtest/gtest.h>

namespace solidtlm::testbench {
namespace {

using Flash = Interjections::Flash;

/// Ends a read of eight sectors in this way, with no other command before it. Returns the faults found.
std::vector<std::string> faults_after(Flash flash, std::uint8_t status, std::uint8_t error) {
    const PreparedCase prepared = prepare({});
    SentRequests sent;
    Interjections interjections(prepared, flash, sent);
    Command command;
    command.lba = Lba{100};
    command.sectors = 8;
    interjections.issued(command);
    command.status = CommandStatus::failed;
    command.failure = ata_failure(status, error);
    command.error_lba = Lba{103};
    interjections.completed(command);
    EXPECT_EQ(interjections.expected_failures(), 0U);
    EXPECT_EQ(sent.questions + sent.marks, 0U);
    return interjections.faults();
}

// On a drive without flash faults, any failing command is a fault already.
TEST(Interjections, AReadThatParityCouldSaveMustNotFail) {
    EXPECT_EQ(faults_after(Flash::readable, 0x51, 0x40),
              std::vector<std::string>{"LBA 103 is lost in spite of parity"});
    EXPECT_TRUE(faults_after(Flash::readable, 0x51, 0x04).empty()) << "aborted";
    EXPECT_TRUE(faults_after(Flash::readable, 0, 0).empty()) << "power was lost";
    EXPECT_TRUE(faults_after(Flash::may_fail, 0x51, 0x40).empty());
    EXPECT_TRUE(faults_after(Flash::sound, 0x51, 0x40).empty());
}

}  // namespace
}  // namespace solidtlm::testbench
