// SPDX-License-Identifier: Apache-2.0
#include "testbench/sim/load/trace/regroup_trims.h"

#include <algorithm>
#include <array>
#include <map>
#include <random>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "testbench/sim/host/listed_source.h"

namespace solidtlm::testbench {
namespace {

constexpr std::int64_t kPsPerMs = 1'000'000'000;

Request make(Operation operation, std::int64_t ms, std::uint64_t lba, std::uint32_t sectors) {
    Request request;
    request.operation = operation;
    request.arrival = Ps{ms * kPsPerMs};
    if (operation == Operation::trim) {
        request.queued = false;
        request.ranges.push_back({Lba{lba}, sectors});
    } else {
        request.lba = Lba{lba};
        request.sectors = sectors;
    }
    return request;
}

using Ranges = std::vector<std::pair<std::uint64_t, std::uint32_t>>;

Ranges ranges_of(const Request& request) {
    Ranges ranges;
    for (const TrimRange& range : request.ranges) {
        ranges.emplace_back(range.lba.value, range.sectors);
    }
    return ranges;
}

std::vector<Request> regroup(std::vector<Request> requests, Regroup how) {
    RegroupTrims source(std::make_unique<ListedSource>(std::move(requests)), how);
    std::vector<Request> all;
    for (Request request; source.next(request);) {
        all.push_back(request);
    }
    return all;
}

TEST(RegroupTrims, NamesAreThoseOfTheCommandLine) {
    EXPECT_EQ(parse_regroup("per_extent"), Regroup::per_extent);
    EXPECT_EQ(parse_regroup("batched"), Regroup::batched);
    EXPECT_EQ(parse_regroup("queued"), Regroup::queued);
    EXPECT_FALSE(parse_regroup("all").has_value());
}

// Three trims with a read of other sectors between them become one command in the place of the first.
TEST(RegroupTrims, GathersRangesFreedTogether) {
    const auto all = regroup(
        {make(Operation::trim, 0, 0, 8), make(Operation::trim, 1, 100, 8), make(Operation::read, 2, 200, 8),
         make(Operation::trim, 3, 300, 8), make(Operation::write, 4, 0, 8)},
        Regroup::batched);
    ASSERT_EQ(all.size(), 3U);
    EXPECT_EQ(all[0].operation, Operation::trim);
    EXPECT_FALSE(all[0].queued);
    EXPECT_EQ(all[0].arrival, Ps{0});
    EXPECT_EQ(ranges_of(all[0]), (Ranges{{0, 8}, {100, 8}, {300, 8}}));
    EXPECT_EQ(all[1].operation, Operation::read);
    EXPECT_EQ(all[2].operation, Operation::write);
}

TEST(RegroupTrims, AGroupEndsAtAFlushALongGapOr64Ranges) {
    const auto flushed = regroup(
        {make(Operation::trim, 0, 0, 8), make(Operation::flush, 1, 0, 0), make(Operation::trim, 2, 100, 8)},
        Regroup::batched);
    EXPECT_EQ(flushed.size(), 3U);
    const auto gap =
        regroup({make(Operation::trim, 0, 0, 8), make(Operation::trim, 11, 100, 8)}, Regroup::batched);
    EXPECT_EQ(gap.size(), 2U);
    std::vector<Request> many;
    for (std::uint64_t i = 0; i < 130; ++i) {
        many.push_back(make(Operation::trim, 0, i * 100, 8));
    }
    const auto groups = regroup(many, Regroup::batched);
    ASSERT_EQ(groups.size(), 3U);
    EXPECT_EQ(groups[0].ranges.size(), 64U);
    EXPECT_EQ(groups[1].ranges.size(), 64U);
    EXPECT_EQ(groups[2].ranges.size(), 2U);
}

TEST(RegroupTrims, OneRangePerCommandOtherwise) {
    Request trim = make(Operation::trim, 5, 0, 8);
    trim.ranges.push_back({Lba{100}, 16});
    const auto linux_way = regroup({trim}, Regroup::per_extent);
    ASSERT_EQ(linux_way.size(), 2U);
    EXPECT_EQ(ranges_of(linux_way[1]), (Ranges{{100, 16}}));
    EXPECT_FALSE(linux_way[0].queued);
    EXPECT_EQ(linux_way[1].arrival, Ps{5 * kPsPerMs});
    const auto queued = regroup({trim}, Regroup::queued);
    ASSERT_EQ(queued.size(), 2U);
    EXPECT_TRUE(queued[0].queued);
    EXPECT_TRUE(queued[1].queued);
}

/// The contents of each sector after each write or read, in the order of the requests: the number of the
/// write, or 0 after a trim.
std::vector<std::uint64_t> observed(const std::vector<Request>& requests) {
    std::map<std::uint64_t, std::uint64_t> sectors;
    std::vector<std::uint64_t> seen;
    for (const Request& request : requests) {
        if (request.operation == Operation::trim) {
            for (const TrimRange& range : request.ranges) {
                for (std::uint64_t i = 0; i < range.sectors; ++i) {
                    sectors[range.lba.value + i] = 0;
                }
            }
            continue;
        }
        for (std::uint64_t i = 0; i < request.sectors; ++i) {
            std::uint64_t& sector = sectors[request.lba.value + i];
            if (request.operation == Operation::write) {
                sector = request.token;
            } else {
                seen.push_back(sector);
            }
        }
    }
    for (const auto& [sector, writer] : sectors) {
        seen.push_back(writer);
    }
    return seen;
}

// Reads see the same data, and the final contents are the same, however trims are gathered.
TEST(RegroupTrims, NeverChangesASectorsContents) {
    for (std::uint64_t seed = 1; seed <= 200; ++seed) {
        std::mt19937_64 random(seed);
        std::vector<Request> requests;
        for (std::uint64_t i = 1; i <= 300; ++i) {
            constexpr std::array<Operation, 8> kOperations{
                Operation::read, Operation::write, Operation::write, Operation::trim,
                Operation::trim, Operation::trim,  Operation::trim,  Operation::flush};
            const Operation operation = kOperations[random() % (random() % 8 == 0 ? 8 : 7)];
            Request request = make(operation, static_cast<std::int64_t>(i), random() % 400,
                                   static_cast<std::uint32_t>(1 + random() % 20));
            request.token = i;
            requests.push_back(request);
        }
        const auto expected = observed(requests);
        for (const Regroup how : {Regroup::per_extent, Regroup::batched, Regroup::queued}) {
            const auto all = regroup(requests, how);
            EXPECT_EQ(observed(all), expected) << "seed " << seed;
            EXPECT_TRUE(
                std::is_sorted(all.begin(), all.end(),
                               [](const Request& a, const Request& b) { return a.arrival < b.arrival; }))
                << "seed " << seed;
        }
    }
}

}  // namespace
}  // namespace solidtlm::testbench
