// SPDX-License-Identifier: Apache-2.0
#include "testbench/sim/load/trace/detect.h"

#include <gtest/gtest.h>

#include "testbench/sim/load/trace/fields.h"
#include "testbench/sim/load/trace/test_files.h"

namespace solidtlm::testbench {
namespace {

std::string detected(std::string_view text) {
    InputStream stream("FILE", text);
    try {
        const Format& format = *detect_format(stream).format;
        EXPECT_EQ(stream.offset(), 0U) << "no bytes are consumed";
        return std::string(format.name);
    } catch (const InputError& error) {
        return error.what();
    }
}

TEST(Detect, DistinguishesFormatsByTheirFirstLines) {
    EXPECT_EQ(detected("# comment\n1090454 F 0 0\n1132591 R 0 32\n"), "nbd");
    EXPECT_EQ(detected("0\to\t0\t0\t-1\tcmd=a1\t\n72753\tr\t0\t1\t-1\t\t\n"), "cmds");
    EXPECT_EQ(detected("0,20941264,8192,W,0.551706\n"), "spc");
    EXPECT_EQ(detected("128166372003061629,hm,1,Read,383496192,32768,413\n"), "msr");
    EXPECT_EQ(detected("938513000 4 264719034 16 0\n"), "mqsim");
    EXPECT_EQ(detected("8,16 3 5 0.000026421 3645 D R 4938888 + 256 [java]\n"), "blkparse");
    EXPECT_EQ(detected("fio version 3 iolog\n1 f read 0 4096\n"), "fio");
    EXPECT_EQ(detected("1 2 p 8 8 W 6 0 d6c75ba46e82326fefa545b57a12e221\n"), "fiu");
    EXPECT_EQ(detected("8681184 88 45056 0 1.5 1.6 1.7 1.8\n"), "nexus5");
}

TEST(Detect, AMalformedLineIsLeftToTheReader) {
    EXPECT_EQ(detected("0,20941264,8192,W,0.551706\n0,1,8192,Q,0.6\n"), "spc");
}

TEST(Detect, SectorsAndPagesLookAlike) {
    EXPECT_EQ(
        detected("26.2 0 303574 1 0\n27.2 0 240840 1 1\n"),
        "FILE: the format is ambiguous, the columns do not distinguish disksim, flashsim: say which "
        "with --format; mqsim: column 1: found '26.2', expected a whole number of nanoseconds; msr_cut: "
        "column 3: found '303574', expected bytes in multiples of 512");
}

TEST(Detect, BytesAreDistinguishedFromSectorsOnEnoughEvidence) {
    const std::string ambiguous =
        "FILE: the format is ambiguous, the columns do not distinguish disksim, flashsim: say which with "
        "--format; mqsim: column 1: found '1.0', expected a whole number of nanoseconds";
    std::string cut;
    for (int i = 0; i < 15; ++i) {
        cut += "1.0 0 200626176 4096 0\n";
    }
    EXPECT_EQ(detected(cut), ambiguous + "; msr_cut: needs 16 lines") << "15 lines are not enough";
    cut += "1.0 0 512 512 1\n";
    EXPECT_EQ(detected(cut), "msr_cut");
    EXPECT_EQ(detected(cut + "1.0 0 8 8 1\n"),
              ambiguous + "; msr_cut: column 3: found '8', expected bytes in multiples of 512")
        << "one address that is no multiple of 512: an odd line, or sectors";
    EXPECT_EQ(detected(cut + "1.0 0 8 8 1\n1.0 0 16 8 1\n"),
              ambiguous + "; msr_cut: column 3: found '8', expected bytes in multiples of 512")
        << "two are sectors";
}

TEST(Detect, SomethingElseShowsTheLineAndTheFormats) {
    EXPECT_EQ(detected("MZ\x90 program\n"),
              "FILE:1: found 'MZ? program', expected the beginning of a trace in one of the formats " +
                  format_names() + ", or --format columns:... (traces/README.md)");
}

// A reader that understands no line knows nothing of the file, so none is named.
TEST(Detect, NamesNoReaderThatUnderstoodNoLine) {
    const std::string formats = ", expected the beginning of a trace in one of the formats " +
                                format_names() + ", or --format columns:... (traces/README.md)";
    for (const char* line : {
             "STARTs         COMM         PID    TYPE DEV      BLOCK        BYTES     LATms\n"
             "700.250000 w    77   R    202,1    9000     4096       1.1\n",          // perf-tools iosnoop
             "12:00:01.000001  pread   F=3  B=0x1000  /private/x  0.00001 W  x.1\n",  // macOS fs_usage
             "1219008 REST.PUT.OBJECT 8d4fcda3d675bac9 1056\n",                       // IBM's object store
             "17\n18\n25\n",                                                          // a number in each line
             "938513000 4 264719034 16 0 7\n938828000 3 197570570 16 1 7\n",  // MQSim, a column too many
         }) {
        const std::string_view first = std::string_view(line).substr(0, std::string_view(line).find('\n'));
        EXPECT_EQ(detected(line), "FILE:1: found " + quoted(first) + formats);
    }
}

TEST(Detect, BinaryDataIsNamed) {
    const std::string rest = "), expected text, or a binary trace of vscsiStats or blktrace";
    EXPECT_EQ(detected(std::string_view("MZ\x90\0\3\0", 6)),
              "FILE: found binary data (byte 3 has the value 0" + rest);
    EXPECT_EQ(detected("1 x\n\2\xff\xfe\n"), "FILE: found binary data (byte 4 has the value 2" + rest);
}

}  // namespace
}  // namespace solidtlm::testbench
