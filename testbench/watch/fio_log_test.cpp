// SPDX-License-Identifier: Apache-2.0
#include "testbench/watch/fio_log.h"

#include <gtest/gtest.h>

#include <regex>

#include "fw/testing/files.h"
#include "testbench/watch/record_test_support.h"

namespace solidtlm::testbench {
namespace {

Command command_of(Operation operation, std::uint64_t lba, std::uint32_t sectors) {
    Command command;
    command.operation = operation;
    command.lba = Lba{lba};
    command.sectors = sectors;
    command.arrival = Ps{1'000'000'000};
    command.issued_at = Ps{1'000'500'000};
    command.completed_at = Ps{2'999'999'999};
    return command;
}

/// "Log File Formats" of fio's documentation: time (msec), value (nsec), data direction (0 read, 1 write, 2
/// trim), block size (bytes), offset (bytes), command priority (0 normal).
TEST(FioLog, HasALineForEachReadWriteAndTrim) {
    const RecordFolder folder;
    FioLog log(folder / "drive");
    Command read = command_of(Operation::read, 16, 8);
    Command write = command_of(Operation::write, 0, 256);
    Command trim = command_of(Operation::trim, 0, 0);
    trim.ranges = {{Lba{800}, 8}, {Lba{16}, 24}};
    Command flush = command_of(Operation::flush, 0, 0);
    Command failed = command_of(Operation::read, 0, 8);
    failed.status = CommandStatus::failed;
    for (Command* command : {&read, &write, &trim, &flush, &failed}) {
        log.completed(*command);
    }
    log.finish();
    EXPECT_EQ(read_file(folder / "drive_lat.1.log"),
              "2, 1999999, 0, 4096, 8192, 0\n2, 1999999, 1, 131072, 0, 0\n2, 1999999, 2, 16384, 409600, 0\n");
    EXPECT_EQ(read_file(folder / "drive_slat.1.log"),
              "2, 500, 0, 4096, 8192, 0\n2, 500, 1, 131072, 0, 0\n2, 500, 2, 16384, 409600, 0\n");
    EXPECT_EQ(read_file(folder / "drive_clat.1.log"),
              "2, 1999499, 0, 4096, 8192, 0\n2, 1999499, 1, 131072, 0, 0\n2, 1999499, 2, 16384, 409600, 0\n");
}

TEST(FioLog, LooksLikeTheLogsOfFio) {
    if (std::system("fio --version >/dev/null 2>&1") != 0) {
        GTEST_SKIP() << "fio is not installed";
    }
    const RecordFolder folder;
    const std::string run =
        "cd " + (folder / "").string() +
        " && fio --name=a --ioengine=null --rw=randrw --bs=4k --size=64k --iodepth=4 --write_lat_log=fio "
        "--log_offset=1 >/dev/null 2>&1";
    ASSERT_EQ(std::system(run.c_str()), 0);
    FioLog log(folder / "drive");
    Command read = command_of(Operation::read, 16, 8);
    log.completed(read);
    log.finish();
    const std::regex line("[0-9]+, [0-9]+, [012], 4096, [0-9]+, 0");
    for (const char* kind : {"_lat.1.log", "_slat.1.log", "_clat.1.log"}) {
        for (const std::string who : {"fio", "drive"}) {
            std::istringstream lines(read_file(folder / (who + kind)));
            int count = 0;
            for (std::string text; std::getline(lines, text); ++count) {
                EXPECT_TRUE(std::regex_match(text, line)) << who << kind << ": " << text;
            }
            EXPECT_GT(count, 0) << who << kind;
        }
    }
}

}  // namespace
}  // namespace solidtlm::testbench
