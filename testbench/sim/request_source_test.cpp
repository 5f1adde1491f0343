// SPDX-License-Identifier: Apache-2.0
//
// Requests of several traces: one after another, or merged by time.
#include "testbench/sim/request_source.h"

#include <gtest/gtest.h>

#include "testbench/sim/load/trace/test_files.h"

namespace solidtlm::testbench {
namespace {

class SeveralTraces : public ::testing::Test {
  protected:
    SeveralTraces() {
        run_.configuration.firmware.exported_sectors = 1U << 20U;
        run_.traces = {first_.path(), second_.path()};
    }

    /// The requests and, after them, "requests, writes" of each account.
    [[nodiscard]] Lines requests() const {
        std::vector<TraceAccount> accounts;
        Lines lines = read_all(*make_request_source(run_, &accounts));
        for (const TraceAccount& account : accounts) {
            lines.push_back(std::to_string(account.requests()) + ", " + std::to_string(account.writes));
        }
        return lines;
    }
    [[nodiscard]] Errors errors() const { return check_requests(run_); }

    // Their clocks differ: each trace counts from its own first request.
    const TempFile first_{"0 R 0 8\n20 R 8 8\n"};
    const TempFile second_{"1000 W 0 8\n1010 T 64 8\n1020 R 16 8\n"};
    RunSpec run_;
};

TEST_F(SeveralTraces, OneAfterAnother) {
    EXPECT_EQ(requests(), (Lines{"0 R 0+8", "20000000 R 8+8", "20000000 W 0+8", "30000000 T 64+8",
                                 "40000000 R 16+8", "2, 0", "3, 1"}));
}

TEST_F(SeveralTraces, MergedByTime) {
    run_.merge = true;
    EXPECT_EQ(requests(), (Lines{"0 R 0+8", "0 W 0+8", "10000000 T 64+8", "20000000 R 8+8", "20000000 R 16+8",
                                 "2, 0", "3, 1"}))
        << "at the same time, the first trace comes first";
    run_.traces = {second_.path(), first_.path()};
    run_.offsets = {2048, 0};
    EXPECT_EQ(requests(), (Lines{"0 W 2048+8", "0 R 0+8", "10000000 T 2112+8", "20000000 R 2064+8",
                                 "20000000 R 8+8", "3, 1", "2, 0"}));
    run_.limit = 2;
    const auto source = make_request_source(run_);
    EXPECT_EQ(source->size(), 2U);
    EXPECT_EQ(read_all(*source), (Lines{"0 W 2048+8", "0 R 0+8"})) << "of both together";
}

// Blocks of 4 KiB that some request reads, side by side in one range; those behind the limit are not read.
TEST_F(SeveralTraces, KnowWhereTheyRead) {
    const auto ranges = [this] {
        Lines lines;
        for (const SectorRange& range : make_request_source(run_)->reads()) {
            lines.push_back(std::to_string(range.first.value) + "+" + std::to_string(range.sectors));
        }
        return lines;
    };
    EXPECT_EQ(ranges(), Lines{"0+24"});
    run_.offsets = {0, 100};
    EXPECT_EQ(ranges(), (Lines{"0+16", "112+16"})) << "sectors 116 to 123 are parts of two blocks";
    run_.limit = 1;
    EXPECT_EQ(ranges(), Lines{"0+8"});
    run_.regroup_trims = "batched";
    EXPECT_EQ(ranges(), Lines{"0+8"});
}

TEST_F(SeveralTraces, WhatTheyReadIsWrittenBeforeIfTheRunSaysNothingElse) {
    const auto source = make_request_source(run_);
    const auto reads = [&] {
        const auto start = with_start_for(run_, *source).precondition;
        return start ? start->reads.size() : 99;
    };
    EXPECT_EQ(reads(), 1U);
    run_.precondition = parse_preconditioning("reads");
    EXPECT_EQ(reads(), 1U);
    run_.precondition = parse_preconditioning("none");
    EXPECT_EQ(reads(), 0U);
    run_.precondition.reset();
    run_.load_state = "a.drive";
    EXPECT_EQ(reads(), 99U) << "the drive holds what was saved";
}

// Two traces of 5,000,000 s. One behind the other they are longer than simulated time, side by side they are
// not. What the host does not look at may be longer.
TEST_F(SeveralTraces, KnowTheHorizon) {
    const TempFile half("0 W 0 8\n5000000000000 R 0 8\n");
    run_.traces = {half.path(), half.path()};
    const auto error = [this] {
        try {
            (void)make_request_source(run_);
            return std::string();
        } catch (const InputError& refused) {
            return std::string(refused.what());
        }
    };
    const std::string together = "--trace: found traces that together last longer than 9000000s (104 days)";
    const std::string slow = "--speed: found 0.5, with which a trace of 5000000s lasts longer than 9000000s";
    EXPECT_TRUE(error().starts_with(together)) << error();
    run_.merge = true;
    EXPECT_EQ(requests(), (Lines{"0 W 0+8", "0 W 0+8", "5000000000000000000 R 0+8",
                                 "5000000000000000000 R 0+8", "2, 1", "2, 1"}));
    run_.speed = 0.5;
    EXPECT_TRUE(error().starts_with(slow)) << error();
    run_.speed = 0.6;
    EXPECT_EQ(error(), "");
    run_.speed = 1;
    run_.merge = false;
    run_.pacing = "closed";
    EXPECT_EQ(requests(), (Lines{"0 W 0+8", "5000000000000000000 R 0+8", "5000000000000000000 W 0+8",
                                 "9000000000000000001 R 0+8", "2, 1", "2, 1"}))
        << "the last one at any time behind the horizon";
    run_.pacing.clear();
    run_.until = Ps{1'000'000'000};
    EXPECT_EQ(error(), "");
}

TEST_F(SeveralTraces, EachWithItsOffset) {
    run_.offsets = {8};
    EXPECT_EQ(requests()[2], "20000000 W 8+8") << "one offset is for all";
    run_.offsets = {8, 16};
    EXPECT_EQ(requests()[0], "0 R 8+8");
    EXPECT_EQ(requests()[2], "20000000 W 16+8");
    EXPECT_EQ(run_.with_trace(second_.path()).offsets, std::vector<std::int64_t>{16});
    EXPECT_EQ(run_.with_trace("/another").offsets, std::vector<std::int64_t>{0});
}

TEST_F(SeveralTraces, OptionsThatDoNotFit) {
    EXPECT_EQ(errors(), Errors{});
    run_.offsets = {1, 2, 3};
    EXPECT_EQ(errors(),
              Errors{"--offset: found 3 values and 2 traces; allowed: one value, or one for each trace"});
    run_.offsets.clear();
    run_.merge = true;
    EXPECT_EQ(errors(), Errors{});
    run_.pacing = "recorded_depth";
    EXPECT_EQ(errors(), Errors{"--pacing recorded_depth: found with --merge, but each trace records its own "
                               "depth alone; allowed: open, closed"});
    run_.pacing.clear();
    run_.traces.pop_back();
    EXPECT_EQ(errors(), Errors{"--merge: found with 1 trace; allowed: with two or more"});
    run_.traces.clear();
    EXPECT_EQ(errors(), Errors{"--merge: found with 0 traces; allowed: with two or more"});
}

}  // namespace
}  // namespace solidtlm::testbench
