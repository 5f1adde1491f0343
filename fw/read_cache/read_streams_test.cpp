// SPDX-License-Identifier: Apache-2.0
//
// Sequences among reads, worked by hand.
#include "fw/read_cache/read_streams.h"

#include <gtest/gtest.h>

#include <random>

namespace solidtlm::fw {
namespace {

using Stream = std::optional<std::uint32_t>;
constexpr std::uint32_t kSectors = 8;

TEST(ReadStreams, ReadsThatFollowEachOtherAreAStreamFromTheTriggerOn) {
    ReadStreams streams(2, 3);
    EXPECT_EQ(streams.read(0, kSectors), Stream());
    EXPECT_EQ(streams.read(8, kSectors), Stream());
    EXPECT_EQ(streams.read(16, kSectors), Stream(0));
    EXPECT_EQ(streams.read(24, 3), Stream(0)) << "of any length";
    EXPECT_EQ(streams.read(27, kSectors), Stream(0));
    EXPECT_EQ(streams.read(36, kSectors), Stream()) << "a sector is missing";
    EXPECT_EQ(streams.read(35, kSectors), Stream(0)) << "where it was";
}

TEST(ReadStreams, ATriggerOfOneTakesEachReadForTheBeginningOfAStream) {
    ReadStreams streams(2, 1);
    EXPECT_EQ(streams.read(0, kSectors), Stream(0));
    EXPECT_EQ(streams.read(100, kSectors), Stream(1));
    EXPECT_EQ(streams.read(8, kSectors), Stream(0));
    EXPECT_EQ(streams.read(200, kSectors), Stream(1)) << "in place of the one at 108, continued before";
    EXPECT_EQ(streams.read(108, kSectors), Stream(0)) << "unknown again";
}

// Three sequences A (0), B (1000) and C (2000), two streams, trigger 2:
//   A B A     A is a stream (0), B a candidate
//   B         B is a stream (1)
//   C C       C is a stream in place of A, which was continued before B
//   A A       A is one again, in place of B
TEST(ReadStreams, TheOneContinuedLeastRecentlyGivesWay) {
    ReadStreams streams(2, 2);
    EXPECT_EQ(streams.read(0, kSectors), Stream());
    EXPECT_EQ(streams.read(1000, kSectors), Stream());
    EXPECT_EQ(streams.read(8, kSectors), Stream(0));
    EXPECT_EQ(streams.read(1008, kSectors), Stream(1));
    EXPECT_EQ(streams.read(2000, kSectors), Stream());
    EXPECT_EQ(streams.read(2008, kSectors), Stream(0));
    EXPECT_EQ(streams.read(16, kSectors), Stream()) << "its beginning again";
    EXPECT_EQ(streams.read(24, kSectors), Stream(1));
    EXPECT_EQ(streams.read(2016, kSectors), Stream(0));
}

TEST(ReadStreams, AsManySequencesAsStreamsAreFollowedInTurn) {
    constexpr std::uint32_t kStreams = 4;
    for (const std::uint32_t sequences : {kStreams, kStreams + 1}) {
        ReadStreams streams(kStreams, 2);
        std::uint32_t parts = 0;
        for (std::uint64_t turn = 0; turn < 10; ++turn) {
            for (std::uint64_t sequence = 0; sequence < sequences; ++sequence) {
                parts += streams.read(sequence * 10'000 + turn * kSectors, kSectors) ? 1 : 0;
            }
        }
        EXPECT_EQ(parts, sequences == kStreams ? 9 * kStreams : 0) << "one more, and none is found again";
    }
}

TEST(ReadStreams, ReadsAtRandomDisplaceNoStreamAndBeginNone) {
    ReadStreams streams(1, 2);
    EXPECT_EQ(streams.read(0, kSectors), Stream());
    EXPECT_EQ(streams.read(8, kSectors), Stream(0));
    std::mt19937_64 random(1);
    for (std::uint64_t i = 0; i < 1000; ++i) {
        EXPECT_EQ(streams.read(1000 + (random() % 1'000'000) * 16, kSectors), Stream());
    }
    EXPECT_EQ(streams.read(16, kSectors), Stream(0));
}

TEST(ReadStreams, Forgets) {
    ReadStreams streams(1, 2);
    EXPECT_EQ(streams.read(0, kSectors), Stream());
    EXPECT_EQ(streams.read(8, kSectors), Stream(0));
    EXPECT_EQ(streams.read(100, kSectors), Stream());
    streams.forget();
    EXPECT_EQ(streams.read(16, kSectors), Stream());
    EXPECT_EQ(streams.read(108, kSectors), Stream());
}

}  // namespace
}  // namespace solidtlm::fw
