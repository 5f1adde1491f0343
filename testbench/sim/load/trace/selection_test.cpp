// SPDX-License-Identifier: Apache-2.0
#include "testbench/sim/load/trace/selection.h"

#include <gtest/gtest.h>

#include "testbench/sim/load/trace/test_files.h"

namespace solidtlm::testbench {
namespace {

constexpr std::string_view kFour = "10 R 0 8\n20 W 16 8 - +\n30 T 24 8\n40 F 0 0\n";

Ps us(std::int64_t count) {
    return Ps{count * 1'000'000};
}

TraceOptions between(Ps from, std::optional<Ps> until) {
    TraceOptions options;
    options.selection.from = from;
    options.selection.until = until;
    return options;
}

TraceOptions moved(std::int64_t offset, double scale) {
    TraceOptions options;
    options.selection.offset = offset;
    options.selection.scale = scale;
    return options;
}

TEST(Selection, FromAndUntilCountFromTheFirstRequest) {
    EXPECT_EQ(requests_of(kFour, between(us(10), us(30))), (Lines{"0 W 16+8 ids=1", "10000000 T 24+8"}))
        << "until is not included; times count from the first request given";
    EXPECT_EQ(error_of(kFour, between(us(31), {})),
              "FILE: holds no requests between --trace-from and --trace-until; its last one read is 30000 ns "
              "after the "
              "first");
    const TempFile file(kFour);
    TraceOptions options = between(us(20), {});
    options.path = file.path();
    const TraceSummary summary = summarize(options);
    EXPECT_EQ(summary.outside, 2U);
    EXPECT_EQ(summary.requests(), 2U);
    options.fit = Fit::scale;
    options.device_sectors = 16;
    EXPECT_EQ(open_trace(options)->size(), 2U) << "measured within them";
    EXPECT_EQ(read_all(options), (Lines{"0 T 8+8", "10000000 F"})) << "the extent is 32";
}

TEST(Selection, OffsetAndScaleMoveAddresses) {
    EXPECT_EQ(requests_of("0 R 10 8\n0 T 16 8\n0 F 0 0\n", moved(-8, 1)),
              (Lines{"0 R 2+8", "0 T 8+8", "0 F"}));
    // Pages 1 and 2 times 2.5 are 2 and 5; the offset within the page stays.
    EXPECT_EQ(requests_of("0 R 10 8\n0 T 16 8\n", moved(0, 2.5)), (Lines{"0 R 18+8", "0 T 40+8"}));
    EXPECT_EQ(requests_of("0 R 10 8\n", moved(6, 0.5)), (Lines{"0 R 8+8"})) << "16: page 2, then 1";
    EXPECT_EQ(error_of("0 R 10 8\n1 T 4 8\n", moved(-8, 1)),
              "FILE:2: nbd: found address 4, expected one that --offset and --scale leave between 0 and 2^48 "
              "sectors");
    EXPECT_EQ(
        error_of("0 R 10 8\n", moved(std::int64_t{1} << 48, 1)),
        "FILE:1: nbd: found address 10, expected one that --offset and --scale leave between 0 and 2^48 "
        "sectors");
    TraceOptions fitted = moved(-1000, 1);
    fitted.device_sectors = 24;
    EXPECT_EQ(requests_of("0 R 1016 8\n", fitted), (Lines{"0 R 16+8"}))
        << "addresses move before they are compared with the drive";
}

TEST(Selection, TheAccountDescribesTheFile) {
    const TempFile file(
        "8,0 0 1 0.000001 1 D R 64 + 8 [x]\n"
        "8,16 0 1 0.000003 1 D W 1000 + 8 [x]\n"
        "8,0 0 1 0.000002 1 D N 36 (12) [x]\n"
        "8,0 0 1 0.000002 1 C R 64 + 8 [x]\n"
        "8,0 0 1 0.000002 1 D FF 0 [x]\n"
        "8,0 0 1 0.000005 1 D DS 32 + 8 [x]\n");
    TraceOptions options;
    options.path = file.path();
    options.selection.offset = 8;
    const TraceSummary all = summarize(options);
    EXPECT_EQ(all.why, "by content: its first 6 lines read so");
    EXPECT_EQ(all.reads, 1U);
    EXPECT_EQ(all.writes, 1U);
    EXPECT_EQ(all.flushes, 1U);
    EXPECT_EQ(all.trims, 1U);
    EXPECT_EQ(all.lowest_sector, 32U);
    EXPECT_EQ(all.extent_sectors, 1008U);
    EXPECT_EQ(all.span, us(4));
    EXPECT_EQ(all.counts.skipped, 1U);
    EXPECT_EQ(all.counts.other_event, 1U);
    EXPECT_EQ(all.counts.reordered, 1U);
    ASSERT_EQ(all.devices.size(), 2U);
    EXPECT_EQ(all.devices[0].name, "8,0");
    EXPECT_EQ(all.devices[0].requests, 3U);
    EXPECT_EQ(all.devices[1].name, "8,16");
    EXPECT_EQ(all.devices[1].requests, 1U);
    options.selection.device = "8,16";
    const TraceSummary one = summarize(options);
    EXPECT_EQ(one.requests(), 1U);
    EXPECT_EQ(one.counts.other_device, 4U) << "the packet command among them";
    ASSERT_EQ(one.devices.size(), 1U);
    EXPECT_EQ(one.devices[0].name, "8,16");
}

}  // namespace
}  // namespace solidtlm::testbench
