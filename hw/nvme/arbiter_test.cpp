// SPDX-License-Identifier: Apache-2.0
#include "hw/nvme/arbiter.h"

#include <gtest/gtest.h>

#include <initializer_list>
#include <string>

namespace solidtlm::hw::nvme {
namespace {

struct Waiting {
    std::uint32_t id = 0;
    std::uint32_t commands = 0;
    Priority priority = Priority::medium;
};

// The admin queue, and I/O queues with these ids, which need not follow each other.
Queues queues_with(std::initializer_list<Waiting> waiting) {
    Queues queues(64, 1);
    queues.create_cq(0, 0, 4096, 0, false);
    queues.create_sq(0, 0, 4096, 0, Priority::urgent);
    for (const Waiting& one : waiting) {
        queues.create_sq(one.id, 0, 4096, 0, one.priority);
        queues.submission[one.id].tail = one.commands;
    }
    return queues;
}

// The queues of `count` grants, each with the number of its commands.
std::string grants(Arbiter& arbiter, Queues& queues, int count, bool weighted, Word settings,
                   std::uint32_t most = 64) {
    std::string result;
    for (int i = 0; i < count; ++i) {
        const auto grant = arbiter.next(queues, weighted, settings, most);
        if (!grant) {
            return result + "-";
        }
        queues.submission[grant->queue].take(grant->commands);
        result += std::to_string(grant->queue) + "x" + std::to_string(grant->commands) + " ";
    }
    return result;
}

TEST(Arbiter, QueuesTakeTurns) {
    Arbiter arbiter;
    Queues queues = queues_with({{1, 3}, {2, 0}, {3, 2}});
    EXPECT_EQ(grants(arbiter, queues, 9, false, 0), "1x1 3x1 1x1 3x1 1x1 -");
}

// Ids that do not follow each other, up to the last one; a queue that is deleted and made again keeps its
// turn.
TEST(Arbiter, QueuesTakeTurnsAcrossHolesInTheirIds) {
    Arbiter arbiter;
    Queues queues = queues_with({{2, 3}, {5, 2}, {63, 2}, {64, 3}});
    EXPECT_EQ(grants(arbiter, queues, 4, false, 0), "2x1 5x1 63x1 64x1 ");
    queues.delete_sq(5);
    queues.delete_sq(64);
    EXPECT_EQ(grants(arbiter, queues, 3, false, 0), "2x1 63x1 2x1 ");
    queues.create_sq(5, 0, 4096, 0, Priority::medium);
    queues.create_sq(64, 0, 4096, 0, Priority::medium);
    queues.submission[5].tail = queues.submission[64].tail = 1;
    EXPECT_EQ(grants(arbiter, queues, 9, false, 0), "5x1 64x1 -");
    queues.reset();
    EXPECT_EQ(grants(arbiter, queues, 1, false, 0), "-");
}

TEST(Arbiter, TheAdminQueueGoesFirst) {
    Arbiter arbiter;
    Queues queues = queues_with({{0, 2}, {1, 1}, {2, 1, Priority::urgent}});
    EXPECT_EQ(grants(arbiter, queues, 9, true, 0), "0x1 0x1 2x1 1x1 -");
}

TEST(Arbiter, ABurstIsAPowerOfTwoOrWithoutLimit) {
    Arbiter arbiter;
    Queues queues = queues_with({{1, 7}, {2, 7}});
    EXPECT_EQ(grants(arbiter, queues, 9, false, 2), "1x4 2x4 1x3 2x3 -");
    queues = queues_with({{1, 100}, {2, 7}});
    EXPECT_EQ(grants(arbiter, queues, 9, false, 7), "1x64 2x7 1x36 -");
    queues = queues_with({{1, 7}});
    EXPECT_EQ(grants(arbiter, queues, 9, false, 2, 3), "1x3 1x3 1x1 -") << "as many as the caller can take";
}

TEST(Arbiter, AGrantEndsAtTheRingsEnd) {
    Arbiter arbiter;
    Queues queues = queues_with({{1, 0}});
    queues.submission[1].size = 8;
    queues.submission[1].head = queues.submission[1].consumed = 6;
    queues.submission[1].tail = 3;
    EXPECT_EQ(grants(arbiter, queues, 9, false, 7), "1x2 1x3 -");
}

// Weights 4, 2 and 1 (less one in the feature), bursts of 2.
TEST(Arbiter, WeightsShareTheCommandsOfARound) {
    Arbiter arbiter;
    Queues queues = queues_with({{1, 99, Priority::high},
                                 {2, 99, Priority::medium},
                                 {3, 99, Priority::low},
                                 {4, 0, Priority::urgent}});
    const Word settings = 3U << 24U | 1U << 16U | 0U << 8U | 1U;
    EXPECT_EQ(grants(arbiter, queues, 8, true, settings), "1x2 1x2 2x2 3x1 1x2 1x2 2x2 3x1 ");
    queues.submission[4].tail = 3;
    EXPECT_EQ(grants(arbiter, queues, 3, true, settings), "4x2 4x1 1x2 ") << "urgent before all of them";
}

TEST(Arbiter, WithoutWeightsPrioritiesDoNotCount) {
    Arbiter arbiter;
    Queues queues = queues_with({{1, 9, Priority::low}, {2, 9, Priority::urgent}});
    EXPECT_EQ(grants(arbiter, queues, 4, false, 0), "1x1 2x1 1x1 2x1 ");
}

TEST(Arbiter, AClassAloneGetsEverything) {
    Arbiter arbiter;
    Queues queues = queues_with({{1, 3, Priority::low}, {2, 2, Priority::low}});
    EXPECT_EQ(grants(arbiter, queues, 9, true, 0), "1x1 2x1 1x1 2x1 1x1 -");
}

}  // namespace
}  // namespace solidtlm::hw::nvme
