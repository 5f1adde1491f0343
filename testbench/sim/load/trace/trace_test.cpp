// SPDX-License-Identifier: Apache-2.0
//
// Functions common to all formats: fitting addresses, skipping, limiting, selecting devices, summaries.
#include "testbench/sim/load/trace/trace.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>
#include <random>

#include "testbench/sim/load/trace/test_files.h"

namespace solidtlm::testbench {
namespace {

TraceOptions fitted(Fit fit, std::uint64_t device_sectors) {
    TraceOptions options;
    options.fit = fit;
    options.device_sectors = device_sectors;
    return options;
}

TEST(FitError, NamesLineAddressDeviceAndWayOut) {
    EXPECT_EQ(requests_of("1 R 992 8\n", fitted(Fit::error, 1000)), Lines{"0 R 992+8"})
        << "the last sectors fit";
    EXPECT_EQ(
        error_of("1 R 992 8\n2 W 993 8\n", fitted(Fit::error, 1000)),
        "FILE:2: nbd: found address 993 + 8 sectors, expected addresses below the device's size of 1000 "
        "sectors; use "
        "--fit wrap or --fit scale");
    EXPECT_EQ(
        error_of("1\tT\t0\t0\t-1\tn=2:0+8,5000+16\t\n", fitted(Fit::error, 1000)),
        "FILE:1: cmds: found address 5000 + 16 sectors, expected addresses below the device's size of 1000 "
        "sectors; "
        "use --fit wrap or --fit scale");
}

TEST(FitWrap, SplitsAcrossTheEnd) {
    // 100 sectors contain 96 in whole 4 KiB units: 90 + 10 becomes 90 + 6 and 0 + 4; 200 becomes 200 - 2 * 96
    // = 8.
    const TraceOptions options = fitted(Fit::wrap, 100);
    EXPECT_EQ(requests_of("0 R 90 10\n1 R 200 8\n2 F 0 0\n", options),
              (Lines{"0 R 90+6", "0 R 0+4", "1000000 R 8+8", "2000000 F"}));
    // 250 sectors from 88: 8 to the end, 96 twice, then the last 50. Contents move with them.
    EXPECT_EQ(
        requests_of("0 W 88 250 - +32\n", options),
        (Lines{"0 W 88+8 ids=1", "0 W 0+96 ids=2,3,4,5,6,7,8,9,10,11,12,13",
               "0 W 0+96 ids=14,15,16,17,18,19,20,21,22,23,24,25", "0 W 0+50 ids=26,27,28,29,30,31,32"}));
    // 90 is 2 mod 8: 6 sectors to the end of both the block and the device, a block, 2 sectors.
    EXPECT_EQ(requests_of("0 W 90 16 - +3\n", options),
              (Lines{"0 W 90+6 first=6 ids=1", "0 W 0+10 ids=2,3"}));
    EXPECT_EQ(requests_of("0 W 186 200 - +26\n", options),
              (Lines{"0 W 90+6 first=6 ids=1", "0 W 0+96 ids=2,3,4,5,6,7,8,9,10,11,12,13",
                     "0 W 0+96 ids=14,15,16,17,18,19,20,21,22,23,24,25", "0 W 0+2 ids=26"}));
    EXPECT_EQ(requests_of("0 W 187 3 - +\n", options), (Lines{"0 W 91+3 first=5 ids=1"}));
    // Blocks count from the request's own address: one block is cut in two, and both parts have its identity.
    const std::string md5 = "d6c75ba46e82326fefa545b57a12e221";
    const std::string id = std::to_string(0xd6c75ba46e82326f);
    EXPECT_EQ(requests_of("0 1 p 90 8 W 6 0 " + md5 + "\n", options),
              (Lines{"0 W 90+6 ids=" + id, "0 W 0+2 first=2@6 ids=" + id}));
    EXPECT_EQ(requests_of("0 T 184 16\n1 T 5 1000\n", options), (Lines{"0 T 88+8,0+8", "1000000 T 0+96"}));
}

TEST(FitScale, IsLinearInPagesAndKeepsLengthsAndOffsets) {
    // The extent is 1,600 sectors = 200 pages, the device 800 sectors = 100 pages: page numbers are halved.
    EXPECT_EQ(
        requests_of("0 R 0 8\n1 R 403 8\n2 W 1592 8 - +\n3 T 800 80\n4 R 1584 16\n", fitted(Fit::scale, 800)),
        (Lines{"0 R 0+8",
               "1000000 R 203+8",        // page 50 -> 25, offset 3
               "2000000 W 792+8 ids=1",  // page 199 -> 99
               "3000000 T 400+80",       // page 100 -> 50
               "4000000 R 784+16"}));    // page 198 -> 99, moved down by one page to fit
    // Addresses are spread over a device of four times the size.
    EXPECT_EQ(requests_of("0 R 0 8\n1 R 8 8\n2 R 92 8\n", fitted(Fit::scale, 416)),
              (Lines{"0 R 0+8", "1000000 R 32+8", "2000000 R 356+8"}));
    // The request is longer than the device and is cut off.
    EXPECT_EQ(requests_of("0 W 0 160 - +20\n", fitted(Fit::scale, 16)), (Lines{"0 W 0+16 ids=1,2"}));
    // Offsets within a page stay, and so do fragments: page 50 -> 25, page 199 -> 99.
    EXPECT_EQ(requests_of("0 W 402 10 - +2\n1 W 1594 6 - +\n", fitted(Fit::scale, 800)),
              (Lines{"0 W 202+10 first=6 ids=1,2", "1000000 W 794+6 first=6 ids=3"}));
    // The request is longer than the device: it starts at 0 and is cut off, and each sector keeps its
    // contents.
    EXPECT_EQ(requests_of("0 W 2 24 - +4\n", fitted(Fit::scale, 16)), (Lines{"0 W 0+16 first=6 ids=1,2,3"}));
}

TEST(FitScale, KnowsTheNumberOfRequests) {
    const TempFile file("0 R 0 8\n1 R 8 8\n2 R 16 8\n3 R 24 8\n");
    TraceOptions options = fitted(Fit::scale, 16);
    options.path = file.path();
    options.skip = 1;
    EXPECT_EQ(open_trace(options)->size(), 3U);
    options.limit = 2;
    EXPECT_EQ(open_trace(options)->size(), 2U);
}

/// Any request, fitted in any way, lies within the device; with wrap it keeps its number of sectors.
TEST(Fit, RandomRequestsStayWithinTheDevice) {
    std::mt19937_64 random(11);
    for (int round = 0; round < 20000; ++round) {
        const std::uint64_t device = 8 + random() % 500;
        const std::uint64_t extent = 4000;
        Request request;
        request.operation = static_cast<Operation>(random() % 3);
        request.lba = Lba{random() % 3000};
        request.sectors = 1 + random() % 1000;
        if (request.operation == Operation::trim) {
            request.ranges = {{request.lba, static_cast<std::uint32_t>(request.sectors)}};
            request.sectors = 0;
        } else if (request.operation == Operation::write) {
            if (random() % 2 == 0) {
                request.content_layout = ContentLayout::aligned_to(request.lba.value);
            }
            request.content.resize(request.content_layout.identities(request.sectors));
            std::iota(request.content.begin(), request.content.end(), 1);
        }
        const std::uint64_t sectors = request.sectors;
        const Request whole = request;
        const Fit fit = random() % 2 == 0 ? Fit::wrap : Fit::scale;
        std::vector<Request> pieces;
        AddressFitter(fit, device, extent).apply(request, pieces, [] { return std::string(); });
        pieces.push_back(request);
        std::reverse(pieces.begin(), pieces.end());
        std::uint64_t moved = 0;
        for (const Request& piece : pieces) {
            // Every sector keeps its contents: the same identity and the same place in its block.
            for (std::uint64_t i = 0; i < piece.sectors && piece.operation == Operation::write; ++i) {
                const auto here = piece.content_layout.place(i);
                const auto there = whole.content_layout.place(moved + i);
                ASSERT_EQ(piece.content.at(here.identity), whole.content.at(there.identity));
                ASSERT_EQ(here.index, there.index);
            }
            ASSERT_LE(extent_of(piece), device);
            moved += piece.sectors;
            if (piece.operation == Operation::write) {
                ASSERT_EQ(piece.content.size(), piece.content_layout.identities(piece.sectors));
            }
        }
        if (fit == Fit::wrap) {
            ASSERT_EQ(moved, sectors);
        }
    }
}

TEST(TraceSource, LeavesOutAndLimits) {
    TraceOptions options;
    options.skip = 1;
    options.limit = 2;
    EXPECT_EQ(requests_of("10 R 0 8\n20 R 8 8\n25 R 16 8\n30 R 24 8\n", options),
              (Lines{"0 R 8+8", "5000000 R 16+8"}))
        << "times count from the first request given";
    options.skip = 9;
    EXPECT_EQ(error_of("10 R 0 8\n", options), "FILE: found 1 requests, expected more than 9 to leave out");
    options.skip = 1;
    EXPECT_EQ(requests_of("10 R 0 8\n", options), Lines{});
}

TEST(TraceSource, SelectsADevice) {
    TraceOptions options = with_format("disksim");
    options.selection.device = "2";
    const std::string text = "1.0 1 0 8 1\n2.0 2 8 8 1\n3.0 1 16 8 1\n4.0 2 24 8 0\n";
    EXPECT_EQ(requests_of(text, options), (Lines{"0 R 8+8", "2000000000 W 24+8"}));
    options.selection.device = "3";
    EXPECT_EQ(error_of(text, options), "FILE: holds no requests to device '3', but to 1, 2");
    options.format = "nbd";
    EXPECT_EQ(error_of("1 R 0 8\n", options),
              "FILE: found a device to select ('3'), but traces in the format nbd name no devices");
}

TEST(TraceSource, RefusesTimesThatDoNotFit) {
    // 9,000,000 s, and 1 us more; in milliseconds.
    EXPECT_EQ(requests_of("0.0 0 0 8 1\n9000000000.0 0 0 8 1\n", with_format("disksim")),
              (Lines{"0 R 0+8", "9000000000000000000 R 0+8"}));
    EXPECT_EQ(error_of("0.0 0 0 8 1\n9000000000.001 0 0 8 1\n", with_format("disksim")),
              "FILE:2: disksim: found a time 9000000000001000 ns after the first request, expected at most "
              "9000000000000000 ns (104 days)");
    EXPECT_EQ(error_of("99999999999999999999.0 0 0 8 1\n", with_format("disksim")),
              "FILE:1: disksim: column 1: found '99999999999999999999.0', expected a time in milliseconds");
}

TEST(TraceSource, SourceClearsThePreviousRequest) {
    const TempFile file("0 W 0 8 FUA +\n1 R 8 8\n2 T 16 8\n3 F 0 0\n");
    TraceOptions options;
    options.path = file.path();
    const auto source = open_trace(options);
    Request request;
    Lines lines;
    while (source->next(request)) {
        lines.push_back(describe(request));
    }
    EXPECT_EQ(lines, (Lines{"0 W 0+8 FUA ids=1", "1000000 R 8+8", "2000000 T 16+8", "3000000 F"}));
}

TEST(Summary, CountsByHand) {
    const TempFile file(
        "0 W 0 16 - +2\n"  // pages 0, 1
        "1 R 12 8\n"       // pages 1, 2
        "2 Z 800 80\n"     // write-zeroes: no page counts
        "3 T 0 8\n"
        "4 W 8 8 - 1\n"  // page 1
        "5 F 0 0\n");
    TraceOptions options;
    options.path = file.path();
    const TraceSummary summary = summarize(options);
    EXPECT_EQ(summary.format, "nbd");
    EXPECT_EQ(summary.requests(), 6U);
    EXPECT_EQ(summary.reads, 1U);
    EXPECT_EQ(summary.writes, 3U);
    EXPECT_EQ(summary.write_zeroes, 1U);
    EXPECT_EQ(summary.trims, 1U);
    EXPECT_EQ(summary.flushes, 1U);
    EXPECT_EQ(summary.read_bytes, 4096U);
    EXPECT_EQ(summary.write_bytes, (16U + 80 + 8) * 512);
    EXPECT_EQ(summary.zero_bytes, 80U * 512);
    EXPECT_EQ(summary.trim_bytes, 4096U);
    EXPECT_EQ(summary.distinct_pages, 3U);
    EXPECT_EQ(summary.extent_sectors, 880U);
    EXPECT_EQ(summary.identities, 13U);
    EXPECT_EQ(summary.distinct_identities, 2U);
    EXPECT_EQ(summary.span, Ps{5000000});
}

}  // namespace
}  // namespace solidtlm::testbench
