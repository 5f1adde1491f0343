// SPDX-License-Identifier: Apache-2.0
#include "testbench/sim/age/repeated_tests.h"

#include <gtest/gtest.h>

namespace solidtlm::testbench {
namespace {

constexpr std::uint64_t kSectors = 8000;  ///< a thousand places

std::vector<std::uint64_t> places_of(RequestSource& source) {
    std::vector<std::uint64_t> places;
    Request request;
    while (source.next(request)) {
        EXPECT_EQ(request.operation, Operation::write);
        EXPECT_EQ(request.sectors, 8U);
        places.push_back(request.lba.value / 8);
    }
    return places;
}

/// What a workload with this seed writes.
std::vector<std::uint64_t> writes(std::uint64_t seed, int count) {
    WorkloadConfig load = parse_workload("random,read=0,size=4k,count=" + std::to_string(count), kSectors);
    load.seed = seed;
    return places_of(*make_workload(load));
}

std::vector<std::uint64_t> repeated(std::vector<RepeatedTests::Test> tests) {
    WorkloadConfig load = parse_workload("random,read=0,size=4k", kSectors);
    load.seed = 7;
    load.count = 0;
    RepeatedTests source(load, std::move(tests));
    return places_of(source);
}

TEST(RepeatedTests, OneThreadWritesWhatAWorkloadWithItsSeedWrites) {
    EXPECT_EQ(repeated({{1, 500}}), writes(7, 500));
    EXPECT_TRUE(repeated({}).empty());
}

/// Two tests of two threads: a1 b1 a2 b2 a3, then a1 b1 a2 again.
TEST(RepeatedTests, ThreadsTakeTurnsAndBeginAgainWithEachTest) {
    const std::vector<std::uint64_t> a = writes(7, 3);
    const std::vector<std::uint64_t> b = writes(8, 2);
    EXPECT_EQ(repeated({{2, 5}, {2, 3}}),
              (std::vector<std::uint64_t>{a[0], b[0], a[1], b[1], a[2], a[0], b[0], a[1]}));
    EXPECT_NE(a[0], b[0]);
}

TEST(RepeatedTests, ATestWithoutWritesIsPassedOver) {
    EXPECT_EQ(repeated({{3, 0}, {1, 2}, {1, 0}}), writes(7, 2));
}

}  // namespace
}  // namespace solidtlm::testbench
