// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include "testbench/workload/workload.h"

namespace solidtlm::testbench {
namespace {

constexpr std::uint64_t kDevice = std::uint64_t{16} << 21;  ///< sectors of 16 GiB

std::string error_of(std::string_view spec) {
    try {
        (void)parse_workload(spec, kDevice);
    } catch (const InputError& error) {
        return error.what();
    }
    return {};
}

TEST(WorkloadSpec, ReadsEveryKey) {
    const WorkloadConfig config = parse_workload(
        "zipf, read=0.7, size=4k:3/64KiB:1, align=8k, range=1GiB-50%, fua=10%, flush=32, trim=0.05, "
        "trim_size=1m, "
        "trim_queued=yes, count=250k, bytes=2GB, arrival=exponential, rate=20k, theta=1.2, seed=7",
        kDevice);
    EXPECT_EQ(config.pattern, Pattern::zipf);
    EXPECT_EQ(config.read_share, 0.7);
    ASSERT_EQ(config.sizes.size(), 2U);
    EXPECT_EQ(config.sizes[0].sectors, 8U);
    EXPECT_EQ(config.sizes[0].weight, 3.0);
    EXPECT_EQ(config.sizes[1].sectors, 128U);
    EXPECT_EQ(config.align_sectors, 16U);
    EXPECT_EQ(config.first_sector, std::uint64_t{1} << 21);
    EXPECT_EQ(config.end_sector, std::uint64_t{8} << 21);
    EXPECT_EQ(config.fua_share, 0.1);
    EXPECT_EQ(config.flush_every, 32U);
    EXPECT_EQ(config.trim_share, 0.05);
    EXPECT_EQ(config.trim_sizes[0].sectors, 2048U);
    EXPECT_TRUE(config.queued_trim);
    EXPECT_EQ(config.count, 250000U);
    EXPECT_EQ(config.total_bytes, 2000000000U);
    EXPECT_EQ(config.arrivals, Arrivals::exponential);
    EXPECT_EQ(config.rate, 20000.0);
    EXPECT_EQ(config.theta, 1.2);
    EXPECT_EQ(config.seed, 7U);
}

TEST(WorkloadSpec, Defaults) {
    const WorkloadConfig config = parse_workload("random", kDevice);
    EXPECT_EQ(config.read_share, 1.0);
    EXPECT_EQ(config.count, 100000U);
    EXPECT_EQ(config.first_sector, 0U);
    EXPECT_EQ(config.end_sector, kDevice);
    EXPECT_EQ(config.align_sectors, 8U);
    EXPECT_EQ(config.arrivals, Arrivals::none);
    EXPECT_EQ(parse_workload("random,bytes=1GiB", kDevice).count, 0U);
    EXPECT_EQ(parse_workload("random,size=512", kDevice).align_sectors, 1U);
    const WorkloadConfig paced = parse_workload("sequential,interval=20us", kDevice);
    EXPECT_EQ(paced.arrivals, Arrivals::fixed);
    EXPECT_DOUBLE_EQ(paced.rate, 50000.0);
}

TEST(WorkloadSpec, RangeBecomesWholeAlignmentUnits) {
    const WorkloadConfig config = parse_workload("random,range=512-20480,align=4k", 100);
    EXPECT_EQ(config.first_sector, 8U) << "up from sector 1";
    EXPECT_EQ(config.end_sector, 40U) << "20,480 bytes are 40 sectors, 5 units";
    EXPECT_EQ(parse_workload("random", 100).end_sector, 96U) << "down from sector 100";
}

TEST(WorkloadSpec, ListsAllMistakesAtOnce) {
    EXPECT_EQ(
        error_of("randm,raed=0.5,size=4q,count=0,trim=1.5,count=5,streams"),
        "--workload 'randm,raed=0.5,size=4q,count=0,trim=1.5,count=5,streams':\n"
        "  pattern: found 'randm', expected sequential, random, zipf or hotcold; did you mean 'random'?\n"
        "  unknown key 'raed'; did you mean 'read'?; known keys: pattern, read, size, align, range, fua, "
        "flush, "
        "trim, trim_size, trim_queued, count, bytes, arrival, rate, interval, streams, theta, hot_space, "
        "hot_access, seed\n"
        "  size: found '4q', expected sizes in multiples of 512 bytes, with weights if several: 4k or "
        "4k:3/64k:1\n"
        "  count: found '0', expected a number of requests such as 100000 or 100k\n"
        "  trim: found '1.5', expected a share such as 0.3 or 30%\n"
        "  count: given twice\n"
        "  found 'streams', expected key=value");
}

TEST(WorkloadSpec, ChecksKeysAgainstEachOtherAndTheDevice) {
    EXPECT_EQ(error_of("random,range=0-32GiB"),
              "--workload 'random,range=0-32GiB':\n  range: found 0-34359738368, expected an end within the "
              "device of "
              "17179869184 bytes");
    EXPECT_EQ(error_of("random,range=1GiB-1GiB"),
              "--workload 'random,range=1GiB-1GiB':\n  range: found 1073741824-1073741824, expected first "
              "below end");
    EXPECT_EQ(
        error_of("random,range=0-64k,size=128k"),
        "--workload 'random,range=0-64k,size=128k':\n  range: found 0-65536, expected room for a request of "
        "131072 bytes");
    EXPECT_EQ(error_of("sequential,range=0-1m,streams=16,size=128k"),
              "--workload 'sequential,range=0-1m,streams=16,size=128k':\n  range: found 0-1048576, expected "
              "room for "
              "a request of 131072 bytes in every stream's part");
    EXPECT_EQ(
        error_of("hotcold,range=0-4k"),
        "--workload 'hotcold,range=0-4k':\n  range: found 0-4096, expected room for a hot and a cold part");
    EXPECT_EQ(error_of("random,arrival=fixed"),
              "--workload 'random,arrival=fixed':\n  arrival: fixed and exponential arrivals need rate or "
              "interval");
    EXPECT_EQ(
        error_of("random,arrival=none,rate=5"),
        "--workload 'random,arrival=none,rate=5':\n  arrival: found 'none' together with rate or interval");
    EXPECT_EQ(
        error_of("random,rate=0.001,count=100k"),
        "--workload 'random,rate=0.001,count=100k':\n  rate: the workload would last longer than 104 days");
    EXPECT_EQ(error_of("random,trim=1,bytes=1m"),
              "--workload 'random,trim=1,bytes=1m':\n  bytes: trims move no data, expected trim below 1 or a "
              "count");
}

TEST(WorkloadSpec, HelpNamesEveryKey) {
    const std::string help = workload_help();
    for (const char* key : {"pattern", "read", "trim_queued", "hot_access", "seed"}) {
        EXPECT_NE(help.find(key), std::string::npos) << key;
    }
}

}  // namespace
}  // namespace solidtlm::testbench
