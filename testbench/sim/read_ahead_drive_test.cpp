// SPDX-License-Identifier: Apache-2.0
//
// Sequential reads at depth 1 with reading ahead: as fast as the slower of dies and link allows.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include "testbench/sim/child_runs.h"
#include "testbench/sim/test_support.h"

namespace solidtlm::testbench::read_ahead {
namespace {

using Settings = std::vector<std::string>;

constexpr double kPageBytes = 4096.0;
constexpr double kReadUs = 25.0;      // tR
constexpr int kBusCycles = 4096 + 7;  // data, command and address
constexpr double kTolerance = 0.01;

/// One plane per die, one page per mapping unit; the firmware takes no time.
platform::Configuration drive(int channels, double byte_ns, const Settings& settings) {
    Settings all{fmt::format("nand.geometry.channels={}", channels),
                 "nand.geometry.dies=1",
                 "nand.geometry.dies_per_way=1",
                 "nand.geometry.planes=1",
                 "nand.geometry.blocks=256",  // many times the size of the read cache
                 fmt::format("nand.bus.byte_time={}ns", byte_ns),
                 "firmware.gc.background_threshold=3",
                 "firmware.write_buffer.policy=write_back",
                 "content=none"};
    all.insert(all.end(), settings.begin(), settings.end());
    return preset("agrawal", all);
}

const Settings kAhead{"firmware.read_cache.size=2MiB", "firmware.read_cache.read_ahead=128KiB"};

/// Result of reads at depth 1, in a process of its own. `full`: everything was written, in order.
Json read(const platform::Configuration& configuration, const std::string& workload, bool full = true) {
    const auto run = [&] {
        RunSpec spec = run_of(configuration);
        if (full) {
            spec.precondition = parse_preconditioning("fill=1,random=0");
        }
        const auto source = make_workload(parse_workload(workload, configuration.firmware.exported_sectors));
        return simulate(spec, *source, ClosedLoop(1));
    };
    const std::vector<PointOutcome> points =
        run_points(std::vector<PointJob>{{workload, run}}, PointPool{1, true});
    EXPECT_EQ(points.front().outcome.faults, std::vector<std::string>());
    return points.front().outcome.result;
}

double mb_per_s(const Json& result) {
    return result["host"]["read"]["mb_per_s"];
}

std::string sequential(int kib) {
    return fmt::format("sequential,read=1,size={}k,count={}", kib, 40'000 / kib);
}

// Per page, a die takes tR and then the bus time.
TEST(ReadAhead, DiesAreBusyAllTheTimeWhereTheyAreSlower) {
    for (const int dies : {1, 4}) {
        const platform::Configuration ahead = drive(dies, 25.0, kAhead);
        const double expected = dies * kPageBytes / (kReadUs + kBusCycles * 0.025);  // 32.1 MB/s each
        for (const int kib : {4, 128}) {
            EXPECT_NEAR(mb_per_s(read(ahead, sequential(kib))), expected, expected * kTolerance) << kib;
        }
    }
    const double alone = mb_per_s(read(drive(4, 25.0, {}), sequential(4)));
    EXPECT_LT(alone, kPageBytes / (kReadUs + kBusCycles * 0.025)) << "without: one die at a time";
}

// Units that were never written need no flash, so only the link limits.
TEST(ReadAhead, TheLinkIsTheLimitWhereDiesAreFaster) {
    for (const int kib : {4, 128}) {
        const double link = mb_per_s(read(drive(16, 2.0, {}), sequential(kib), false));
        const Json result = read(drive(16, 2.0, kAhead), sequential(kib));
        EXPECT_NEAR(mb_per_s(result), link, link * kTolerance) << kib;
        const double units = result["firmware"]["host.read_units"];
        const double hits = result["firmware"]["read_cache.hits"];
        EXPECT_EQ(hits, units - 2.0 * kib / 4) << "all but the first two reads";
        EXPECT_LT(mb_per_s(read(drive(16, 2.0, {}), sequential(kib))), 0.75 * link) << "without";
    }
}

TEST(ReadAhead, ReadsAtRandomTakeAsLongAsWithout) {
    const std::string random = "random,read=1,size=4k,count=2000";
    Settings ahead = kAhead;
    ahead.emplace_back("firmware.read_cache.trigger=4");  // this many are not sequential by chance
    const Json with = read(drive(4, 25.0, ahead), random);
    const Json without = read(drive(4, 25.0, {}), random);
    EXPECT_EQ(with["firmware"]["read_cache.fetched_units"], 0.0);
    EXPECT_EQ(with["host"]["read"]["latency_us"], without["host"]["read"]["latency_us"]);
    EXPECT_EQ(with["nand"], without["nand"]);
}

}  // namespace
}  // namespace solidtlm::testbench::read_ahead
