// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include "testbench/sim/load/pattern.h"
#include "testbench/sim/load/workload.h"

namespace solidtlm::testbench {
namespace {

constexpr std::uint64_t kSpecDevice = std::uint64_t{16} << 21;  ///< sectors of 16 GiB

std::string error_of(std::string_view spec) {
    try {
        (void)parse_workload(spec, kSpecDevice);
    } catch (const InputError& error) {
        return error.what();
    }
    return {};
}

TEST(WorkloadSpec, ReadsEveryKey) {
    const WorkloadConfig config = parse_workload(
        "zipf, read=0.7, size=4k:3/64KiB:1, align=8k, range=1GiB-50%, fua=10%, flush=32, trim=0.05, "
        "trim_size=1m, "
        "trim_queued=true, count=250k, bytes=2GB, arrival=exponential, rate=20k, theta=1.2, seed=7",
        kSpecDevice);
    EXPECT_EQ(config.pattern, "zipf");
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
    const WorkloadConfig config = parse_workload("random", kSpecDevice);
    EXPECT_EQ(config.read_share, 1.0);
    EXPECT_EQ(config.count, 100000U);
    EXPECT_EQ(config.first_sector, 0U);
    EXPECT_EQ(config.end_sector, kSpecDevice);
    EXPECT_EQ(config.align_sectors, 8U);
    EXPECT_EQ(config.arrivals, Arrivals::none);
    EXPECT_EQ(parse_workload("random,bytes=1GiB", kSpecDevice).count, 0U);
    EXPECT_EQ(parse_workload("random,size=512", kSpecDevice).align_sectors, 1U);
    const WorkloadConfig paced = parse_workload("sequential,interval=20us", kSpecDevice);
    EXPECT_EQ(paced.arrivals, Arrivals::fixed);
    EXPECT_DOUBLE_EQ(paced.rate, 50000.0);
}

TEST(WorkloadSpec, RangeBecomesWholeAlignmentUnits) {
    const WorkloadConfig config = parse_workload("random,range=512-20480,align=4k", 100);
    EXPECT_EQ(config.first_sector, 8U) << "up from sector 1";
    EXPECT_EQ(config.end_sector, 40U) << "20,480 bytes are 40 sectors, 5 units";
    EXPECT_EQ(parse_workload("random", 100).end_sector, 96U) << "down from sector 100";
}

/// Names of patterns, as messages list them.
std::string pattern_names(bool of_studies) {
    std::string names;
    for (const Pattern* pattern : patterns()) {
        if ((pattern->traits.model != nullptr) == of_studies) {
            names += (names.empty() ? "" : ", ") + std::string(pattern->name);
        }
    }
    return names;
}

TEST(WorkloadSpec, ListsAllMistakesAtOnce) {
    EXPECT_EQ(
        error_of("randm,raed=0.5,size=4q,count=0,trim=1.5,count=5,streams"),
        "--workload: pattern: found randm; allowed: " + pattern_names(false) +
            ", or a study's workload: " + pattern_names(true) +
            ", or a benchmark on a file system: postmark, "
            "filebench_delete; did you mean random?\n"
            "--workload: raed: unknown key; did you mean read?; known keys: pattern, read, size, align, "
            "range, fua, "
            "flush, "
            "trim, trim_size, trim_queued, count, bytes, arrival, rate, interval, idle, burst, duplicates, "
            "recency, "
            "duplicate_run, collisions, streams, theta, hot_space, "
            "hot_access, scale, run, head, density, small, small_size, reuse, overwrite, file, passes, seed\n"
            "--workload: size: found 4q; allowed: sizes in multiples of 512 bytes, with weights if several: "
            "4k or "
            "4k:3/64k:1\n"
            "--workload: count: found 0; allowed: integer of at least 1, such as 100000 or 100k\n"
            "--workload: trim: found 1.5; allowed: share from 0 to 1, such as 0.3 or 30%\n"
            "--workload: count: given twice\n"
            "--workload: found streams; allowed: key=value");
}

TEST(WorkloadSpec, ChecksKeysAgainstEachOtherAndTheDevice) {
    EXPECT_EQ(error_of("random,range=0-32GiB"),
              "--workload: range: found 0-34359738368; allowed: an end within the "
              "device of "
              "17179869184 bytes");
    EXPECT_EQ(error_of("random,range=1GiB-1GiB"),
              "--workload: range: found 1073741824-1073741824; allowed: first "
              "below end");
    EXPECT_EQ(error_of("random,range=0-64k,size=128k"),
              "--workload: range: found 0-65536; allowed: room for a request of "
              "131072 bytes");
    EXPECT_EQ(error_of("sequential,range=0-1m,streams=16,size=128k"),
              "--workload: range: found 0-1048576; allowed: "
              "room for "
              "a request of 131072 bytes in every stream's part");
    EXPECT_EQ(error_of("hotcold,range=0-4k"),
              "--workload: range: found 0-4096; allowed: room for a hot and a cold part");
    EXPECT_EQ(error_of("random,arrival=fixed"),
              "--workload: arrival: fixed and exponential arrivals need rate or "
              "interval");
    EXPECT_EQ(error_of("random,arrival=none,rate=5"),
              "--workload: arrival: found 'none' together with rate or interval");
    EXPECT_EQ(error_of("random,rate=0.001,count=100k"),
              "--workload: rate: the workload would last longer than 9000000s (104 days)");
    EXPECT_EQ(error_of("random,trim=1,bytes=1m"),
              "--workload: bytes: trims move no data; allowed: trim below 1 or a "
              "count");
}

constexpr std::uint64_t kTebibyte = std::uint64_t{1} << 31;  ///< sectors

TEST(WorkloadSpec, AStudyBringsItsDefaultsAtAnyPosition) {
    const WorkloadConfig config = parse_workload("seed=7,read=0.5,run=9,pattern=pc", kTebibyte);
    EXPECT_EQ(config.pattern, "pc");
    EXPECT_EQ(config.count, 253'773U);
    EXPECT_EQ(config.read_share, 0.5);
    EXPECT_EQ(config.study.run, 9);
    EXPECT_EQ(config.study.head, 0.5);
    EXPECT_EQ(config.seed, 7U);
    EXPECT_EQ(parse_workload("pc,bytes=1GiB", kTebibyte).count, 0U);
}

TEST(WorkloadSpec, QuotesChangeNothing) {
    const WorkloadConfig config = parse_workload("'pc',scale=\"device\",arrival='none'", kSpecDevice);
    const WorkloadConfig same = parse_workload("pc,scale=device,arrival=none", kSpecDevice);
    EXPECT_EQ(config.count, same.count);
    EXPECT_EQ(config.study.head, 0.5);
    EXPECT_EQ(config.study.scale, same.study.scale);
    EXPECT_EQ(config.end_sector, same.end_sector);
}

TEST(WorkloadSpec, AStudyShrinksWithTheDevice) {
    // TPC-C: a drive of 60 GiB, addresses up to 32 GiB, 2.6 GiB in use, 271,707 requests.
    const WorkloadConfig tenth = parse_workload("tpcc_a,scale=0.1", kSpecDevice);
    EXPECT_EQ(tenth.count, 27'170U);
    EXPECT_EQ(tenth.end_sector, 819U * 8192) << "3.2 GiB in whole translation pages of 4 MiB";
    EXPECT_EQ(tenth.study.unique_bytes, 279'172'874U) << "2.6 GiB / 10";
    // 16 GiB of 60 GiB.
    EXPECT_DOUBLE_EQ(parse_workload("tpcc_a,scale=device", kSpecDevice).study.scale, 16.0 / 60);
    EXPECT_EQ(parse_workload("tpcc_a,scale=device", kTebibyte).study.scale, 1.0) << "never above full size";
}

TEST(WorkloadSpec, ChecksAStudyAgainstItsKeysAndTheDevice) {
    EXPECT_EQ(error_of("financial,range=0-1GiB,run=2"),
              "--workload: range: not for financial; its keys: pattern, read, size, fua, flush, count, "
              "bytes, arrival, rate, "
              "interval, idle, burst, theta, scale, seed\n"
              "--workload: run: not for financial; its keys: pattern, read, size, fua, flush, count, bytes, "
              "arrival, rate, "
              "interval, idle, burst, theta, scale, seed");
    EXPECT_EQ(error_of("random,scale=0.5"),
              "--workload: scale: not for random; its keys: pattern, read, size, align, "
              "range, fua, flush, trim, trim_size, trim_queued, count, bytes, arrival, rate, interval, idle, "
              "burst, "
              "duplicates, recency, duplicate_run, collisions, streams, theta, hot_space, hot_access, seed");
    EXPECT_EQ(error_of("tpcc_b"),
              "--workload: scale: found 1.000000, which needs 34359738368 bytes; allowed: addresses "
              "within the device of 17179869184 bytes, as with scale=device");
    EXPECT_EQ(error_of("pc,scale=2"),
              "--workload: scale: found 2; allowed: number above 0, at most 1, or device");
    EXPECT_EQ(error_of("tpcc_a,scale=0.0002"),
              "--workload: scale: found 0.000200; allowed: room for 4 times 4 MiB");
    EXPECT_EQ(error_of("financial,size=2m"),
              "--workload: size: allowed: at most 1 MiB in a study's workload");
}

TEST(WorkloadSpec, ReadsContentsAndArrivals) {
    const WorkloadConfig config = parse_workload(
        "random,read=0,duplicates=30%,recency=0.5,duplicate_run=4,collisions=0.01,rate=2k,idle=5ms,burst=10",
        kSpecDevice);
    EXPECT_EQ(config.contents.duplicates, 0.3);
    EXPECT_EQ(config.contents.recency, 0.5);
    EXPECT_EQ(config.contents.run, 4);
    EXPECT_EQ(config.contents.collisions, 0.01);
    EXPECT_EQ(config.idle, std::chrono::milliseconds(5));
    EXPECT_EQ(config.burst, 10);
    EXPECT_EQ(config.arrivals, Arrivals::fixed);
    EXPECT_TRUE(tells_contents(config));
    EXPECT_TRUE(tells_contents(parse_workload("random,collisions=1%", kSpecDevice)));
    EXPECT_FALSE(tells_contents(parse_workload("random", kSpecDevice)));
    EXPECT_FALSE(tells_contents(parse_workload("webvm,duplicates=0", kSpecDevice)));
    EXPECT_TRUE(tells_contents(parse_workload("app_install,duplicates=0", kSpecDevice)));
}

TEST(WorkloadSpec, StudyCTakesARangeOfAnyDrive) {
    const WorkloadConfig webvm = parse_workload("webvm", kSpecDevice);
    EXPECT_EQ(webvm.first_sector, 0U);
    EXPECT_EQ(webvm.end_sector, (std::uint64_t{16} << 21) / 10 * 8 / 8 * 8) << "80 %";
    EXPECT_EQ(webvm.arrivals, Arrivals::exponential);
    EXPECT_EQ(webvm.contents.duplicates, 0.3);
    const WorkloadConfig install =
        parse_workload("range=1GiB-2GiB,pattern=app_install,rate=100", kSpecDevice);
    EXPECT_EQ(install.first_sector, std::uint64_t{1} << 21);
    EXPECT_EQ(install.end_sector, std::uint64_t{2} << 21);
    EXPECT_EQ(install.arrivals, Arrivals::exponential) << "and not fixed, which a rate alone means elsewhere";
    EXPECT_EQ(install.rate, 100);
    EXPECT_EQ(install.contents.duplicates, 0.35);
}

TEST(WorkloadSpec, NoArrivalsMeanNoDefaultPauses) {
    const WorkloadConfig config = parse_workload("webvm,arrival=none", kSpecDevice);
    EXPECT_EQ(config.arrivals, Arrivals::none);
    EXPECT_EQ(config.rate, 0);
    EXPECT_EQ(config.idle, hal::Ps{0});
}

TEST(WorkloadSpec, ChecksContentsAndPauses) {
    EXPECT_EQ(error_of("random,size=512,duplicates=0.3"),
              "--workload: size: contents are given for 4 KiB each; allowed: "
              "multiples of 4 KiB\n--workload: align: contents are given for 4 KiB each; allowed: a multiple "
              "of 4 KiB");
    EXPECT_EQ(error_of("webvm,size=6k"),
              "--workload: size: contents are given for 4 KiB each; allowed: multiples of 4 "
              "KiB");
    EXPECT_EQ(error_of("app_install,range=0-2m"),
              "--workload: range: found 0-2097152; allowed: room for 6 versions of "
              "at least 512 KiB");
    EXPECT_EQ(error_of("random,idle=5ms"),
              "--workload: idle: pauses between bursts need rate or interval, or an "
              "arrival");
    EXPECT_EQ(error_of("random,rate=1k,idle=2s,burst=1,count=10M"),
              "--workload: rate: the workload would last longer than 9000000s (104 days)");
    EXPECT_EQ(error_of("random,rate=1k,idle=5,burst=0.5,duplicates=2"),
              "--workload: idle: found 5; allowed: duration from 0s to 9000000s, a string with unit such as "
              "\"50us\"\n"
              "--workload: burst: found 0.5; allowed: number of at least 1\n"
              "--workload: duplicates: found 2; allowed: share from 0 to 1, such as 0.3 or 30%");
    EXPECT_TRUE(error_of("pc,duplicates=0.3").starts_with("--workload: duplicates: not for pc; its keys: "));
}

TEST(WorkloadSpec, HelpNamesEveryKey) {
    const std::string help = workload_help();
    for (const char* key : {"pattern", "read", "trim_queued", "hot_access", "seed"}) {
        EXPECT_NE(help.find(key), std::string::npos) << key;
    }
}

}  // namespace
}  // namespace solidtlm::testbench
