// SPDX-License-Identifier: Apache-2.0
//
// The order of requests, worked out by hand from block/mq-deadline.c.
#include "testbench/studies/gallery/elevator.h"

#include <gtest/gtest.h>

namespace solidtlm::testbench::gallery {
namespace {

using namespace std::chrono_literals;

struct Waits : ::testing::Test {
    void add(Operation operation, std::uint64_t lba, Ps arrival = Ps{0}) {
        Request request;
        request.operation = operation;
        request.lba = Lba{lba};
        request.sectors = 8;
        elevator.add(request, arrival);
    }
    void reads(std::initializer_list<std::uint64_t> lbas) {
        for (const std::uint64_t lba : lbas) {
            add(Operation::read, lba);
        }
    }
    /// Sectors of the next `count` requests.
    std::vector<std::uint64_t> take(std::size_t count, Ps now = Ps{0}) {
        std::vector<std::uint64_t> lbas;
        for (std::size_t i = 0; i < count; ++i) {
            Request request;
            last_arrival = elevator.take(request, now);
            lbas.push_back(request.lba.value);
        }
        return lbas;
    }
    using Lbas = std::vector<std::uint64_t>;

    Elevator elevator;
    Ps last_arrival{0};
};

TEST_F(Waits, GoesUpFromTheOldestAndThenBeginsWithTheOldestAgain) {
    reads({50, 20, 90, 60, 10, 30});
    EXPECT_EQ(take(3), (Lbas{50, 60, 90}));
    EXPECT_EQ(take(3), (Lbas{20, 30, 10})) << "20 is the oldest, and 10 is below it";
    EXPECT_TRUE(elevator.empty());
}

TEST_F(Waits, RequestsAboveTheNextOneJoinThePass) {
    reads({50, 70});
    EXPECT_EQ(take(1), (Lbas{50}));
    reads({60, 80});
    EXPECT_EQ(take(3), (Lbas{70, 80, 60})) << "70 was chosen before 60 came";
}

TEST_F(Waits, AtTheTopNothingNewIsHigher) {
    reads({50});
    EXPECT_EQ(take(1), (Lbas{50}));
    reads({10, 60});
    EXPECT_EQ(take(2), (Lbas{10, 60})) << "no request was above 50 then, so the oldest is next";
}

TEST_F(Waits, RequestsForOneSectorKeepTheirOrder) {
    add(Operation::read, 50, 1us);
    add(Operation::read, 50, 2us);
    EXPECT_EQ(take(1), (Lbas{50}));
    EXPECT_EQ(last_arrival, Ps(1us));
    EXPECT_EQ(take(1), (Lbas{50}));
    EXPECT_EQ(last_arrival, Ps(2us));
}

// Two batches of reads, one of writes, and so on. A batch that reaches the highest sector ends early.
TEST_F(Waits, WritesWaitForTwoBatchesOfReads) {
    for (std::uint64_t i = 0; i < 3 * std::uint64_t{Elevator::kBatch}; ++i) {
        add(Operation::read, 8 * i);
    }
    add(Operation::write, 1);
    add(Operation::write, 9);
    const Lbas first = take(2 * std::size_t{Elevator::kBatch});
    EXPECT_EQ(first.back(), 8 * (2 * Elevator::kBatch - 1));
    EXPECT_EQ(take(2), (Lbas{1, 9}));
    EXPECT_EQ(take(1), (Lbas{8 * 2 * Elevator::kBatch})) << "reads continue with the oldest";
}

TEST_F(Waits, AfterABatchAnExpiredRequestIsNext) {
    for (const bool late : {false, true}) {
        elevator = Elevator();
        add(Operation::read, 500, 0us);
        add(Operation::read, 100, 0us);  // a lower sector, and older than all that follow
        for (std::uint64_t i = 1; i <= 20; ++i) {
            add(Operation::read, 500 + i, 1us);
        }
        EXPECT_EQ(take(16).back(), 515U);
        const Ps now = Elevator::kReadExpires - Ps(late ? 0us : 1us);
        EXPECT_EQ(take(1, now), (late ? Lbas{100} : Lbas{516}));
    }
}

}  // namespace
}  // namespace solidtlm::testbench::gallery
