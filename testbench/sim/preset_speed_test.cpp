// SPDX-License-Identifier: Apache-2.0
//
// Presets of drives with an SLC cache, at their real size, against sums of the times in their files.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <string>

#include "testbench/sim/age/preconditioning.h"
#include "testbench/sim/child_runs.h"
#include "testbench/sim/test_support.h"

namespace solidtlm::testbench {
namespace {

constexpr double kGib = 1073741824.0;
constexpr double kSuperpage = 2 * 16384.0;
/// A page of a plane, with 16 codewords of 112 bytes of parity and 24 bytes of metadata, at 2.5 ns per byte
/// (400 MT/s).
constexpr double kPageBusUs = (16384 + 16 * 112 + 24) * 0.0025;
constexpr double kPlaneBusyUs = 1.0;
/// 4 KiB with the parity of its four codewords.
constexpr double kUnitBusUs = (4096 + 4 * 112) * 0.0025;
/// The last codeword passes the decoder (1,600 MB/s) and its pipeline.
constexpr double kDecodeUs = 1024 / 1600.0 + 1.0;
/// Five frames of 5, 5, 7, 1,025 and 2 dwords and 3 each, two ALIGN per 256 dwords, 95 dwords of turnaround
/// per frame.
constexpr double kLinkUs = ((5 + 5 + 7 + 1025 + 2 + 5 * 3) * 256 / 254.0 + 5 * 95) / 150.0;
/// Of `firmware.cycles`: fetch, buffer look-up, unit look-up, issue, completion, transfer, completion.
constexpr double kReadCycles = 150 + 30 + 40 + 80 + 60 + 60 + 100;

Json run_apart(const std::string& name, const std::string& workload, std::uint32_t depth, bool filled) {
    const auto run = [&] {
        RunSpec spec = run_of(preset(name, {"content=none"}), depth);
        if (filled) {
            spec.precondition = parse_preconditioning("fill=1,random=0");
        }
        const auto source =
            make_workload(parse_workload(workload, spec.configuration.firmware.exported_sectors));
        return simulate(spec, *source, ClosedLoop(depth));
    };
    const std::vector<PointOutcome> points =
        run_points(std::vector<PointJob>{{name, run}}, PointPool{1, true});
    EXPECT_EQ(points.front().outcome.faults, std::vector<std::string>());
    return points.front().outcome.result;
}

/// Seconds until this much is written in order.
double seconds(const std::string& name, double gib) {
    const Json result =
        run_apart(name, fmt::format("sequential,read=0,size=128k,bytes={:.0f}", gib * kGib), 32, false);
    return gib * kGib / result["host"]["write"]["mb_per_s"].get<double>() / 1e6;
}

double median_read_us(const std::string& name) {
    return run_apart(name, "random,read=1,size=4k,count=2000", 1, true)["host"]["read"]["latency_us"]["p50"];
}

// A 128 KiB write is 16 frames of 2,049 dwords, each asked for by one of a dword (DMA Activate).
constexpr double kLinkMbPerS = 8192 / (((2049 + 1 + 2 * 3) * 256 / 254.0 + 2 * 95) / 150.0);

TEST(PresetQlc, WritesAtTheSpeedOfTheLinkIntoItsCacheAndOfItsDiesBehindIt) {
    const double cache = 5.25e9 / kGib;
    const double inside = 3.0;
    ASSERT_LT(inside, cache);
    EXPECT_GT(8 * kSuperpage / (2 * kPageBusUs + kPlaneBusyUs + 250), kLinkMbPerS) << "its dies are faster";
    EXPECT_NEAR(inside * kGib / seconds("qlc", inside) / 1e6, kLinkMbPerS, 0.03 * kLinkMbPerS);
    const double behind = kGib / (seconds("qlc", 7.0) - seconds("qlc", 6.0)) / 1e6;
    const double dies = 8 * kSuperpage / (2 * kPageBusUs + kPlaneBusyUs + 2730);
    EXPECT_NEAR(behind, dies, 0.005 * dies);
    EXPECT_NEAR(behind, 80.0, 0.2 * 80.0) << "Samsung 860 QVO 1 TB";
}

TEST(PresetTlcDramless, WritesAtTheSpeedOfItsDiesBehindItsCache) {
    const double behind = kGib / (seconds("tlc_dramless", 3.0) - seconds("tlc_dramless", 2.0)) / 1e6;
    const double busy = 2 * kPageBusUs + kPlaneBusyUs + 1125;
    EXPECT_LT(behind, 16 * kSuperpage / busy);
    EXPECT_GT(behind, 16 * kSuperpage / (busy + kPageBusUs)) << "other dies use the bus between its planes";
}

TEST(PresetQlc, ReadsInTheSumOfItsTimes) {
    const double dram = 2 * 4096 / 3200.0;  // in and out
    const double us = 85 + kUnitBusUs + kDecodeUs + dram + kLinkUs + kReadCycles / 500;
    EXPECT_NEAR(median_read_us("qlc"), us, 0.01 * us);
}

TEST(PresetTlcDramless, ReadsTwiceBecauseTheMapIsOnFlash) {
    const double memory = 4 * 4096 / (437.0 * 8);  // translation page and data, in and out
    const double us = 2 * (75 + kUnitBusUs + kDecodeUs) + memory + kLinkUs + kReadCycles / 437;
    EXPECT_NEAR(median_read_us("tlc_dramless"), us, 0.015 * us);
}

}  // namespace
}  // namespace solidtlm::testbench
