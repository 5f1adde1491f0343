// SPDX-License-Identifier: Apache-2.0
//
// Files with typical damage: each gets a message that names reader, line and column.
#include <gtest/gtest.h>

#include "testbench/sim/load/trace/test_files.h"

namespace solidtlm::testbench {
namespace {

struct OddFile {
    const char* what;
    const char* format;  ///< empty: detected from the contents
    std::string text;
    std::string where;  ///< line, reader and column
    std::string found;
    std::string expected;
};

const std::string kMsr = "128166372003061629,hm,1,Read,383496192,32768,413\n";
const std::string kSpc = "0,5,512,W,0\n";
const std::string kAlibaba = "419,W,4096,4096,1577808000000046\n";
const std::string kTencent = "1538323199,30328392,144,1,1063\n";
const std::string kSystor = "1456135200.5,0.0002,W,4,4096,4096\n";
const std::string kFtrace = "k-1 [000] .... 10.1: block_rq_issue: 8,0 W 4096 () 2048 + 8 [k]\n";
const std::string kSnoop = "TIME(s) COMM PID DISK T SECTOR BYTES LAT(ms)\n0.1 x 1 sda W 8 4096 0.5\n";
const std::string kEtw =
    "DiskRead, TimeStamp, P, T, I, ByteOffset, IOSize, ElapsedTime, DiskNum\n"
    "DiskRead, 10, p, 1, 0x1, 0x200, 0x200, 5, 0\n";
const std::string kBlkreplay = "0.1 ; 8 ; 8 ; R ; 0.0 ; 0.0\n";
const std::string kValidate = "R Miss 1000 8 12500.0 1500.0\n";
const std::string kBlkparse = "8,16 3 5 0.000026421 3645 D R 8 + 8 [java]\n";
const std::string kFio = "fio version 2 iolog\nf add\nf open\n";
constexpr const char* kRwbs = "an operation in capital letters: R, W, D, F or N, with modifiers";
constexpr const char* kSnoopHeading = "a heading before it that names TIME(s), SECTOR and BYTES";

/// Line 51 has an operation that MQSim does not know but DiskSim does.
std::string mqsim_with_an_odd_line() {
    std::string text;
    for (int i = 0; i < 50; ++i) {
        text += std::to_string(1000 * i) + " 0 " + std::to_string(8 * i) + " 8 1\n";
    }
    return text + "50000 0 400 8 2\n51000 0 408 8 1\n";
}

std::vector<OddFile> of_columns() {
    return {
        {"an operation of another simulator", "", mqsim_with_an_odd_line(), "51: mqsim: column 5", "2",
         "an operation: 1 (read), 0 (write)"},
        {"a line that was cut off", "", kMsr + "128166372003061630,hm,1,Read,38349\n", "2: msr: column 6", "",
         "a line of 7 columns"},
        {"two lines that ran together", "", kMsr + "128166372003061630,hm,1,Read,0,512,41128166,hm\n",
         "2: msr: column 8", "hm", "a line of 7 columns"},
        {"a negative offset", "", kMsr + "128166372003061630,hm,1,Read,-512,512,4\n", "2: msr: column 5",
         "-512", "an address in bytes"},
        {"an operation that MSR does not have", "", kMsr + "128166372003061630,hm,1,Trim,0,512,4\n",
         "2: msr: column 4", "Trim", "an operation: Read (read), Write (write)"},
        {"a time in words", "", kMsr + "yesterday,hm,1,Read,0,512,4\n", "2: msr: column 1", "yesterday",
         "a time in units of 100 ns"},
        {"semicolons as separators", "msr", "128166372003061629;hm;1;Read;383496192;32768;413\n",
         "1: msr: column 2", "", "a line of 7 columns"},
        {"a time with a letter", "", kSpc + "0,5,512,W,x0.5\n", "2: spc: column 5", "x0.5",
         "a time in seconds"},
        {"a length of 0", "", kSpc + "0,5,0,W,1\n", "2: spc: column 3", "0",
         "a length of at least one sector"},
        {"an address beyond 48 bits", "", kSpc + "0,281474976710656,512,W,1\n", "2: spc: column 3",
         "281474976710656+1", "a range of sectors below 2^48"},
        {"an address that no number holds", "", kSpc + "0,99999999999999999999,512,W,1\n", "2: spc: column 2",
         "99999999999999999999", "an address in sectors"},
        {"a letter that is no operation", "", kAlibaba + "419,x,4096,4096,1577808000000047\n",
         "2: alibaba: column 2", "x", "an operation: R (read), W (write)"},
        {"a column too many", "", kAlibaba + "419,R,4096,4096,1577808000000047,9\n", "2: alibaba: column 6",
         "9", "a line of 5 columns"},
        {"a field that is empty", "", kAlibaba + "419,R,,4096,1577808000000047\n", "2: alibaba: column 3", "",
         "an address in bytes"},
        {"an operation out of range", "", kTencent + "1538323200,0,8,7,1063\n", "2: tencent: column 4", "7",
         "an operation: 0 (read), 1 (write)"},
        {"an exponent", "", kTencent + "1.538e9,0,8,0,1063\n", "2: tencent: column 1", "1.538e9",
         "a time in seconds"},
        {"a unit behind a number", "", kSystor + "1456135200.6,0.0002,R,4,4KiB,4096\n",
         "2: systor17: column 5", "4KiB", "an address in bytes"},
        {"more than 4 GiB at once", "", kSystor + "1456135200.6,0.0002,R,4,0,4294967808\n",
         "2: systor17: column 6", "8388609", "a read or write of at most 4 GiB (8388608 sectors)"},
        {"a lost separator", "", kBlkreplay + "0.2 ; 8  8 ; W ; 0.0 ; 0.0\n", "2: blkreplay: column 4", "0.0",
         "an operation: R (read), W (write)"},
        {"an operation that is missing", "", kBlkreplay + "0.2 ; 8 ; 8 ;  ; 0.0 ; 0.0\n",
         "2: blkreplay: column 4", "", "an operation: R (read), W (write)"},
        {"a column less", "", kValidate + "R Miss 1000 8 12500.0\n", "2: disksim_validate: column 6", "",
         "a line of 6 columns"},
        {"a negative time", "", kValidate + "R Miss 1000 8 12500.0 -1\n", "2: disksim_validate: column 6",
         "-1", "a time in microseconds"},
        {"a length that the bytes contradict", "", "8 8 4096 0 1.5 1.6 1.7 1.8\n8 8 512 0 1.5 1.6 1.7 1.8\n",
         "2: nexus5: column 3", "512", "the length given earlier in the line, 4096 bytes"},
        {"an operation code that is no number", "", "1 1000 2a 4096 2048\n1 1001 READ 4096 2048\n",
         "2: vscsi_text: column 3", "READ", "a SCSI operation code, hexadecimal"},
    };
}

std::vector<OddFile> of_events() {
    const std::string odd = "k-1 [000] .... 10.2: block_rq_issue: ";
    return {
        {"an operation that is no letters", "", kFtrace + odd + "8,0 w+ 8 () 0 + 8 [k]\n",
         "2: ftrace: column 7", "w+", kRwbs},
        {"a device without its minor number", "", kFtrace + odd + "8 W 8 () 0 + 8 [k]\n",
         "2: ftrace: column 6", "8", "a device: major,minor"},
        {"a clock that tells no time", "", kFtrace + "k-1 [000] .... abc: block_rq_issue: 8,0 W 8 () 0 + 8\n",
         "2: ftrace: column 4", "abc", "a time in seconds"},
        {"a line that ends early", "", kSnoop + "0.2 x 1 sda R\n", "3: biosnoop: column 6", "",
         "the 8 columns of the heading"},
        {"no heading", "biosnoop", "0.1 x 1 sda W 8 4096 0.5\n", "1: biosnoop: column 1",
         "0.1 x 1 sda W 8 4096 0.5", kSnoopHeading},
        {"biosnoop.bt, which tells no addresses", "biosnoop",
         "TIME(ms)     DISK    COMM             PID    LAT(ms)\n611  nvme0n1 bash  4179  10\n",
         "2: biosnoop: column 1", "611  nvme0n1 bash  4179  10", kSnoopHeading},
        {"a sector of all ones", "", kSnoop + "0.2 x 1 sda R 18446744073709551615 4096 0.5\n",
         "3: biosnoop: column 7", "18446744073709551615+8", "a range of sectors below 2^48"},
        {"a hexadecimal number that is none", "", kEtw + "DiskRead, 20, p, 1, 0x1, 0xZZ, 0x200, 5, 0\n",
         "3: etw: column 6", "0xZZ", "an address in bytes"},
        {"an event without a heading", "", kEtw + "DiskWrite, 20\n", "3: etw: column 1", "DiskWrite, 20",
         "a heading before it that names TimeStamp, ByteOffset and IOSize"},
        {"a summary cut out of the middle", "", kBlkparse + "Reads Queued: 0\n", "2: blkparse: column 1",
         "Reads", "a device: major,minor"},
        {"a length that is a word", "", kBlkparse + "8,16 3 6 0.1 3645 D W 8 + eight [java]\n",
         "2: blkparse: column 10", "eight", "a length in sectors"},
    };
}

std::vector<OddFile> of_readers() {
    return {
        {"a length of 0 in the first command", "", kFio + "f write 0 0\n", "4: fio: column 4", "0",
         "a length of at least one byte"},
        {"an action of another version", "", kFio + "f read 0 512\nf jump 0 512\n", "5: fio: column 2",
         "jump",
         "an action: read, write, trim, sync, datasync, sync_file_range, wait (version 2), add, open or "
         "close"},
        {"a version to come", "fio", "fio version 4 iolog\n", "1: fio: column 1", "fio version 4 iolog",
         "'fio version 2 iolog' or 'fio version 3 iolog'"},
        {"a slice from the middle", "", "1 R 0 8\n2 W 0 8 - 7\n", "2: nbd: column 6", "7",
         "identities seen before, below 1 (a slice from the middle of a trace must be renumbered)"},
        {"binary rubbish", "", "1 R 0 8\n2 R \1\2\xff 8\n", "2: nbd: column 3", "???",
         "an address in sectors"},
        {"an MD5 that lost its end", "",
         "1 2 p 8 8 W 6 0 d6c75ba46e82326fefa545b57a12e221\n2 2 p 8 8 W 6 0 d6c7\n", "2: fiu: column 9",
         "d6c7", "an MD5 of 32 hexadecimal digits"},
        {"a tag that is none", "", "1\tR\t0\t8\t1\t\t10\n2\tR\t0\t8\tx\t\t10\n", "2: cmds: column 5", "x",
         "a tag, or -1 for a command that is not queued"},
    };
}

TEST(DamagedLines, MessagesNameReaderLineAndColumn) {
    std::size_t files = 0;
    for (const auto& damages : {of_columns(), of_events(), of_readers()}) {
        for (const OddFile& damage : damages) {
            SCOPED_TRACE(damage.what);
            EXPECT_EQ(error_of(damage.text, with_format(damage.format)),
                      "FILE:" + damage.where + ": found '" + damage.found + "', expected " + damage.expected);
            ++files;
        }
    }
    EXPECT_GE(files, 40U);
}

TEST(DamagedLines, WithoutALineThatIsUnderstoodTheFormatMustBeGiven) {
    const std::string line = "419,W,4096,0,1577808000000046";
    EXPECT_EQ(error_of(line + "\n"), "FILE:1: found '" + line +
                                         "', expected the beginning of a trace in one of the formats " +
                                         format_names() + ", or --format columns:... (traces/README.md)");
    EXPECT_EQ(error_of(line + "\n", with_format("alibaba")),
              "FILE:1: alibaba: column 4: found '0', expected a length of at least one byte");
}

}  // namespace
}  // namespace solidtlm::testbench
