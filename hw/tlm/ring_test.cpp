// SPDX-License-Identifier: Apache-2.0
#include "hw/tlm/ring.h"

#include <gtest/gtest.h>

#include <deque>
#include <random>

namespace solidtlm::hw {
namespace {

TEST(Ring, MatchesADequeWhileItGrowsAndWraps) {
    Ring<int> ring(20000);
    std::deque<int> expected;
    std::mt19937_64 random(2);
    for (int i = 0; i < 20000; ++i) {
        if (expected.empty() || random() % 100 < (i < 10000 ? 52U : 48U)) {
            ring.push(i);
            expected.push_back(i);
        } else {
            ASSERT_EQ(ring.front(), expected.front());
            ASSERT_EQ(ring.pop(), expected.front());
            expected.pop_front();
        }
        ASSERT_EQ(ring.size(), expected.size());
        ASSERT_EQ(ring.empty(), expected.empty());
    }
}

TEST(RingDeathTest, ChecksItsLimitAndItsIndices) {
    Ring<int> ring(3);
    EXPECT_DEATH(ring.pop(), "the queue is not empty");
    EXPECT_DEATH((void)ring.front(), "the index is below the size of the queue");
    for (int i = 0; i < 3; ++i) {
        ring.push(i);
    }
    EXPECT_DEATH(ring.push(3), "the queue has room");
    EXPECT_DEATH((void)ring[3], "the index is below the size of the queue");
}

}  // namespace
}  // namespace solidtlm::hw
