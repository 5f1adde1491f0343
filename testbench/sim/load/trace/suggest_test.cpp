// SPDX-License-Identifier: Apache-2.0
#include "testbench/sim/load/trace/suggest.h"

#include <gtest/gtest.h>

#include "testbench/sim/load/trace/test_files.h"

namespace solidtlm::testbench {
namespace {

/// What the message about the file says to paste behind --format, without the quotes of a shell.
std::string pasted(const std::string& text) {
    const std::string error = error_of(text);
    const std::string option = "--format columns:'";
    const std::size_t begin = error.find(option);
    const std::size_t end = error.find("' reads it", begin);
    EXPECT_NE(end, std::string::npos) << error;
    return end != std::string::npos
               ? "columns:" + error.substr(begin + option.size(), end - begin - option.size())
               : "";
}

/// The declaration, and the requests that it reads.
Lines read_as_suggested(const std::string& text) {
    const std::string format = pasted(text);
    Lines lines = requests_of(text, with_format(format));
    lines.insert(lines.begin(), format);
    return lines;
}

TEST(Suggest, TablesWithAHeadingInPlainWords) {
    EXPECT_EQ(read_as_suggested("time,op,offset,size\n0.5,read,0,4096\n0.75,write,8192,512\n"),
              (Lines{"columns:time=1:s op=2{read;write} offset=3:B size=4:B sep=,", "0 R 0+8",
                     "250000000000 W 16+1"}));
    EXPECT_EQ(
        read_as_suggested("ts,op,offset,size\n2026-01-02 03:04:00.5,W,0,4096\n"
                          "2026-01-02 03:04:01.0001,R,4096,4096\n"),
        (Lines{"columns:time=1:date op=2{R;W} offset=3:B size=4:B sep=,", "0 W 0+8", "500100000000 R 8+8"}));
    EXPECT_EQ(read_as_suggested("\"disk\";\"lba\";\"nsect\";\"type\";\"time_us\"\n"
                                "\"sda\";\"8\";\"8\";\"W\";\"100\"\n\"sda\";\"64\";\"16\";\"D\";\"101\"\n"
                                "\"sda\";\"0\";\"8\";\"N\";\"102\"\n"),
              (Lines{"columns:time=5:us op=4{;W;D;;N} offset=2:sectors size=3:sectors device=1 sep=;",
                     "0 W 8+8", "1000000 T 64+16"}));
    EXPECT_EQ(read_as_suggested("Timestamp\tOperation\tOffset (KiB)\tLength (bytes)\n"
                                "1700000000123\tFLUSH\t0\t0\n1700000000124\tWRITE\t4\t512\n"),
              (Lines{"columns:time=1:ms op=2{;WRITE;;FLUSH} offset=3:KiB size=4:B sep=tab", "0 F",
                     "1000000000 W 8+1"}));
}

TEST(Suggest, NumbersForOperations) {
    EXPECT_EQ(pasted("time,offset,size,op,disk\n1,8,3,0,1\n2,16,1,1,1\n"),
              "columns:time=1:us op=4{0;1} offset=2:sectors size=3:sectors device=5 sep=,");
}

TEST(Suggest, NothingForOtherTables) {
    for (const char* text : {
             "bs,iops,mean,p99\n4,97255,10,20\n",     // results
             "time,offset,size\n1,2,3\n",             // no operation
             "time,op,offset,size\n",                 // no row
             "time,op,offset,size\n1,erase,0,512\n",  // neither reads nor writes
             "time,op,offset,size\n1,R,here,512\n",   // it would not be read
             "time op offset size\n1 R 0 512\n",      // blanks
             "",
             "# time,op,offset,size\n1,R,0,512\n",
         }) {
        const std::string error = error_of(text);
        EXPECT_EQ(error.find("columns:'"), std::string::npos) << error;
        EXPECT_NE(error, "") << text;
    }
}

}  // namespace
}  // namespace solidtlm::testbench
