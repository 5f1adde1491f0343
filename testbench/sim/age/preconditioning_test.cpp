// SPDX-License-Identifier: Apache-2.0
#include "testbench/sim/age/preconditioning.h"

#include <gtest/gtest.h>

namespace solidtlm::testbench {
namespace {

std::string error_of(std::string_view spec) {
    try {
        (void)parse_preconditioning(spec);
    } catch (const InputError& error) {
        return error.what();
    }
    return {};
}

TEST(Preconditioning, NothingIsSteadyStateAtRandom) {
    const Preconditioning read = parse_preconditioning("");
    EXPECT_EQ(read.fill, 1.0);
    EXPECT_EQ(read.random, 2.0);
    EXPECT_EQ(read.size_bytes, 0U) << "0 means the mapping unit";
    EXPECT_EQ(read.trim, 0.0);
    EXPECT_EQ(read.pattern, "random");
    EXPECT_TRUE(read.repeat.empty());
    EXPECT_EQ(read.read, 0.0);
    EXPECT_FALSE(read.seed.has_value()) << "the configuration's";
}

TEST(Preconditioning, EveryKeyIsRead) {
    const Preconditioning read = parse_preconditioning(
        "fill=0.5,random=1.5,size=8k,trim=10%,pattern=hotcold,hot_space=0.1,hot_access=90%,theta=1.2,read=2,"
        "repeat=1:0.25/64:1,seed=7");
    EXPECT_EQ(read.fill, 0.5);
    EXPECT_EQ(read.random, 1.5);
    EXPECT_EQ(read.size_bytes, 8192U);
    EXPECT_EQ(read.trim, 0.1);
    EXPECT_EQ(read.pattern, "hotcold");
    EXPECT_EQ(read.hot_space, 0.1);
    EXPECT_EQ(read.hot_access, 0.9);
    EXPECT_EQ(read.theta, 1.2);
    ASSERT_EQ(read.repeat.size(), 2U);
    EXPECT_EQ(read.repeat[0].jobs, 1U);
    EXPECT_EQ(read.repeat[0].writes, 0.25);
    EXPECT_EQ(read.repeat[1].jobs, 64U);
    EXPECT_EQ(read.repeat[1].writes, 1.0);
    EXPECT_EQ(read.read, 2.0);
    EXPECT_EQ(read.seed, 7U);
}

TEST(Preconditioning, TheTextReadsBack) {
    for (const char* spec :
         {"", "fill=0.25,random=0", "size=16k,trim=0.05,seed=99", "pattern=zipf,theta=0.8,random=3",
          "pattern=hotcold,hot_space=0.3,hot_access=0.7", "fill=0.5,read=1.5",
          "random=0,repeat=1:0.01/2:0.019999/1024:3", "none", "reads"}) {
        const std::string text = to_text(parse_preconditioning(spec));
        EXPECT_EQ(to_text(parse_preconditioning(text)), text) << spec;
    }
    EXPECT_EQ(to_text(parse_preconditioning("")), "fill=1,random=2");
    EXPECT_EQ(to_text(parse_preconditioning("none")), "none");
    EXPECT_EQ(to_text(parse_preconditioning("fill=0,random=3")), "none") << "three times nothing";
    EXPECT_EQ(to_text(parse_preconditioning("reads")), "reads");
}

TEST(Preconditioning, NamesStandAlone) {
    const Preconditioning none = parse_preconditioning("none");
    EXPECT_EQ(none.fill, 0.0);
    EXPECT_FALSE(none.where_read);
    EXPECT_TRUE(parse_preconditioning("reads").where_read);
    EXPECT_EQ(parse_preconditioning("reads").random, 0.0);
    for (const char* both : {"none,random=1", "reads,random=1", "reads=2"}) {
        EXPECT_NE(error_of(both), "") << both;
    }
}

TEST(Preconditioning, WhatTheLoadReadsIsWritten) {
    const auto load = make_workload(parse_workload("random,read=0.1,range=1MiB-3MiB", 1U << 16U));
    const Preconditioning start = where_read(*load);
    EXPECT_TRUE(start.where_read);
    ASSERT_EQ(start.reads.size(), 1U);
    EXPECT_EQ(start.reads[0].first, Lba{2048});
    EXPECT_EQ(start.reads[0].sectors, 4096U);
    EXPECT_TRUE(where_read(*make_workload(parse_workload("random,read=0", 1U << 16U))).reads.empty());
}

TEST(Preconditioning, MistakesNameKeyValueAndWhatIsAllowed) {
    EXPECT_EQ(error_of("fill=1.5"),
              "--precondition: fill: found 1.5; allowed: share from 0 to 1, such as 0.3 or 30%");
    EXPECT_EQ(error_of("random=-1"), "--precondition: random: found -1; allowed: number from 0 to 1000");
    EXPECT_EQ(error_of("size=100"),
              "--precondition: size: found 100; allowed: size from 512 to 32MiB, a multiple of "
              "512, bytes or a string such as \"16MiB\"");
    EXPECT_EQ(error_of("filll=1"),
              "--precondition: filll: unknown key; did you mean fill?; known keys: fill, "
              "random, size, trim, pattern, theta, hot_space, hot_access, repeat, read, seed");
    EXPECT_EQ(error_of("pattern=hotcould"),
              "--precondition: pattern: found hotcould; allowed: one of random, zipf, "
              "hotcold; did you mean hotcold?");
    EXPECT_EQ(error_of("fill"), "--precondition: found fill; allowed: key=value");
    EXPECT_EQ(error_of("fill=1,fill=1"), "--precondition: fill: given twice");
    EXPECT_EQ(error_of("fill=1,"), "--precondition: found nothing; allowed: key=value");
    for (const char* spec : {"fill=nan",
                             "random=inf",
                             "random=1e9",
                             "size=0",
                             "size=100",
                             "size=33MiB",
                             "trim=1",
                             "seed=x",
                             "pattern=sequential",
                             "theta=11",
                             "fill=",
                             "=1",
                             ",",
                             "hot_space=2",
                             "read=-1",
                             "repeat=",
                             "repeat=1",
                             "repeat=0:1",
                             "repeat=1025:1",
                             "repeat=1:0",
                             "repeat=1:1/",
                             "fill=1 random=2"}) {
        EXPECT_NE(error_of(spec), "") << spec;
    }
}

TEST(Preconditioning, AllMistakesAtOnce) {
    const std::string error = error_of("fill=2,sizes=4k,trim=2");
    EXPECT_NE(error.find("fill:"), std::string::npos);
    EXPECT_NE(error.find("did you mean size?"), std::string::npos);
    EXPECT_NE(error.find("trim:"), std::string::npos);
}

}  // namespace
}  // namespace solidtlm::testbench
