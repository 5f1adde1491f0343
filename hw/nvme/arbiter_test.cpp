// SPDX-License-Identifier: Apache-2.0
#include "hw/nvme/arbiter.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace solidtlm::hw::nvme {
namespace {

SubmissionQueue queue_with(std::uint32_t waiting, Priority priority = Priority::medium) {
    SubmissionQueue queue;
    queue.size = 4096;
    queue.tail = waiting;
    queue.priority = priority;
    return queue;
}

// The queues of `count` grants, each with the number of its commands.
std::string grants(Arbiter& arbiter, std::vector<SubmissionQueue>& queues, int count, bool weighted,
                   Word settings, std::uint32_t most = 64) {
    std::string result;
    for (int i = 0; i < count; ++i) {
        const auto grant = arbiter.next(queues, weighted, settings, most);
        if (!grant) {
            return result + "-";
        }
        queues[grant->queue].take(grant->commands);
        result += std::to_string(grant->queue) + "x" + std::to_string(grant->commands) + " ";
    }
    return result;
}

TEST(Arbiter, QueuesTakeTurns) {
    Arbiter arbiter;
    std::vector<SubmissionQueue> queues{queue_with(0), queue_with(3), queue_with(0), queue_with(2)};
    EXPECT_EQ(grants(arbiter, queues, 9, false, 0), "1x1 3x1 1x1 3x1 1x1 -");
}

TEST(Arbiter, TheAdminQueueGoesFirst) {
    Arbiter arbiter;
    std::vector<SubmissionQueue> queues{queue_with(2), queue_with(1), queue_with(1, Priority::urgent)};
    EXPECT_EQ(grants(arbiter, queues, 9, true, 0), "0x1 0x1 2x1 1x1 -");
}

TEST(Arbiter, ABurstIsAPowerOfTwoOrWithoutLimit) {
    Arbiter arbiter;
    std::vector<SubmissionQueue> queues{queue_with(0), queue_with(7), queue_with(7)};
    EXPECT_EQ(grants(arbiter, queues, 9, false, 2), "1x4 2x4 1x3 2x3 -");
    queues = {queue_with(0), queue_with(100), queue_with(7)};
    EXPECT_EQ(grants(arbiter, queues, 9, false, 7), "1x64 2x7 1x36 -");
    queues = {queue_with(0), queue_with(7)};
    EXPECT_EQ(grants(arbiter, queues, 9, false, 2, 3), "1x3 1x3 1x1 -") << "as many as the caller can take";
}

TEST(Arbiter, AGrantEndsAtTheRingsEnd) {
    Arbiter arbiter;
    std::vector<SubmissionQueue> queues{queue_with(0), queue_with(0)};
    queues[1].size = 8;
    queues[1].head = queues[1].consumed = 6;
    queues[1].tail = 3;
    EXPECT_EQ(grants(arbiter, queues, 9, false, 7), "1x2 1x3 -");
}

// Weights 4, 2 and 1 (less one in the feature), bursts of 2.
TEST(Arbiter, WeightsShareTheCommandsOfARound) {
    Arbiter arbiter;
    std::vector<SubmissionQueue> queues{queue_with(0), queue_with(99, Priority::high),
                                        queue_with(99, Priority::medium), queue_with(99, Priority::low),
                                        queue_with(0, Priority::urgent)};
    const Word settings = 3U << 24U | 1U << 16U | 0U << 8U | 1U;
    EXPECT_EQ(grants(arbiter, queues, 8, true, settings), "1x2 1x2 2x2 3x1 1x2 1x2 2x2 3x1 ");
    queues[4].tail = 3;
    EXPECT_EQ(grants(arbiter, queues, 3, true, settings), "4x2 4x1 1x2 ") << "urgent before all of them";
}

TEST(Arbiter, WithoutWeightsPrioritiesDoNotCount) {
    Arbiter arbiter;
    std::vector<SubmissionQueue> queues{queue_with(0), queue_with(9, Priority::low),
                                        queue_with(9, Priority::urgent)};
    EXPECT_EQ(grants(arbiter, queues, 4, false, 0), "1x1 2x1 1x1 2x1 ");
}

TEST(Arbiter, AClassAloneGetsEverything) {
    Arbiter arbiter;
    std::vector<SubmissionQueue> queues{queue_with(0), queue_with(3, Priority::low),
                                        queue_with(2, Priority::low)};
    EXPECT_EQ(grants(arbiter, queues, 9, true, 0), "1x1 2x1 1x1 2x1 1x1 -");
}

}  // namespace
}  // namespace solidtlm::hw::nvme
