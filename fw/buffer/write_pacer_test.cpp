// SPDX-License-Identifier: Apache-2.0
#include "fw/buffer/write_pacer.h"

#include <gtest/gtest.h>

#include <chrono>

namespace solidtlm::fw {
namespace {

using std::chrono::microseconds;

constexpr std::size_t kSlots = 16;
constexpr Ps kPeriod = microseconds(100);  // four slots come free in each
constexpr std::uint64_t kBurst = 4;

/// A buffer of 16 slots that has drained for a while, four slots every 100 us; the last ones came free at
/// `now`.
struct Drained {
    explicit Drained(WriteAdmission kind, DrainedAtOnce at_once = {}) : pacer(kind, kSlots, at_once) {
        pacer.draining(true, Ps{0});
        for (int i = 0; i < 10; ++i) {
            now += kPeriod;
            pacer.freed(kBurst, now);
        }
    }
    WritePacer pacer;
    Ps now{0};
};

TEST(WritePacer, BurstHoldsNothingBack) {
    Drained drained(WriteAdmission::burst);
    EXPECT_EQ(drained.pacer.turn(4, 0, drained.now), drained.now);
    EXPECT_EQ(drained.pacer.turn(4, 0, drained.now), drained.now);
}

/// One slot per 25 us while half of the buffer is free, per 50 us with a quarter, per 200 us when the last
/// slot is taken.
TEST(WritePacer, EvenFollowsTheRateOfDrainingAndTheFreeShare) {
    struct Case {
        std::uint64_t slots, free_after;
        Ps gap;
    };
    for (const Case& each :
         {Case{1, 7, microseconds(25)}, Case{2, 6, microseconds(50)}, Case{1, 3, microseconds(50)},
          Case{4, 0, microseconds(200)}, Case{1, 0, microseconds(200)}, Case{1, 9, microseconds(20)}}) {
        Drained drained(WriteAdmission::even);
        const Ps first = drained.pacer.turn(each.slots, each.free_after, drained.now);
        EXPECT_EQ(first, drained.now) << "nothing was admitted for long";
        const Ps second = drained.pacer.turn(each.slots, each.free_after, drained.now);
        EXPECT_EQ(second - first, each.gap) << each.slots << " slots, " << each.free_after << " left";
    }
}

TEST(WritePacer, EvenHoldsNothingBackWhileLessThanAQuarterIsInUse) {
    Drained drained(WriteAdmission::even);
    EXPECT_EQ(drained.pacer.turn(1, 13, drained.now), drained.now);
    EXPECT_EQ(drained.pacer.turn(1, 13, drained.now), drained.now);
    EXPECT_GT(drained.pacer.turn(1, 12, drained.now), drained.now);
}

// A drive that can write nothing any more lends credits without slots, to writes that only come to fail.
TEST(WritePacer, EvenHoldsNothingBackThatTakesACreditWithoutASlot) {
    for (const std::uint64_t free : {kSlots - 1, kSlots, kSlots + 1, 2 * kSlots}) {
        Drained drained(WriteAdmission::even);
        EXPECT_EQ(drained.pacer.turn(1, free, drained.now), drained.now);
        EXPECT_EQ(drained.pacer.turn(1, free, drained.now), drained.now) << free;
    }
}

TEST(WritePacer, TimeWithoutDrainingDoesNotCount) {
    Drained drained(WriteAdmission::even);
    drained.pacer.draining(false, drained.now);
    const Ps later = drained.now + std::chrono::hours(1);
    drained.pacer.draining(true, later);
    const Ps first = drained.pacer.turn(1, 7, later);
    EXPECT_EQ(drained.pacer.turn(1, 7, later) - first, microseconds(25));
}

// Flash takes 12 of the 16 slots at once, so 4 are meant to be free. The last 4 came free in the last 100 us.
TEST(WritePacer, EvenLeavesAsManySlotsInUseAsFlashTakesAtOnce) {
    Drained drained(WriteAdmission::even, {12, 4});
    const Ps first = drained.pacer.turn(1, 3, drained.now);
    EXPECT_EQ(drained.pacer.turn(1, 3, drained.now) - first, microseconds(25)) << "the rate of draining";
    const Ps second = drained.pacer.turn(1, 3, drained.now);
    EXPECT_EQ(drained.pacer.turn(1, 1, drained.now) - second, microseconds(50)) << "half of it";
    EXPECT_EQ(drained.pacer.turn(1, 11, first), drained.pacer.turn(1, 11, first)) << "five are in use";
}

TEST(WritePacer, EvenHoldsNothingBackWhereFlashTakesNearlyAllAtOnce) {
    Drained drained(WriteAdmission::even, {13, 4});
    EXPECT_FALSE(drained.pacer.holds_back());
    EXPECT_EQ(drained.pacer.turn(4, 0, drained.now), drained.now);
    EXPECT_EQ(drained.pacer.turn(4, 0, drained.now), drained.now);
}

TEST(WritePacer, NothingIsHeldBackWhileNothingDrains) {
    Drained drained(WriteAdmission::even);
    drained.pacer.draining(false, drained.now);
    EXPECT_EQ(drained.pacer.turn(1, 1, drained.now), drained.now);
    EXPECT_EQ(drained.pacer.turn(1, 1, drained.now), drained.now);
}

TEST(WritePacer, NothingIsHeldBackBeforeAnythingHasDrained) {
    WritePacer pacer(WriteAdmission::even, kSlots, {});
    EXPECT_EQ(pacer.turn(8, 0, microseconds(5)), microseconds(5));
    EXPECT_EQ(pacer.turn(8, 0, microseconds(5)), microseconds(5));
}

}  // namespace
}  // namespace solidtlm::fw
