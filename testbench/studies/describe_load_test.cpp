// SPDX-License-Identifier: Apache-2.0
//
// describe_load as a user runs it.
#include <gtest/gtest.h>

#include <string>

#include "fw/testing/places.h"
#include "testbench/programs/shell.h"

namespace solidtlm::testbench {
namespace {

Outcome describe(const std::string& arguments) {
    return shell(built_path("describe_load") + " " + arguments);
}

TEST(DescribeLoad, PrintsALineForEachLoad) {
    const Outcome run =
        describe("sequential,read=0.25,size=8k,count=1000 " + source_path("traces/sample.nbd.xz"));
    EXPECT_EQ(run.code, 0) << run.output;
    EXPECT_NE(run.output.find("sequential,read=0.25"), std::string::npos) << run.output;
    EXPECT_NE(run.output.find(" 1,000 "), std::string::npos) << "requests:\n" << run.output;
    EXPECT_NE(run.output.find(" 8.00 "), std::string::npos) << "KiB:\n" << run.output;
    EXPECT_NE(run.output.find(" 2,000 "), std::string::npos) << "pages:\n" << run.output;
    EXPECT_NE(run.output.find("sample.nbd.xz"), std::string::npos) << run.output;
}

TEST(DescribeLoad, ShowsWhatDeduplicationCanFind) {
    const Outcome run =
        describe("--contents random,read=0,duplicates=0.3,count=2000 random,read=0,count=1000 " +
                 source_path("traces/sample.nbd.xz"));
    EXPECT_EQ(run.code, 0) << run.output;
    EXPECT_NE(run.output.find("duplicates %"), std::string::npos) << run.output;
    EXPECT_NE(run.output.find(" 2,000 "), std::string::npos) << "blocks:\n" << run.output;
    EXPECT_NE(run.output.find(" 1,000         - "), std::string::npos) << "no contents:\n" << run.output;
    // Counted in the file's text with awk: 80,252 identities and zeros.
    EXPECT_NE(run.output.find(" 80,253 "), std::string::npos) << "distinct:\n" << run.output;
}

TEST(DescribeLoad, HelpsWithoutALoad) {
    EXPECT_NE(describe("--help").output.find("Usage: describe_load [OPTIONS] LOAD ...\n"), std::string::npos);
    const Outcome option = describe("--help drive");
    EXPECT_EQ(option.code, 0);
    EXPECT_EQ(option.output.rfind("--drive SIZE\n", 0), 0U) << option.output;
    EXPECT_NE(describe("--help-all").output.find("\nKeys of workloads:\npattern "), std::string::npos);
}

TEST(DescribeLoad, ReportsMistakes) {
    for (const auto& [arguments, wanted] :
         {std::pair{"", "error: nothing to describe: give traces, or workloads"},
          std::pair{"nowhere.trace", "nowhere.trace: no such file"}, std::pair{"pcc", "did you mean pc?"},
          std::pair{"pc --drive 4q", "--drive: found 4q"},
          std::pair{"pc --drive 1GiB", "allowed: addresses within the device"},
          std::pair{"pc --bogus", "--bogus"}}) {
        const Outcome run = describe(arguments);
        EXPECT_EQ(run.code, 2) << arguments;
        EXPECT_EQ(run.output.rfind("error: ", 0), 0U) << run.output;
        EXPECT_NE(run.output.find(wanted), std::string::npos) << run.output;
    }
}

TEST(DescribeLoad, ReportsAllMistakesTogether) {
    const Outcome run =
        describe("--drve 1GiB random,sise=4k pc,scale=2 nowhere.trace --contents=perhaps --format");
    EXPECT_EQ(run.code, 2);
    for (const char* wanted : {"error: --format: found nothing", "error: --contents: found perhaps",
                               "did you mean --drive?", "error: random,sise=4k: sise: unknown key",
                               "error: pc,scale=2: scale: found 2", "error: nowhere.trace: no such file"}) {
        EXPECT_NE(run.output.find(wanted), std::string::npos) << wanted << " is not in:\n" << run.output;
    }
}

}  // namespace
}  // namespace solidtlm::testbench
