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
    explicit AllocatorTest(const FirmwareConfig& drive = two_units()) : config(drive) {}

    using Reservation = Allocator::Reservation;

    /// Programs a superpage. False: there is no room.
    bool program(hal::FlashStatus status = hal::FlashStatus::ok) {
        std::optional<Reservation> reservation = allocator.reserve_any();
        if (!reservation) {
            return false;
        }
        EXPECT_TRUE(reservation->place());
        reservation->settle(status);
        return true;
    }

    FirmwareConfig config;
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
    reservation->settle(hal::FlashStatus::ok);
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

// The open superblock of collection has room for what is owed, or a second superblock stays free.
TEST_F(AllocatorTest, LeavesWhatCollectionIsOwed) {
    allocator.owe(Pu{0});
    int programs = 0;
    while (program()) {
        ++programs;
    }
    EXPECT_EQ(programs, (6 + 7) * 4);
    EXPECT_EQ(table.free_count(Pu{0}), 2U);
    EXPECT_EQ(table.free_count(Pu{1}), 1U);
    const auto at = allocator.allocate_gc(Pu{0});
    ASSERT_TRUE(at);
    allocator.gc_program_done(*at, hal::FlashStatus::ok);
    EXPECT_FALSE(program()) << "one superblock is free";
    allocator.repay(Pu{0});
    EXPECT_FALSE(program());
}

TEST_F(AllocatorTest, LeavesNothingMoreWhenCollectionHasBeenRepaid) {
    allocator.owe(Pu{0});
    while (program()) {
    }
    allocator.repay(Pu{0});
    int programs = 0;
    while (program()) {
        ++programs;
    }
    EXPECT_EQ(programs, 4);
}

TEST_F(AllocatorTest, LeavesNothingMoreIfCollectionHasRoomForWhatItIsOwed) {
    const auto at = allocator.allocate_gc(Pu{0});
    ASSERT_TRUE(at);
    allocator.gc_program_done(*at, hal::FlashStatus::ok);
    for (int owed = 0; owed < 3; ++owed) {
        allocator.owe(Pu{0});
    }
    int programs = 0;
    while (program()) {
        ++programs;
    }
    EXPECT_EQ(programs, (6 + 7) * 4)
        << "three superpages are left in the superblock that collection has opened";
    EXPECT_EQ(table.free_count(Pu{0}), 1U);
}

// The program that was under way at some instant is the last one to end; others begin and end meanwhile.
TEST_F(AllocatorTest, ProgramsAreOverWhenThoseOfTheirGenerationHaveEnded) {
    auto slow = allocator.reserve(Pu{0});
    ASSERT_TRUE(slow && slow->place());
    const std::uint64_t then = allocator.host_generation();
    EXPECT_FALSE(allocator.host_programs_over(then));
    for (int i = 0; i < 5; ++i) {
        auto other = allocator.reserve(Pu{1});
        ASSERT_TRUE(program());
        EXPECT_FALSE(allocator.host_programs_over(then));
    }
    auto next = allocator.reserve(Pu{1});  // something is always under way
    slow->settle(hal::FlashStatus::ok);
    for (int i = 0; i < 2; ++i) {
        auto later = allocator.reserve(Pu{1});
        ASSERT_TRUE(next && later);
        next = std::move(later);
    }
    ASSERT_EQ(allocator.host_in_flight(), 1U);
    EXPECT_TRUE(allocator.host_programs_over(then));
    EXPECT_FALSE(allocator.host_programs_over(allocator.host_generation()));
    next.reset();
    EXPECT_TRUE(allocator.host_programs_over(allocator.host_generation())) << "nothing is under way";
}

TEST_F(AllocatorTest, ClosesASuperblockInWhichAProgramFailed) {
    auto first = allocator.reserve(Pu{0});
    auto second = allocator.reserve(Pu{0});
    const Superblock failed = first->place()->superblock;
    first->settle(hal::FlashStatus::program_failed);
    const auto at = second->place();
    ASSERT_TRUE(at);
    EXPECT_NE(at->superblock, failed);
    EXPECT_EQ(at->page, 0U);
    second->settle(hal::FlashStatus::ok);
}

TEST_F(AllocatorTest, ClosesASuperblockInWhichAProgramWasRefusedWithoutFailingIt) {
    auto first = allocator.reserve(Pu{0});
    const Superblock refused = first->place()->superblock;
    first->settle(hal::FlashStatus::refused);
    EXPECT_EQ(table.info(Pu{0}, refused).state, BlockState::closed);
    EXPECT_FALSE(table.info(Pu{0}, refused).failed);
    auto second = allocator.reserve(Pu{0});
    EXPECT_NE(second->place()->superblock, refused);
    second->settle(hal::FlashStatus::ok);
}

/// Collection has the last free superblock when the one that was promised fails.
TEST_F(AllocatorTest, HasNoPlaceForWhatAFailureTook) {
    for (int i = 0; i < 7 * 4 - 2; ++i) {
        auto reservation = allocator.reserve(Pu{0});
        ASSERT_TRUE(reservation->place());
        reservation->settle(hal::FlashStatus::ok);
    }
    auto failing = allocator.reserve(Pu{0});
    auto last = allocator.reserve(Pu{0});
    ASSERT_TRUE(failing && last);
    ASSERT_TRUE(allocator.allocate_gc(Pu{0}));
    ASSERT_TRUE(failing->place());
    failing->settle(hal::FlashStatus::program_failed);
    EXPECT_FALSE(last->place());
    EXPECT_EQ(allocator.host_in_flight(), 0U) << "the reservation is over";
    last.reset();
    EXPECT_EQ(allocator.host_in_flight(), 0U);
}

/// What the cache holds in one superblock of each unit.
constexpr std::uint64_t kRow = std::uint64_t{2} * 4 * 4096;
/// The same superblocks, of 4 word lines of 2 pages, and an SLC cache in which a superpage is one page.
FirmwareConfig with_cache(SlcCacheMode mode) {
    FirmwareConfig config = two_units();
    config.flash.pages = 8;
    config.flash.slc_pages = 4;
    config.flash.pages_per_program = 2;
    config.allocation.programs_per_die = 32;
    config.slc_cache.mode = mode;
    config.slc_cache.share = 1.0;
    config.slc_cache.size_bytes = mode == SlcCacheMode::fixed ? kRow : 8 * kRow;
    return config;
}

struct AllocatorOfModes : public AllocatorTest {
    explicit AllocatorOfModes(SlcCacheMode mode = SlcCacheMode::fixed) : AllocatorTest(with_cache(mode)) {}
    /// Reserves superpages of the first unit that hold so much.
    std::vector<Reservation> reserve(std::uint32_t superpages, std::uint32_t units) {
        std::vector<Reservation> reserved;
        for (std::uint32_t i = 0; i < superpages; ++i) {
            auto reservation = allocator.reserve(Pu{0});
            EXPECT_TRUE(reservation);
            EXPECT_EQ(reservation->units(), units) << i;
            reserved.push_back(std::move(*reservation));
        }
        return reserved;
    }
    [[nodiscard]] bool is_slc(const std::optional<SuperpageAddress>& at) const {
        return table.info(at->pu, at->superblock).slc;
    }
};

// The cache of a unit is one superblock of 4 superpages. Reservations in it stay there, in whichever order
// they are used; the next ones are for whole word lines.
TEST_F(AllocatorOfModes, AReservationIsForTheModeThatItWasMadeFor) {
    std::vector<Reservation> cached = reserve(4, 1);
    EXPECT_FALSE(allocator.small_room(Pu{0}));
    EXPECT_TRUE(allocator.small_room()) << "of the other unit";
    EXPECT_FALSE(allocator.reserve(Pu{0}, Allocator::Data::small));
    EXPECT_EQ(allocator.reserve_any(Allocator::Data::small)->pu(), Pu{1});
    std::vector<Reservation> whole = reserve(1, 2);
    EXPECT_FALSE(is_slc(whole[0].place()));
    for (Reservation& each : cached) {
        EXPECT_TRUE(is_slc(each.place()));
        each.settle(hal::FlashStatus::ok);
    }
    whole[0].settle(hal::FlashStatus::ok);
    EXPECT_EQ(allocator.allocated(), 4U + 2U) << "rows";
}

// A reservation that is given back leaves its place in the cache to the next one.
TEST_F(AllocatorOfModes, AReservationInTheCacheMayBeGivenBack) {
    std::vector<Reservation> cached = reserve(4, 1);
    cached.pop_back();
    EXPECT_TRUE(allocator.small_room(Pu{0}));
    cached = reserve(1, 1);
}

// The failed program closes the only superblock of the cache. What was reserved there finds no place, and
// does not take a word line, because it was gathered for less.
TEST_F(AllocatorOfModes, AReservationInTheCacheIsOverIfAFailureTakesItsSpace) {
    std::vector<Reservation> cached = reserve(2, 1);
    ASSERT_TRUE(cached[0].place());
    cached[0].settle(hal::FlashStatus::program_failed);
    EXPECT_FALSE(cached[1].place());
    EXPECT_EQ(allocator.host_in_flight(), 0U);
    reserve(1, 2);
}

struct AllocatorOfADynamicCache : public AllocatorOfModes {
    AllocatorOfADynamicCache() : AllocatorOfModes(SlcCacheMode::dynamic) {}
};

// All of 8 free superblocks but the one that is kept may be lent. Two are promised, and collection gets the
// others.
TEST_F(AllocatorOfADynamicCache, CollectionLeavesWhatIsPromised) {
    std::vector<Reservation> cached = reserve(5, 1);
    EXPECT_EQ(allocator.gc_room(Pu{0}), 6U * 4);
    for (int i = 0; i < 5 * 4; ++i) {
        ASSERT_TRUE(allocator.allocate_gc(Pu{0}));
    }
    EXPECT_EQ(allocator.gc_room(Pu{0}), 1U * 4);
    EXPECT_TRUE(allocator.small_room(Pu{0})) << "3 of the second superblock";
    for (Reservation& each : cached) {
        EXPECT_TRUE(is_slc(each.place()));
        each.settle(hal::FlashStatus::ok);
    }
}

// Of the 7 superblocks that the host may open 3 are promised to the cache and 4 to whole word lines.
TEST_F(AllocatorOfADynamicCache, NoSuperblockIsPromisedTwice) {
    config.slc_cache.share = 0.5;
    std::vector<Reservation> cached = reserve(12, 1);
    std::vector<Reservation> whole = reserve(4 * 4, 2);
    EXPECT_FALSE(allocator.reserve(Pu{0}));
    EXPECT_EQ(allocator.gc_room(Pu{0}), 4U) << "the superblock that is kept";
    for (Reservation& each : cached) {
        EXPECT_TRUE(is_slc(each.place()));
        each.settle(hal::FlashStatus::ok);
    }
    for (Reservation& each : whole) {
        EXPECT_FALSE(is_slc(each.place()));
        each.settle(hal::FlashStatus::ok);
    }
    EXPECT_EQ(table.free_count(Pu{0}), 1U);
}

/// A dynamic cache before single pages, which long writes go past: in both modes a superpage has one unit.
struct AllocatorByLength : public AllocatorTest {
    explicit AllocatorByLength(SlcCacheFull full = SlcCacheFull::bypass,
                               SlcCacheMode mode = SlcCacheMode::dynamic)
        : AllocatorTest(drive(full, mode)) {}
    static FirmwareConfig drive(SlcCacheFull full, SlcCacheMode mode) {
        FirmwareConfig config = two_units();
        config.flash.pages = 8;
        config.flash.slc_pages = 4;
        config.allocation.programs_per_die = 64;
        config.slc_cache.mode = mode;
        config.slc_cache.share = 1.0;
        config.slc_cache.size_bytes = mode == SlcCacheMode::fixed ? kRow : 8 * kRow;
        config.slc_cache.full = full;
        config.slc_cache.largest_write_bytes = 4096;
        return config;
    }
    /// Reserves all that the first unit has for such data, and programs it; returns in which modes.
    std::vector<bool> fill(Allocator::Data data) {
        std::vector<bool> slc;
        while (auto reservation = allocator.reserve(Pu{0}, data)) {
            const auto at = reservation->place();
            EXPECT_TRUE(at);
            slc.push_back(table.info(at->pu, at->superblock).slc);
            reservation->settle(hal::FlashStatus::ok);
        }
        return slc;
    }
};

// Though the cache may take all of the 7 superblocks, long writes may, too.
TEST_F(AllocatorByLength, LongWritesTakeWhatTheCacheDoesNotHave) {
    auto cached = allocator.reserve(Pu{0});
    ASSERT_TRUE(cached);
    EXPECT_EQ(fill(Allocator::Data::past), std::vector<bool>(6 * 8, false));
    EXPECT_TRUE(allocator.out_of_space(Pu{0}, Allocator::Data::past));
    EXPECT_FALSE(allocator.out_of_space(Allocator::Data::past)) << "the other unit";
    const auto at = cached->place();
    ASSERT_TRUE(at) << "the superblock was promised";
    EXPECT_TRUE(table.info(at->pu, at->superblock).slc);
    cached->settle(hal::FlashStatus::ok);
    EXPECT_FALSE(allocator.out_of_space(Pu{0}));
    EXPECT_EQ(fill(Allocator::Data::usual), std::vector<bool>(3, true));
    EXPECT_EQ(table.free_count(Pu{0}), 1U);
}

TEST_F(AllocatorByLength, BothKindsKeepWhatTheyWerePromised) {
    std::vector<Reservation> cached;
    std::vector<Reservation> past;
    while (true) {
        auto one = allocator.reserve(Pu{0});
        auto other = allocator.reserve(Pu{0}, Allocator::Data::past);
        if (!one || !other) {
            break;
        }
        cached.push_back(std::move(*one));
        past.push_back(std::move(*other));
    }
    EXPECT_GE(cached.size(), 16U) << "4 superblocks, and 2 for as many long ones";
    for (std::size_t i = 0; i < cached.size(); ++i) {
        const auto normal = past[i].place();
        const auto slc = cached[i].place();
        ASSERT_TRUE(normal && slc);
        EXPECT_FALSE(table.info(normal->pu, normal->superblock).slc);
        EXPECT_TRUE(table.info(slc->pu, slc->superblock).slc);
        past[i].settle(hal::FlashStatus::ok);
        cached[i].settle(hal::FlashStatus::ok);
    }
    EXPECT_GE(table.free_count(Pu{0}), 1U);
}

struct AllocatorByLengthThatWaits : public AllocatorByLength {
    AllocatorByLengthThatWaits() : AllocatorByLength(SlcCacheFull::fold, SlcCacheMode::fixed) {}
};

TEST_F(AllocatorByLengthThatWaits, LongWritesDoNotWaitForFolding) {
    EXPECT_EQ(fill(Allocator::Data::usual), std::vector<bool>(4, true));
    EXPECT_TRUE(allocator.out_of_space(Pu{0}));
    EXPECT_FALSE(allocator.out_of_space(Pu{0}, Allocator::Data::past));
    auto past = allocator.reserve_any(Allocator::Data::past);
    ASSERT_TRUE(past);
    EXPECT_EQ(past->pu(), Pu{0}) << "the stripe begins there";
}

// Nothing can be folded: others go past the cache, too, until a superblock becomes free.
TEST_F(AllocatorByLengthThatWaits, BothModesAreOpenWhereNothingFreesSpace) {
    fill(Allocator::Data::usual);
    EXPECT_TRUE(allocator.open_both_modes());
    EXPECT_FALSE(allocator.open_both_modes()) << "that was all";
    auto normal = allocator.reserve(Pu{0});
    ASSERT_TRUE(normal);
    EXPECT_FALSE(table.info(Pu{0}, normal->place()->superblock).slc);
    normal->settle(hal::FlashStatus::ok);
    allocator.space_freed(Pu{0});
    EXPECT_FALSE(allocator.reserve(Pu{0}));
}

TEST_F(AllocatorByLength, LongWritesGoToTheCacheWhereNothingElseIsLeft) {
    auto cached = allocator.reserve(Pu{0});
    ASSERT_TRUE(cached->place());
    cached->settle(hal::FlashStatus::ok);
    fill(Allocator::Data::past);
    EXPECT_TRUE(allocator.open_both_modes());
    EXPECT_EQ(fill(Allocator::Data::past), std::vector<bool>(3, true));
    EXPECT_TRUE(allocator.out_of_space(Pu{0}));
}

}  // namespace
}  // namespace solidtlm::fw
