// SPDX-License-Identifier: Apache-2.0
#include "testbench/sim/load/trace/evidence.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "testbench/sim/load/trace/detect.h"
#include "testbench/sim/load/trace/fields.h"
#include "testbench/sim/load/trace/test_files.h"

namespace solidtlm::testbench {
namespace {

/// The format that is recognised, or the message.
std::string recognised(const std::string& text) {
    InputStream stream("FILE", text);
    try {
        const Detected detected = detect_format(stream);
        return std::string(detected.format->name) + ": " + detected.why;
    } catch (const InputError& error) {
        return error.what();
    }
}

std::string refused(const std::string& reasons) {
    return "FILE: is no trace that is recognised by its content: " + reasons +
           ". If it is a trace, say its format with --format, or its columns (traces/README.md)";
}

// fio's log of latencies, averaged over 250 ms: msec, nsec, direction, size, offset.
TEST(Evidence, ALogOfResultsIsNoTrace) {
    std::string log;
    for (int i = 1; i < 40; ++i) {
        log += std::to_string(250 * i) + ", " + std::to_string(41000 + 13 * i) + ", 1, 0, 0\n";
    }
    EXPECT_EQ(recognised(log),
              refused("tencent reads its lines, but needs times between the years 2000 and 2100, and lengths "
                      "in multiples of 8 or 2 different operations"));
    EXPECT_EQ(requests_of("250, 41000, 1, 0, 0\n", with_format("tencent")), Lines{"0 R 41000+1"})
        << "--format needs no evidence";
}

TEST(Evidence, TablesOfSmallNumbersAreNoTraces) {
    EXPECT_EQ(recognised("bs,iops,mean,errors,run\n4,97255,1,0,1\n8,81000,3,0,2\n"),
              refused("tencent reads its lines, but needs times between the years 2000 and 2100, and lengths "
                      "in multiples of 8 or 2 different operations"));
    // of a monitor: seconds since 1970, requests, errors
    EXPECT_EQ(
        recognised("1538323199,1234,55,0,0\n1538323200,1299,54,0,0\n"),
        refused("tencent reads its lines, but needs lengths in multiples of 8 or 2 different operations"));
    EXPECT_EQ(recognised("5 2 3 4 0\n6 3 4 5 1\n7 4 5 6 0\n"),
              refused("disksim reads its lines, but needs times with a decimal point; flashsim reads its "
                      "lines, but needs times with a decimal point; mqsim reads its lines, but needs times "
                      "that are 100 ns apart on average"));
    EXPECT_EQ(recognised("0.5 2 3 1 0\n0.6 3 4 1 0\n"),
              refused("disksim reads its lines, but needs lengths in multiples of 8 or 2 different "
                      "operations; flashsim reads its lines, but needs lengths in multiples of 8 or 2 "
                      "different operations"));
    EXPECT_EQ(recognised("1 1000 10 15 20\n1 1001 11 16 21\n"),
              refused("disksim reads its lines, but needs times with a decimal point; vscsi_text reads its "
                      "lines, but needs reads, writes and flushes in half of the lines"));
}

TEST(Evidence, IsGivenWithTheFormat) {
    EXPECT_EQ(
        recognised("1538323199,30328392,144,1,1063\n1538323200,5,9,0,1283\n"),
        "tencent: by content: its first 2 lines read so; found times between the years 2000 and 2100, 2 "
        "different operations");
    EXPECT_EQ(recognised("938513000 4 264719034 16 0\n"),
              "mqsim: by content: its first line reads so; found times that are 100 ns apart on average, "
              "lengths in multiples of 8");
}

// Nine of ten lengths must be multiples.
TEST(Evidence, AFewOddLengthsDoNotCount) {
    const auto reads = [](int odd) {
        std::string text;
        for (int i = 0; i < 10; ++i) {
            text += std::to_string(1000 * i) + " 0 64 " + (i < odd ? "9" : "16") + " 1\n";
        }
        return recognised(text);
    };
    EXPECT_EQ(reads(1).substr(0, 6), "mqsim:");
    EXPECT_EQ(reads(2).substr(0, 6), "FILE: ");
}

// Words, a heading, or a length that is given twice are evidence; lines of numbers are none.
TEST(Evidence, EveryDeclaredFormatOfNumbersStatesIt) {
    std::size_t of_numbers = 0;
    for (const Format& format : declared_formats()) {
        const Columns& c = *format.columns;
        const auto is_number = [](const std::string& word) {
            return !word.empty() && std::ranges::all_of(word, is_digit);
        };
        const bool numbers =
            c.code == Columns::Code::scsi ||
            (c.code == Columns::Code::words && std::ranges::any_of(c.words, [&](const Columns::Words& words) {
                 return std::ranges::any_of(words, is_number);
             }));
        if (numbers && !c.headed && !c.again.given()) {
            EXPECT_FALSE(c.evidence.empty()) << format.name;
            ++of_numbers;
        }
    }
    EXPECT_EQ(of_numbers, 6U) << "disksim, flashsim, mqsim, msr_cut, tencent, vscsi_text";
}

TEST(Evidence, MistakesInADeclaration) {
    EXPECT_EQ(
        error_of("1\n", with_format("columns:time=1:s op=2{R} offset=3:B size=4:B evidence={time:blue}")),
        "--format columns: evidence: found 'time:blue', expected time:calendar, time:point, time:apart, "
        "lines:N, offset:N, size:N, size:N+, op:N, op:known or without:WORD, alternatives between "
        "commas, parts between semicolons");
}

}  // namespace
}  // namespace solidtlm::testbench
