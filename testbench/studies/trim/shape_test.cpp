// SPDX-License-Identifier: Apache-2.0
#include "testbench/studies/trim/shape.h"

#include <gtest/gtest.h>

#include <set>

#include "testbench/studies/trim/mixed_source.h"

namespace solidtlm::testbench::trim {
namespace {

constexpr std::uint64_t kRegion = 64ULL << 20U;

std::vector<Request> all_of(RequestSource&& source) {
    std::vector<Request> requests;
    Request request;
    while (source.next(request)) {
        requests.push_back(request);
    }
    return requests;
}

std::vector<TrimRange> ranges_of(const Shape& shape, std::uint64_t most) {
    std::vector<TrimRange> ranges;
    for (const Request& request : all_of(ShapeSource(*plan_shape(shape, kRegion, most), 7))) {
        EXPECT_EQ(request.operation, Operation::trim);
        EXPECT_EQ(request.ranges.size(), shape.ranges);
        EXPECT_FALSE(request.queued);
        ranges.insert(ranges.end(), request.ranges.begin(), request.ranges.end());
    }
    return ranges;
}

/// Inside the region, of the right length, none on top of another.
void expect_apart(std::vector<TrimRange> ranges, const Shape& shape) {
    std::ranges::sort(ranges, {}, [](const TrimRange& range) { return range.lba.value; });
    std::uint64_t free = 0;
    for (const TrimRange& range : ranges) {
        EXPECT_EQ(range.sectors, shape.bytes / 512);
        EXPECT_GE(range.lba.value, free);
        free = range.lba.value + range.sectors;
    }
    EXPECT_LE(free * 512, kRegion);
}

TEST(TrimShape, ContiguousRangesFollowOneAnother) {
    for (const bool aligned : {true, false}) {
        const Shape shape{16384, 4, true, aligned};
        const std::vector<TrimRange> ranges = ranges_of(shape, 4000);
        ASSERT_EQ(ranges.size(), 4000U);
        expect_apart(ranges, shape);
        for (std::size_t i = 1; i < ranges.size(); ++i) {
            EXPECT_EQ(ranges[i].lba.value, ranges[i - 1].lba.value + 32);
        }
        EXPECT_EQ(ranges.front().lba.value % 32 == 0, aligned);
    }
}

TEST(TrimShape, ScatteredRangesBeginWhereTheyShould) {
    const Shape aligned{16384, 8, false, true};
    const Shape unaligned{16384, 8, false, false, 4096};
    std::vector<TrimRange> ranges = ranges_of(aligned, 800);
    expect_apart(ranges, aligned);
    for (const TrimRange& range : ranges) {
        EXPECT_EQ(range.lba.value % 32, 0U);
    }
    ranges = ranges_of(unaligned, 800);
    expect_apart(ranges, unaligned);
    for (const TrimRange& range : ranges) {
        EXPECT_EQ(range.lba.value % 16, 8U) << "an odd multiple of 4 KiB";
    }
}

TEST(TrimShape, TheSameRangesWhateverTheirNumberInACommand) {
    Shape shape{16384, 64, false, false};
    const std::vector<TrimRange> batched = ranges_of(shape, 64);
    shape.ranges = 1;
    const std::vector<TrimRange> single = ranges_of(shape, 64);
    ASSERT_EQ(batched.size(), single.size());
    for (std::size_t i = 0; i < single.size(); ++i) {
        EXPECT_EQ(single[i].lba, batched[i].lba);
    }
}

TEST(TrimShape, AsManyCommandsAsThereIsRoomFor) {
    const auto commands = [](const Shape& shape, std::uint64_t most) {
        return plan_shape(shape, kRegion, most)->commands;
    };
    EXPECT_EQ(commands({16384, 64, true, true}, 512), 8U);
    EXPECT_EQ(commands({16384, 64, true, true}, 10), 1U) << "one at least";
    EXPECT_EQ(commands({16384, 64, true, true}, 1 << 20), 64U);
    EXPECT_EQ(commands({16384, 64, true, false}, 1 << 20), 63U) << "the last ends behind it";
    EXPECT_EQ(commands({16384, 64, false, true}, 1 << 20), 32U);
    EXPECT_EQ(commands({1 << 20, 64, true, true}, 1 << 20), 1U);
    EXPECT_EQ(plan_shape({16 << 20, 1, true, true}, 4ULL << 30U, 512)->commands, 16U) << "256 MiB";
    EXPECT_FALSE(plan_shape({1 << 20, 64, false, true}, kRegion, 1000));
    EXPECT_FALSE(plan_shape({4096, 1, false, false, 4096}, kRegion, 1000)) << "one grain is always aligned";
}

TEST(TrimMixedSource, FreesARangeForSixteenReads) {
    for (const Sending sending : {Sending::none, Sending::one_a_command, Sending::batched, Sending::queued}) {
        std::size_t reads = 0;
        std::set<std::uint64_t> freed;
        for (const Request& request : all_of(MixedSource(sending, {kRegion, 16384, Ps{1000}}, 3))) {
            if (request.operation == Operation::read) {
                ++reads;
                EXPECT_LE((request.lba.value + request.sectors) * 512, kRegion / 2);
                continue;
            }
            EXPECT_EQ(request.ranges.size(), sending == Sending::batched ? 64U : 1U);
            EXPECT_EQ(request.queued, sending == Sending::queued);
            for (const TrimRange& range : request.ranges) {
                EXPECT_TRUE(freed.insert(range.lba.value).second) << "trimmed before";
                EXPECT_GE(range.lba.value * 512, kRegion / 2);
                EXPECT_LE((range.lba.value + range.sectors) * 512, kRegion);
            }
        }
        EXPECT_EQ(reads, 16384U);
        EXPECT_EQ(freed.size(), sending == Sending::none ? 0U : 1024U);
    }
}

}  // namespace
}  // namespace solidtlm::testbench::trim
