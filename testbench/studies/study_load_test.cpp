// SPDX-License-Identifier: Apache-2.0
//
// The generated workloads of the studies, compared with the published values: Lee et al. 2013, table 2 and
// figure 2 (study B), Ha et al. 2011, table 1 and figure 5 (study A). GB and KB are powers of 1024: TPC-C
// requests are 45.56 and 36.56 KiB in whole pages, printed as 46 and 37.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <ostream>
#include <string>
#include <vector>

#include "testbench/sim/load/workload.h"
#include "testbench/studies/load_properties.h"
#include "testbench/studies/testing/map_cache_reference.h"

namespace solidtlm::testbench {
namespace {

constexpr std::uint64_t kLargeDevice = std::uint64_t{1} << 31;  ///< sectors of 1 TiB
constexpr double kPublishedTolerance = 0.05;

void expect_published(double value, double published, const char* what) {
    EXPECT_NEAR(value, published, kPublishedTolerance * published) << what;
}

LoadProperties properties_of(const std::string& spec, std::uint64_t device_sectors = kLargeDevice) {
    LoadProperties properties;
    properties.add_all(*make_workload(parse_workload(spec, device_sectors)));
    return properties;
}

/// One row of table 2.
struct Row {
    const char* name;
    double address_gib;
    double actual_gib;
    double unique_gib;
    bool by_translation_page;  ///< unique data counts translation pages, see docs/workloads.md
    double requests;
    double page_requests;
    double read_percent;
    double mean_kib;
};

void PrintTo(const Row& row, std::ostream* out) {
    *out << row.name;
}

constexpr Row kPc{"pc", 780, 778.2, 11.7, true, 253'773, 1'537'515, 67.8, 21};
constexpr Row kTpccA{"tpcc_a", 60, 32.0, 2.6, false, 271'707, 3'094'854, 7.9, 46};
constexpr Row kTpccB{"tpcc_b", 60, 32.0, 2.6, false, 292'948, 2'677'233, 12, 37};
constexpr Row kFinancial{"financial", 16, 3.7, 0.5, false, 5'334'946, 9'156'818, 0, 3};

class TableTwo : public testing::TestWithParam<Row> {};

TEST_P(TableTwo, EveryColumnWithinFivePercent) {
    const Row& row = GetParam();
    const LoadProperties properties = properties_of(row.name);
    const WorkloadConfig config = parse_workload(row.name, kLargeDevice);
    expect_published(static_cast<double>(config.study.address_bytes) / hal::kGiB, row.address_gib,
                     "address range");
    expect_published(static_cast<double>(properties.range_bytes()) / hal::kGiB, row.actual_gib,
                     "actual range");
    const std::uint64_t unique = row.by_translation_page ? properties.distinct_translation_pages() << 22U
                                                         : properties.distinct_pages() << 12U;
    expect_published(static_cast<double>(unique) / hal::kGiB, row.unique_gib, "unique");
    EXPECT_EQ(static_cast<double>(properties.requests()), row.requests);
    expect_published(static_cast<double>(properties.page_requests()), row.page_requests, "page requests");
    expect_published(properties.mean_bytes() / hal::kKiB, row.mean_kib, "mean length");
    expect_published(100 * properties.read_share(), row.read_percent, "reads");
    expect_published(100 * (1 - properties.read_share()), 100 - row.read_percent, "writes");
}

INSTANTIATE_TEST_SUITE_P(Published, TableTwo, testing::Values(kPc, kTpccA, kTpccB, kFinancial));

/// "The distance 0 is the most frequent one" - in all three.
void expect_zero_is_most_frequent(const SleHistogram& sle) {
    for (std::int32_t distance = -kLargestDistance; distance <= kLargestDistance; ++distance) {
        EXPECT_TRUE(distance == 0 || sle.count(distance) < sle.count(0)) << distance;
    }
}

double share(const SleHistogram& sle, std::int32_t first, std::int32_t last) {
    return static_cast<double>(sle.count(first, last)) / static_cast<double>(sle.moved());
}

constexpr std::int32_t kLargestWindow = 64;  ///< entries in 256 bytes, the largest forward window

// Short forward: of the requests for an entry other than the trigger, most are ahead of it and within the
// largest forward window; few are beyond it.
TEST(StudyLocality, PcGoesAShortWayForward) {
    const LoadProperties properties = properties_of("pc");
    const SleHistogram& sle = properties.sle();
    expect_zero_is_most_frequent(sle);
    EXPECT_GT(share(sle, 1, kLargestWindow - 1), 0.5);
    EXPECT_LT(share(sle, -kLargestDistance, -1), 0.2);
}

// Long forward: most requests are ahead and beyond the largest forward window, and no part of the distance
// ahead is empty.
TEST(StudyLocality, TpccGoesALongWayForward) {
    for (const char* name : {"tpcc_a", "tpcc_b"}) {
        SCOPED_TRACE(name);
        const LoadProperties properties = properties_of(name);
        const SleHistogram& sle = properties.sle();
        expect_zero_is_most_frequent(sle);
        EXPECT_GT(share(sle, kLargestWindow, kLargestDistance), 0.5);
        EXPECT_LT(share(sle, -kLargestDistance, -1), 0.2);
        for (std::int32_t first = 1; first < 1 + 3 * 256; first += 256) {
            EXPECT_GT(share(sle, first, first + 255), 0.1) << first;
        }
    }
}

// Strong temporal locality: few pages take most of the requests (the public slice of Financial1 has 70 % in a
// fifth). Weak spatial locality: requests away from the trigger are in both directions, and mostly beyond the
// largest forward window.
TEST(StudyLocality, FinancialComesBackAndGoesBothWays) {
    const LoadProperties properties = properties_of("financial");
    const SleHistogram& sle = properties.sle();
    expect_zero_is_most_frequent(sle);
    EXPECT_GT(properties.share_of_top_fifth(), 0.7);
    EXPECT_GT(share(sle, -kLargestDistance, -1), 0.3);
    EXPECT_GT(share(sle, 1, kLargestDistance), 0.3);
    EXPECT_LT(share(sle, 1, kLargestWindow - 1), 0.3);
}

/// Share of requests that begin where the previous one ended, without those shorter than `least`.
double sequential_share(const std::string& spec, std::uint64_t least) {
    const auto source = make_workload(parse_workload(spec, kLargeDevice));
    Request request;
    std::uint64_t end = 0;
    double following = 0;
    double all = 0;
    while (source->next(request)) {
        if (request.sectors >= least) {
            ++all;
            following += request.lba.value == end ? 1 : 0;
            end = request.lba.value + request.sectors;
        }
    }
    return following / all;
}

TEST(StudyLoad, IozoneIsSequentialWithTheVolumeAndMeanOfTableOne) {
    const LoadProperties properties = properties_of("iozone");
    expect_published(static_cast<double>(properties.bytes()) / hal::kGiB, 3.42, "volume");
    expect_published(properties.mean_bytes() / hal::kKiB, 58.68, "mean length");
    EXPECT_EQ(properties.read_share(), 0);
    // 61,113 requests. 90.93 % of them = 55,570 are data in passes of 128 MiB / 64 KiB = 2,048, so 13.57
    // files of two passes. The only requests that do not continue the previous one are the first request and
    // the first one of each of 14 rewrites.
    EXPECT_NEAR(sequential_share("iozone", 128), 1 - 15.0 / 55'570, 1.0 / 55'570);
    // Every file is written and rewritten, so half of the volume is new (the journal is small).
    EXPECT_NEAR(static_cast<double>(properties.distinct_pages() << 12U) / hal::kGiB, 1.71, 0.1);
}

TEST(StudyLoad, PcApplicationIsSmallAndEverywhereWithTheVolumeAndMeanOfTableOne) {
    const LoadProperties properties = properties_of("pc_application");
    expect_published(static_cast<double>(properties.bytes()) / hal::kGiB, 1.62, "volume");
    expect_published(properties.mean_bytes() / hal::kKiB, 13.53, "mean length");
    // Small and all over the disk: most requests are below 32 KiB, and each of 1,024 equal parts of the disk
    // has some.
    const WorkloadConfig config = parse_workload("pc_application", kLargeDevice);
    const auto source = make_workload(config);
    std::vector<int> parts(1024);
    double small = 0;
    Request request;
    while (source->next(request)) {
        small += request.sectors < 64 ? 1 : 0;
        ++parts[request.lba.value * parts.size() / config.end_sector];
    }
    EXPECT_GT(small / static_cast<double>(properties.requests()), 0.5);
    EXPECT_EQ(std::count(parts.begin(), parts.end(), 0), 0);
    // Random mixed with sequential: two streams take turns, so about half of the long requests continue the
    // previous long one: the same stream (1/2) that has not ended (31/32).
    EXPECT_NEAR(sequential_share("pc_application", 64), 0.5 * 31 / 32, 0.02);
}

// A cache that holds everything misses once per loaded unit.
TEST(StudyLoad, TheReferenceCachesMissEveryUnitOnceWhenNothingLeaves) {
    constexpr std::uint32_t kPlenty = 1U << 31U;
    const LoadProperties properties = properties_of("tpcc_b,count=50k");
    auto full = reference::RunCache::full(kPlenty);
    reference::DftlCache dftl(kPlenty);
    std::uint64_t full_misses = 0;
    std::uint64_t dftl_misses = 0;
    const auto source = make_workload(parse_workload("tpcc_b,count=50k", kLargeDevice));
    Request request;
    while (source->next(request)) {
        for (std::uint64_t page = request.lba.value / 8; page * 8 < request.lba.value + request.sectors;
             ++page) {
            const hal::Lpn lpn{static_cast<std::uint32_t>(page)};
            const bool write = request.operation == Operation::write;
            full_misses += full.access(lpn, write).miss_reads;
            dftl_misses += dftl.access(lpn, write).miss_reads;
        }
    }
    EXPECT_EQ(full_misses, properties.distinct_translation_pages());
    EXPECT_EQ(dftl_misses, properties.distinct_pages());
}

TEST(StudyLoad, ATenthIsATenthOfEverything) {
    const LoadProperties whole = properties_of("tpcc_a");
    const LoadProperties tenth = properties_of("tpcc_a,scale=0.1", kLargeDevice / 128);
    EXPECT_EQ(tenth.requests(), 27'170U);
    expect_published(static_cast<double>(tenth.range_bytes()) * 10, static_cast<double>(whole.range_bytes()),
                     "range");
    expect_published(static_cast<double>(tenth.distinct_pages()) * 10,
                     static_cast<double>(whole.distinct_pages()), "unique");
    expect_published(tenth.mean_bytes(), whole.mean_bytes(), "mean length");
}

TEST(StudyLoad, FitsTheDeviceAndStaysWithinIt) {
    constexpr std::uint64_t kSmall = std::uint64_t{256} << 11U;  // 256 MiB
    for (const char* name : {"pc", "tpcc_a", "tpcc_b", "financial", "iozone", "pc_application"}) {
        SCOPED_TRACE(name);
        const auto source =
            make_workload(parse_workload(std::string(name) + ",scale=device,count=20k", kSmall));
        Request request;
        std::uint64_t given = 0;
        while (source->next(request)) {
            ASSERT_GE(request.sectors, 1U);
            ASSERT_LE(request.lba.value + request.sectors, kSmall);
            ++given;
        }
        EXPECT_EQ(given, 20'000U);
    }
}

TEST(StudyLoad, ACountGivesTheBeginningOfTheWhole) {
    for (const char* name : {"pc", "tpcc_b", "financial", "iozone", "pc_application"}) {
        SCOPED_TRACE(name);
        const auto whole = make_workload(parse_workload(std::string(name) + ",seed=5", kLargeDevice));
        const auto part =
            make_workload(parse_workload(std::string(name) + ",seed=5,count=1000", kLargeDevice));
        const auto other =
            make_workload(parse_workload(std::string(name) + ",seed=6,count=1000", kLargeDevice));
        Request a;
        Request b;
        Request c;
        int different = 0;
        while (part->next(b)) {
            ASSERT_TRUE(whole->next(a));
            ASSERT_TRUE(other->next(c));
            ASSERT_EQ(a.lba, b.lba);
            ASSERT_EQ(a.sectors, b.sectors);
            ASSERT_EQ(a.operation, b.operation);
            different += a.lba != c.lba ? 1 : 0;
        }
        EXPECT_GT(different, 10);
    }
}

}  // namespace
}  // namespace solidtlm::testbench
