// SPDX-License-Identifier: Apache-2.0
//
// Distributions with fixed seeds, compared with their expected shares. Chi-square: the statistic of a fit
// with f degrees of freedom has mean f and standard deviation sqrt(2 f); the bound is f + 5 sqrt(2 f). A
// share of n draws with probability p may deviate by 5 standard deviations, 5 sqrt(p (1 - p) / n).
#include "testbench/sim/load/workload.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <tuple>

#include "testbench/sim/load/zipf.h"

namespace solidtlm::testbench {
namespace {

constexpr std::uint64_t kDevice = std::uint64_t{1} << 21;  ///< sectors of 1 GiB

std::vector<Request> requests_of(std::string_view spec, std::uint64_t device_sectors = kDevice) {
    const auto source = make_workload(parse_workload(spec, device_sectors));
    std::vector<Request> requests;
    Request request;
    while (source->next(request)) {
        requests.push_back(request);
    }
    return requests;
}

void expect_share(std::uint64_t hits, std::uint64_t draws, double share) {
    const double n = static_cast<double>(draws);
    EXPECT_NEAR(static_cast<double>(hits) / n, share, 5 * std::sqrt(share * (1 - share) / n));
}

/// Compares counts with probabilities, cell by cell.
void expect_fit(const std::vector<std::uint64_t>& counts, const std::vector<double>& shares) {
    double draws = 0;
    for (const std::uint64_t count : counts) {
        draws += static_cast<double>(count);
    }
    double statistic = 0;
    for (std::size_t i = 0; i < counts.size(); ++i) {
        const double expected = draws * shares[i];
        ASSERT_GE(expected, 5.0) << "too few draws for the test";
        statistic += std::pow(static_cast<double>(counts[i]) - expected, 2) / expected;
    }
    const double freedom = static_cast<double>(counts.size()) - 1;
    EXPECT_LT(statistic, freedom + 5 * std::sqrt(2 * freedom));
    EXPECT_GT(statistic, freedom - 5 * std::sqrt(2 * freedom)) << "too good to be random";
}

std::uint64_t count_of(const std::vector<Request>& requests, Operation operation) {
    return static_cast<std::uint64_t>(
        std::count_if(requests.begin(), requests.end(),
                      [&](const Request& request) { return request.operation == operation; }));
}

TEST(Workload, SameSeedSameRequests) {
    const std::string spec =
        "zipf,read=0.5,size=4k:1/8k:2,trim=0.1,flush=10,rate=1k,arrival=exponential,count=2000";
    const auto a = requests_of(spec + ",seed=3");
    const auto b = requests_of(spec + ",seed=3");
    const auto c = requests_of(spec + ",seed=4");
    ASSERT_EQ(a.size(), 2000U);
    const auto key = [](const Request& r) {
        return std::make_tuple(r.operation, r.arrival, r.lba, r.sectors, r.fua,
                               r.ranges.empty() ? std::uint64_t{0} : r.ranges[0].lba.value);
    };
    std::size_t different = 0;
    for (std::size_t i = 0; i < a.size(); ++i) {
        ASSERT_EQ(key(a[i]), key(b[i])) << i;
        different += key(a[i]) != key(c[i]) ? 1 : 0;
    }
    EXPECT_GT(different, 1500U);
}

TEST(Workload, SequentialStreamsTakeTurnsInTheirParts) {
    // 48 KiB = 12 units of 4 KiB, three streams of 4 units each: 8 KiB requests start at 0, at 8 KiB, and at
    // 0 again.
    const auto requests = requests_of("sequential,range=8k-56k,size=8k,streams=3,count=8");
    std::vector<std::uint64_t> starts;
    starts.reserve(requests.size());
    for (const Request& request : requests) {
        starts.push_back(request.lba.value * 512 / 1024);
        EXPECT_EQ(request.sectors, 16U);
        EXPECT_EQ(request.arrival, Ps{0});
    }
    EXPECT_EQ(starts, (std::vector<std::uint64_t>{8, 24, 40, 16, 32, 48, 8, 24}));
}

TEST(Workload, SequentialKeepsTheAlignment) {
    const auto requests = requests_of("sequential,range=0-32k,size=6k,align=4k,count=5");
    std::vector<std::uint64_t> starts;
    starts.reserve(requests.size());
    for (const Request& request : requests) {
        starts.push_back(request.lba.value);
    }
    EXPECT_EQ(starts, (std::vector<std::uint64_t>{0, 16, 32, 48, 0}));
}

TEST(Workload, RandomIsUniformOverEveryPlaceThatLeavesRoom) {
    // 64 units of 4 KiB and requests of 16 KiB: 61 possible starts.
    std::vector<std::uint64_t> counts(61);
    for (const Request& request : requests_of("random,range=0-256k,size=16k,count=100k")) {
        ASSERT_EQ(request.lba.value % 8, 0U);
        ASSERT_LT(request.lba.value / 8, counts.size());
        ++counts[request.lba.value / 8];
    }
    expect_fit(counts, std::vector<double>(61, 1.0 / 61));
}

TEST(Workload, MixOfOperationsSizesAndFua) {
    const auto requests = requests_of(
        "random,read=0.7,size=4k:6/16k:3/64k:1,fua=0.2,trim=0.1,trim_size=1m,trim_queued=true,count=200k");
    ASSERT_EQ(requests.size(), 200000U);
    const std::uint64_t trims = count_of(requests, Operation::trim);
    const std::uint64_t reads = count_of(requests, Operation::read);
    const std::uint64_t writes = count_of(requests, Operation::write);
    expect_share(trims, requests.size(), 0.1);
    expect_share(reads, reads + writes, 0.7);
    std::map<std::uint64_t, std::uint64_t> sizes;
    std::uint64_t fua = 0;
    for (const Request& request : requests) {
        if (request.operation == Operation::trim) {
            ASSERT_EQ(request.ranges.size(), 1U);
            ASSERT_EQ(request.ranges[0].sectors, 2048U);
            ASSERT_LE(request.ranges[0].lba.value + 2048, kDevice);
            ASSERT_TRUE(request.queued);
            continue;
        }
        ASSERT_LE(request.lba.value + request.sectors, kDevice);
        ++sizes[request.sectors];
        fua += request.fua ? 1 : 0;
        ASSERT_TRUE(!request.fua || request.operation == Operation::write);
    }
    expect_share(fua, writes, 0.2);
    ASSERT_EQ(sizes.size(), 3U);
    expect_fit({sizes[8], sizes[32], sizes[128]}, {0.6, 0.3, 0.1});
}

TEST(Workload, FlushFollowsEveryNthWrite) {
    std::uint64_t writes = 0;
    std::uint64_t flushes = 0;
    Ps last{0};
    for (const Request& request : requests_of("random,read=0.5,flush=4,rate=1k,count=5000")) {
        if (request.operation == Operation::flush) {
            ++flushes;
            ASSERT_EQ(writes, flushes * 4);
            ASSERT_EQ(request.arrival, last) << "with the write before it";
        }
        writes += request.operation == Operation::write ? 1 : 0;
        last = request.arrival;
    }
    EXPECT_GE(flushes, 400U);
}

TEST(Workload, StopsAtTheCountOrTheBytes) {
    EXPECT_EQ(requests_of("random,size=64k,bytes=1m").size(), 16U);
    EXPECT_EQ(requests_of("random,size=64k,bytes=1000000").size(), 16U)
        << "15.3 requests: the last one reaches the limit";
    EXPECT_EQ(requests_of("random,size=64k,bytes=1m,count=3").size(), 3U);
    EXPECT_EQ(requests_of("random,read=0,size=64k,bytes=1m,flush=16").size(), 17U)
        << "the last flush belongs to the last write";
    EXPECT_EQ(make_workload(parse_workload("random,count=77", kDevice))->size(), 77U);
}

TEST(Workload, FixedArrivalsDoNotDrift) {
    const auto requests = requests_of("random,rate=3,count=3001");
    EXPECT_EQ(requests[0].arrival, Ps{0});
    EXPECT_EQ(requests[1].arrival, Ps{333333333333}) << "a third of a second";
    EXPECT_EQ(requests[3000].arrival, std::chrono::seconds(1000));
}

TEST(Workload, ExponentialArrivalsAreAPoissonProcess) {
    // Gaps with mean m: the share longer than x is exp(-x / m). Ten cells of equal probability.
    const double mean = 20e6;  // ps
    std::vector<std::uint64_t> cells(10);
    const auto requests = requests_of("random,rate=50k,arrival=exponential,count=100001");
    for (std::size_t i = 1; i < requests.size(); ++i) {
        const double gap = static_cast<double>((requests[i].arrival - requests[i - 1].arrival).count());
        ASSERT_GE(gap, 0);
        ++cells[std::min<std::size_t>(9, static_cast<std::size_t>(10 * (1 - std::exp(-gap / mean))))];
    }
    expect_fit(cells, std::vector<double>(10, 0.1));
    // The sum of n gaps has mean n m and standard deviation sqrt(n) m.
    EXPECT_NEAR(static_cast<double>(requests.back().arrival.count()), 1e5 * mean, 5 * std::sqrt(1e5) * mean);
}

TEST(Workload, HotColdSharesAndRegions) {
    // 1,000 units; 10 % are hot and get 90 % of the accesses.
    std::uint64_t hot = 0;
    std::vector<std::uint64_t> within(10);
    const auto requests = requests_of("hotcold,hot_space=0.1,hot_access=0.9,range=0-4000k,count=100k");
    for (const Request& request : requests) {
        const std::uint64_t place = request.lba.value / 8;
        ASSERT_LT(place, 1000U);
        if (place < 100) {
            ++hot;
            ++within[place / 10];
        }
    }
    expect_share(hot, requests.size(), 0.9);
    expect_fit(within, std::vector<double>(10, 0.1));
}

/// A column of a table: bytes of a request, and its share of the requests.
using SizeTable = std::map<std::uint64_t, double>;

/// Compares sizes and reads of a load with a table.
void expect_sizes(const std::vector<Request>& requests, const SizeTable& table) {
    std::map<std::uint64_t, std::uint64_t> counts;
    for (const Request& request : requests) {
        ++counts[request.sectors * 512];
    }
    EXPECT_EQ(counts.size(), table.size());
    for (const auto& [bytes, share] : table) {
        SCOPED_TRACE(bytes);
        expect_share(counts[bytes], requests.size(), share);
    }
    expect_share(count_of(requests, Operation::read), requests.size(), 0.4);
}

TEST(Workload, Jesd219HasTheStandardsSizes) {
    expect_sizes(requests_of("jesd219,count=200k"), {{512, 0.04},
                                                     {1024, 0.01},
                                                     {1536, 0.01},
                                                     {2048, 0.01},
                                                     {2560, 0.01},
                                                     {3072, 0.01},
                                                     {3584, 0.01},
                                                     {4096, 0.67},
                                                     {8192, 0.10},
                                                     {16384, 0.07},
                                                     {32768, 0.03},
                                                     {65536, 0.03}});
    expect_sizes(requests_of("jesd219_4k,count=200k"),
                 {{4096, 0.77}, {8192, 0.10}, {16384, 0.07}, {32768, 0.03}, {65536, 0.03}});
}

TEST(Workload, Jesd219HasThreeGroupsOfAddresses) {
    for (const char* spec : {"jesd219,count=200k", "jesd219_4k,read=0,range=512MiB-1GiB,count=200k"}) {
        SCOPED_TRACE(spec);
        const WorkloadConfig config = parse_workload(spec, kDevice);
        const std::uint64_t range = config.end_sector - config.first_sector;
        std::array<std::uint64_t, 3> groups{};
        std::array<std::uint64_t, 20> twentieths{};
        const auto requests = requests_of(spec);
        for (const Request& request : requests) {
            ASSERT_EQ(request.lba.value % 8, 0U) << "also of what is smaller than 4 KiB";
            ASSERT_GE(request.lba.value, config.first_sector);
            ASSERT_LE(request.lba.value + request.sectors, config.end_sector);
            const std::uint64_t twentieth = (request.lba.value - config.first_sector) * 20 / range;
            ++twentieths[twentieth];
            ++groups[twentieth == 0 ? 0 : twentieth < 4 ? 1 : 2];
        }
        expect_share(groups[0], requests.size(), 0.5);
        expect_share(groups[1], requests.size(), 0.3);
        expect_share(groups[2], requests.size(), 0.2);
        expect_share(twentieths[2], requests.size(), 0.3 / 3);
        expect_share(twentieths[12], requests.size(), 0.2 / 16);
    }
}

TEST(Workload, Jesd219TakesKeysOfItsOwn) {
    const WorkloadConfig config = parse_workload("jesd219,size=8k,read=0,align=8k", kDevice);
    EXPECT_EQ(config.sizes.size(), 1U);
    EXPECT_DOUBLE_EQ(config.read_share, 0.0);
    EXPECT_EQ(config.align_sectors, 16U);
    EXPECT_EQ(config.end_sector, kDevice) << "100 % of the addresses";
    EXPECT_EQ(parse_workload("jesd219,size=512", kDevice).align_sectors, 1U);
}

class ZipfShare : public testing::TestWithParam<double> {};

TEST_P(ZipfShare, FollowsThePowerLawExactly) {
    const double theta = GetParam();
    constexpr std::uint64_t kRanks = 50;
    double sum = 0;
    std::vector<double> shares;
    for (std::uint64_t k = 1; k <= kRanks; ++k) {
        shares.push_back(std::pow(static_cast<double>(k), -theta));
        sum += shares.back();
    }
    for (double& share : shares) {
        share /= sum;
    }
    const Zipf zipf(kRanks, theta);
    Random random(5);
    std::vector<std::uint64_t> counts(kRanks);
    for (int i = 0; i < 400000; ++i) {
        const std::uint64_t rank = zipf(random);
        ASSERT_GE(rank, 1U);
        ASSERT_LE(rank, kRanks);
        ++counts[rank - 1];
    }
    expect_fit(counts, shares);
}

INSTANTIATE_TEST_SUITE_P(Exponents, ZipfShare, testing::Values(0.0, 0.5, 0.99, 1.0, 1.2, 2.0));

TEST(Zipf, LargeCountsKeepTheShareOfTheFirstRanks) {
    // n = 2^28 ranks, theta 1: P(1) = 1 / H_n, H_n = ln n + 0.5772156649 + 1 / (2 n).
    const std::uint64_t n = std::uint64_t{1} << 28;
    const double harmonic = std::log(static_cast<double>(n)) + 0.5772156649;
    const Zipf zipf(n, 1.0);
    Random random(6);
    std::uint64_t first = 0;
    std::uint64_t below_thousand = 0;
    constexpr std::uint64_t kDraws = 300000;
    for (std::uint64_t i = 0; i < kDraws; ++i) {
        const std::uint64_t rank = zipf(random);
        first += rank == 1 ? 1 : 0;
        below_thousand += rank <= 1000 ? 1 : 0;
    }
    expect_share(first, kDraws, 1 / harmonic);
    expect_share(below_thousand, kDraws, (std::log(1000.0) + 0.5772156649 + 0.0005) / harmonic);
    EXPECT_EQ(Zipf(1, 0.99)(random), 1U);
}

TEST(Workload, ZipfSpreadsThePopularPlaces) {
    // 1,024 places, theta 1: the shares of the most popular places follow the power law, but these places are
    // not adjacent.
    std::map<std::uint64_t, std::uint64_t> counts;
    for (const Request& request : requests_of("zipf,theta=1,range=0-4m,count=200k")) {
        ++counts[request.lba.value / 8];
    }
    std::vector<std::pair<std::uint64_t, std::uint64_t>> ranked;
    ranked.reserve(counts.size());
    for (const auto& [place, count] : counts) {
        ranked.emplace_back(count, place);
    }
    std::sort(ranked.rbegin(), ranked.rend());
    double harmonic = 0;
    for (int k = 1; k <= 1024; ++k) {
        harmonic += 1.0 / k;
    }
    for (std::size_t k = 0; k < 4; ++k) {
        expect_share(ranked[k].first, 200000, 1 / (harmonic * static_cast<double>(k + 1)));
    }
    const auto distance = [&](std::size_t a, std::size_t b) {
        return std::llabs(static_cast<long long>(ranked[a].second) -
                          static_cast<long long>(ranked[b].second));
    };
    EXPECT_GT(distance(0, 1), 100);
    EXPECT_GT(distance(1, 2), 100);
    EXPECT_EQ(counts.size() > 900, true) << "the permutation reaches (nearly) every place";
}

}  // namespace
}  // namespace solidtlm::testbench
