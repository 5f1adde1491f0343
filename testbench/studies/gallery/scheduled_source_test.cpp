// SPDX-License-Identifier: Apache-2.0
#include "testbench/studies/gallery/scheduled_source.h"

#include <gtest/gtest.h>

namespace solidtlm::testbench::gallery {
namespace {

using namespace std::chrono_literals;

/// A source of reads of these sectors.
struct Listed : RequestSource {
    explicit Listed(std::vector<std::uint64_t> sectors) : lbas(std::move(sectors)) {}
    bool next(Request& request) override {
        if (given == lbas.size()) {
            return false;
        }
        request.clear();
        request.lba = Lba{lbas[given++]};
        request.sectors = 8;
        return true;
    }
    std::vector<std::uint64_t> lbas;
    std::size_t given = 0;
};

// Four requests outstanding; the drive holds two of them. Worked by hand.
TEST(Scheduled, ARequestArrivesWhenAnotherOneEnds) {
    ScheduledSource source(std::make_unique<Listed>(std::vector<std::uint64_t>{50, 20, 90, 60, 70, 10}), 4,
                           2);
    Request request;
    const auto expect_next = [&](std::uint64_t lba, Ps arrival) {
        EXPECT_TRUE(source.next(request)) << lba;
        EXPECT_EQ(request.lba, Lba{lba});
        EXPECT_EQ(request.arrival, arrival) << lba;
    };
    expect_next(50, 0us);
    expect_next(60, 0us);
    EXPECT_FALSE(source.next(request)) << "the drive has two";
    EXPECT_FALSE(source.ended());
    source.completed(0, true, 3us);  // 70 arrives
    source.advance(3us);
    expect_next(90, 0us);            // 70 came after 90 was chosen
    source.completed(0, true, 5us);  // 10 arrives
    source.advance(5us);
    expect_next(20, 0us);
    source.completed(0, true, 6us);
    source.advance(6us);
    expect_next(70, 3us);
    EXPECT_FALSE(source.ended());
    source.completed(0, true, 7us);
    source.advance(7us);
    expect_next(10, 5us);
    EXPECT_TRUE(source.ended());
    EXPECT_FALSE(source.next(request));
}

// Six requests outstanding and one slot: the elevator holds two, including the one at the drive; the others
// keep their order.
TEST(Scheduled, TheElevatorSeesTwiceTheSlots) {
    ScheduledSource source(std::make_unique<Listed>(std::vector<std::uint64_t>{6, 5, 4, 3, 2, 1}), 6, 1);
    std::vector<std::uint64_t> order;
    Request request;
    while (source.next(request)) {
        order.push_back(request.lba.value);
        source.completed(0, true, 1us);
    }
    EXPECT_EQ(order, (std::vector<std::uint64_t>{6, 5, 4, 3, 2, 1}));
}

}  // namespace
}  // namespace solidtlm::testbench::gallery
