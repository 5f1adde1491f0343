// SPDX-License-Identifier: Apache-2.0
//
// Reservations of superpages: two parallel units of 8 superblocks with 4 superpages, two programs of each at
// a time. The host leaves one superblock of each alone.
#include "fw/flash/allocator.h"

#include <gtest/gtest.h>

#include <optional>
#include <utility>
#include <vector>

#include "fw/firmware.h"
#include "fw/needs.h"
#include "fw/testing/fake_hardware.h"

namespace solidtlm::fw {
namespace {

FirmwareConfig two_units() {
    FirmwareConfig config;
    config.flash = FlashLayout{2, 1, 1, 1, 8, 4, 4096};
    config.allocation.order = "CPWD";
    config.exported_sectors = 8;
    return config;
}

struct AllocatorTest : public ::testing::Test {
    using Reservation = Allocator::Reservation;

    /// Programs a superpage. False: there is no room.
    bool program(bool ok = true) {
        std::optional<Reservation> reservation = allocator.reserve_any();
        if (!reservation) {
            return false;
        }
        EXPECT_TRUE(reservation->place());
        reservation->settle(ok);
        return true;
    }

    FirmwareConfig config = two_units();
    testing::FakeClock clock;
    testing::FakeDram dram{Firmware::dram_bytes(config), config.content};
    testing::FakeFlash flash{config, clock, dram, 1};
    Executor executor{clock};
    MediaLayout layout = media_layout(config, flash);
    Services services{config, executor, &flash, &dram, layout, nullptr, nullptr, nullptr, nullptr, nullptr};
    SuperblockTable table{layout, true};
    Signal progress{executor, "progress"};
    Allocator allocator{services, table, progress};
};

TEST_F(AllocatorTest, ReservesEachUnitInTurnUpToTheProgramsOfADie) {
    std::vector<Reservation> held;
    for (const std::uint32_t pu : {0U, 1U, 0U, 1U}) {
        auto reservation = allocator.reserve_any();
        ASSERT_TRUE(reservation);
        EXPECT_EQ(reservation->pu(), Pu{pu});
        held.push_back(std::move(*reservation));
    }
    EXPECT_FALSE(allocator.reserve_any());
    EXPECT_FALSE(allocator.reserve(Pu{0}));
    EXPECT_EQ(allocator.host_in_flight(), 4U);
    held.clear();
    EXPECT_EQ(allocator.host_in_flight(), 0U);
}

TEST_F(AllocatorTest, GivesBackWhatIsDestroyedUnused) {
    {
        const auto reservation = allocator.reserve_any();
        ASSERT_TRUE(reservation);
        EXPECT_EQ(reservation->pu(), Pu{0});
    }
    EXPECT_EQ(allocator.host_in_flight(), 0U);
    const auto next = allocator.reserve_any();
    ASSERT_TRUE(next);
    EXPECT_EQ(next->pu(), Pu{0}) << "the stripe goes on where it stood";
    EXPECT_EQ(allocator.allocated(), 0U);
}

TEST_F(AllocatorTest, GivesBackOnceWhateverIsMoved) {
    auto first = allocator.reserve(Pu{0});
    auto second = allocator.reserve(Pu{1});
    ASSERT_TRUE(first && second);
    *first = std::move(*second);
    second.reset();  // has what `first` had
    EXPECT_EQ(allocator.host_in_flight(), 1U);
    EXPECT_EQ(first->pu(), Pu{1});
    first.reset();
    EXPECT_EQ(allocator.host_in_flight(), 0U);
}

TEST_F(AllocatorTest, CountsAProgramUntilItIsSettled) {
    auto reservation = allocator.reserve(Pu{0});
    const auto at = reservation->place();
    ASSERT_TRUE(at);
    EXPECT_EQ(*at, (SuperpageAddress{Pu{0}, at->superblock, 0}));
    EXPECT_EQ(allocator.host_in_flight(), 1U);
    EXPECT_EQ(allocator.host_programs_ended(), 0U);
    reservation->settle(true);
    EXPECT_EQ(allocator.host_in_flight(), 0U);
    EXPECT_EQ(allocator.host_programs_ended(), 1U);
    reservation.reset();
    EXPECT_EQ(allocator.host_in_flight(), 0U) << "what is over is not given back";
}

TEST_F(AllocatorTest, LeavesTheReserveAlone) {
    int programs = 0;
    while (program()) {
        ++programs;
    }
    EXPECT_EQ(programs, 2 * 7 * 4);
    EXPECT_TRUE(allocator.out_of_space());
    EXPECT_EQ(table.free_count(Pu{0}), 1U);
    EXPECT_EQ(allocator.gc_room(Pu{0}), 4U);
}

TEST_F(AllocatorTest, ClosesASuperblockInWhichAProgramFailed) {
    auto first = allocator.reserve(Pu{0});
    auto second = allocator.reserve(Pu{0});
    const Superblock failed = first->place()->superblock;
    first->settle(false);
    const auto at = second->place();
    ASSERT_TRUE(at);
    EXPECT_NE(at->superblock, failed);
    EXPECT_EQ(at->page, 0U);
    second->settle(true);
}

/// Collection has the last free superblock when the one that was promised fails.
TEST_F(AllocatorTest, HasNoPlaceForWhatAFailureTook) {
    for (int i = 0; i < 7 * 4 - 2; ++i) {
        auto reservation = allocator.reserve(Pu{0});
        ASSERT_TRUE(reservation->place());
        reservation->settle(true);
    }
    auto failing = allocator.reserve(Pu{0});
    auto last = allocator.reserve(Pu{0});
    ASSERT_TRUE(failing && last);
    ASSERT_TRUE(allocator.allocate_gc(Pu{0}));
    ASSERT_TRUE(failing->place());
    failing->settle(false);
    EXPECT_FALSE(last->place());
    EXPECT_EQ(allocator.host_in_flight(), 0U) << "the reservation is over";
    last.reset();
    EXPECT_EQ(allocator.host_in_flight(), 0U);
}

}  // namespace
}  // namespace solidtlm::fw
