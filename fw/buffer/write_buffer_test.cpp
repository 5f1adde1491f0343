// SPDX-License-Identifier: Apache-2.0
//
// Versions of a page in the write buffer: one that is being programmed, and newer ones that wait for it.
#include "fw/buffer/write_buffer.h"

#include <gtest/gtest.h>

#include <memory>
#include <random>
#include <utility>

#include "fw/needs.h"
#include "fw/testing/one_list.h"

namespace solidtlm::fw::testing {
namespace {

struct Versions : public ::testing::Test {
    explicit Versions(std::unique_ptr<DestageOrder> by = std::make_unique<OneList>())
        : order(std::move(by)) {}
    /// Writes `sectors` of a page, each with `value`.
    Slot put(Lpn lpn, SectorMask sectors, std::uint64_t value, DurableWaiter* durable = nullptr,
             bool past_cache = false) {
        [&]() -> void { ASSERT_GT(buffer.credits().slots().available(), 0U); }();
        auto credit = buffer.credits().slots().acquire(1);
        EXPECT_TRUE(credit.await_ready());
        const Slot slot = buffer.receive();
        buffer.set_command(slot, 0, past_cache);
        for (std::uint32_t i = 0; i < 8; ++i) {
            if ((sectors >> i & 1U) != 0) {
                *sector(slot, i) = value;
            }
        }
        buffer.commit(slot, lpn, sectors, durable);
        return slot;
    }
    /// Takes the dirty slots of a list, oldest first.
    std::vector<Slot> take(std::uint32_t list = 0) {
        std::vector<Slot> taken;
        buffer.take(list, buffer.dirty().count(list), taken);
        return taken;
    }
    std::uint64_t* sector(Slot slot, std::uint32_t number) {
        return reinterpret_cast<std::uint64_t*>(
            dram.content(DramAddress{buffer.address(slot).value + number * hal::kSectorBytes}));
    }

    FirmwareConfig config = tiny_config();
    MediaLayout layout = media_layout(config);
    FakeClock clock;
    FakeDram dram{config.write_buffer.size_bytes, config.content};
    Executor executor{clock};
    Services services{config, executor, nullptr, &dram, layout};
    const std::unique_ptr<DestageOrder> order;
    WriteBuffer buffer{services, DramAddress{0}, *order};
};

constexpr SectorMask kAll = 0xFF;
constexpr Lpn kPage{7};

TEST_F(Versions, TheNewestOfManyFollowsTheVersionBeingProgrammed) {
    put(kPage, kAll, 1);
    const Slot first = take().front();
    for (std::uint64_t value = 2; value < 100; ++value) {
        put(kPage, 1, value);
        EXPECT_EQ(buffer.dirty().count(0), 0U) << "held back";
        EXPECT_EQ(buffer.durability().unwritten(), 2U);
    }
    buffer.written(first, nullptr);
    const std::vector<Slot> next = take();
    ASSERT_EQ(next.size(), 1U);
    EXPECT_EQ(*sector(next.front(), 0), 99U);
    EXPECT_EQ(*sector(next.front(), 1), 1U) << "what it does not cover comes from the oldest";
    buffer.written(next.front(), nullptr);
    EXPECT_EQ(buffer.find(kPage), kNoSlot);
    EXPECT_EQ(buffer.durability().unwritten(), 0U);
}

TEST_F(Versions, TrimmingAWaitingVersionDropsTheOneBeingProgrammed) {
    put(kPage, kAll, 1);
    const Slot first = take().front();
    put(kPage, kAll, 2);
    put(kPage, kAll, 3);
    buffer.discard(kPage);
    EXPECT_TRUE(buffer[first].discarded);
    EXPECT_EQ(buffer.durability().unwritten(), 1U);
    buffer.requeue(first);  // its program failed
    EXPECT_EQ(buffer.durability().unwritten(), 0U);
    EXPECT_TRUE(take().empty()) << "it was trimmed";
}

TEST_F(Versions, AfterAFailedProgramTheNewestVersionIsWritten) {
    put(kPage, kAll, 1);
    const Slot first = take().front();
    put(kPage, kAll, 2);
    put(kPage, kAll, 3);
    buffer.requeue(first);
    const std::vector<Slot> next = take();
    ASSERT_EQ(next.size(), 1U);
    EXPECT_EQ(*sector(next.front(), 0), 3U);
}

TEST_F(Versions, AWaiterFailsWithItsProgramOnceNothingCanBeWritten) {
    Join join(executor, "the page on flash");
    join.add();
    DurableWaiter waiter{&join, {}, false};
    put(kPage, kAll, 1, &waiter);
    const Slot slot = take().front();
    buffer.set_stuck(true);
    EXPECT_EQ(join.pending(), 1U) << "its program may still succeed";
    buffer.requeue(slot);
    EXPECT_EQ(join.pending(), 0U);
    EXPECT_TRUE(waiter.failed);
}

// The page was written in part when the newer version came, and has been completed from flash since then.
TEST_F(Versions, APlacedVersionCompletesTheOneThatWaits) {
    const Slot first = put(kPage, 0x0F, 1);
    take();
    const Slot second = put(kPage, 0x01, 2);
    *sector(first, 7) = 1000;  // from flash
    buffer.filled(first);
    EXPECT_FALSE(buffer.complete(second));
    EXPECT_EQ(buffer.pass_on(first), 4U);
    EXPECT_TRUE(buffer.complete(second));
    EXPECT_EQ(*sector(second, 0), 2U);
    EXPECT_EQ(*sector(second, 3), 1U);
    EXPECT_EQ(*sector(second, 7), 1000U);
    EXPECT_EQ(buffer.pass_on(second), 0U) << "no newer version waits";
}

/// Random writes, short and long ones, trims, and programs that end or fail, against a map of the newest
/// versions.
void keep_the_newest_in_any_order(Versions& versions) {
    WriteBuffer& buffer = versions.buffer;
    const std::uint32_t lists = buffer.dirty().lists();
    std::mt19937_64 random(3);
    constexpr std::uint32_t kPages = 6;
    std::array<std::uint64_t, kPages> newest{};  // in the buffer; 0: nothing
    std::vector<Slot> programming;
    for (std::uint64_t step = 1; step < 20'000; ++step) {
        const Lpn lpn{static_cast<std::uint32_t>(random() % kPages)};
        switch (random() % 5) {
            case 0:
            case 1:
                if (buffer.credits().slots().available() > 0) {
                    versions.put(lpn, kAll, step, nullptr, random() % 2 == 0);
                    newest[lpn.value] = step;
                }
                break;
            case 2:
                buffer.discard(lpn);
                newest[lpn.value] = 0;
                break;
            case 3:
                buffer.take(static_cast<std::uint32_t>(random() % lists), 1, programming);
                break;
            default:
                if (!programming.empty()) {
                    const auto at =
                        programming.begin() + static_cast<std::ptrdiff_t>(random() % programming.size());
                    const Slot slot = *at;
                    programming.erase(at);
                    const std::uint32_t page = buffer[slot].lpn.value;
                    if (random() % 4 == 0) {
                        buffer.requeue(slot);
                    } else {
                        const bool last = buffer.find(Lpn{page}) == slot;
                        newest[page] = last ? 0 : newest[page];
                        buffer.written(slot, nullptr);
                    }
                }
        }
        for (std::uint32_t page = 0; page < kPages; ++page) {
            const Slot slot = buffer.find(Lpn{page});
            ASSERT_EQ(slot == kNoSlot ? 0 : *versions.sector(slot, 0), newest[page]) << "step " << step;
        }
        ASSERT_LE(buffer.durability().unwritten(), 2 * kPages + programming.size());
    }
}

TEST_F(Versions, AnyOrderKeepsTheNewest) {
    keep_the_newest_in_any_order(*this);
}

/// One list for data that go to the SLC cache, and one for data that go past it.
struct ByLength : public DestageOrder {
    static constexpr std::uint32_t kShort = 0;
    static constexpr std::uint32_t kLong = 1;
    [[nodiscard]] std::uint32_t lists() const override { return 2; }
    [[nodiscard]] std::uint32_t list_of(Lpn /*lpn*/, bool past_cache) const override {
        return past_cache ? kLong : kShort;
    }
};

struct VersionsByLength : public Versions {
    VersionsByLength() : Versions(std::make_unique<ByLength>()) {}
    Slot put_short(Lpn lpn, SectorMask sectors, std::uint64_t value) { return put(lpn, sectors, value); }
    Slot put_long(Lpn lpn, SectorMask sectors, std::uint64_t value) {
        return put(lpn, sectors, value, nullptr, true);
    }
    void expect_lists(std::uint32_t of_short, std::uint32_t of_long) const {
        EXPECT_EQ(buffer.dirty().count(ByLength::kShort), of_short);
        EXPECT_EQ(buffer.dirty().count(ByLength::kLong), of_long);
    }
};

TEST_F(VersionsByLength, AnyOrderKeepsTheNewest) {
    keep_the_newest_in_any_order(*this);
}

// What a flush waits for goes on waiting for the newer version, which is therefore written before all others.
TEST_F(VersionsByLength, TheNewerVersionDecidesAndIsTheFirstOfItsList) {
    put_short(Lpn{1}, kAll, 1);
    put_long(kPage, kAll, 2);
    const Slot newer = put_short(kPage, 1, 3);
    expect_lists(2, 0);
    EXPECT_EQ(*sector(newer, 0), 3U);
    EXPECT_EQ(*sector(newer, 1), 2U);
    EXPECT_EQ(buffer.durability().unwritten(), 2U);
    const std::vector<Slot> taken = take(ByLength::kShort);
    ASSERT_EQ(taken.size(), 2U);
    EXPECT_EQ(taken.front(), newer);
    put_short(Lpn{9}, kAll, 4);
    const Slot longer = put_long(Lpn{9}, kAll, 5);
    expect_lists(0, 1);
    EXPECT_EQ(take(ByLength::kLong).front(), longer);
}

TEST_F(VersionsByLength, AVersionThatWaitedGoesToItsOwnList) {
    put_short(kPage, kAll, 1);
    const Slot first = take(ByLength::kShort).front();
    put_short(kPage, kAll, 2);
    put_long(kPage, kAll, 3);
    expect_lists(0, 0);
    buffer.written(first, nullptr);
    expect_lists(0, 1);
    const Slot failing = take(ByLength::kLong).front();
    buffer.requeue(failing);
    expect_lists(0, 1);
    buffer.discard(kPage);
    expect_lists(0, 0);
}

/// Two buffers get the same changes, one in runs, the other slot by slot.
TEST(Runs, HaveTheSameEffectAsTheirSlotsOneByOne) {
    struct Side : Versions {
        void TestBody() override {}
        std::vector<Slot> programming;
        std::vector<int> woken;  // the writes that waited for slots, in the order in which they were woken

        Task<void> wait(int name, std::uint32_t slots) {
            co_await buffer.credits().slots().acquire(slots);
            woken.push_back(name);
            buffer.credits().give_back(slots);
        }
    };
    std::array<Side, 2> sides;
    std::mt19937_64 random(5);
    int waits = 0;
    for (int step = 0; step < 20'000; ++step) {
        const auto draw = [&random](std::size_t below) {
            return static_cast<std::uint32_t>(random() % below);
        };
        const std::uint32_t what = draw(8);
        const Lpn lpn{draw(40)};
        const std::uint32_t units = 1 + draw(12);
        for (Side& side : sides) {
            const bool runs = &side == sides.data();
            WriteBuffer& buffer = side.buffer;
            std::vector<Slot> slots;
            Semaphore& credits = buffer.credits().slots();
            if (what < 3 && !credits.has_waiters() && credits.available() >= units) {
                ASSERT_TRUE(credits.acquire(units).await_ready());
                for (std::uint32_t i = 0; i < units; ++i) {
                    slots.push_back(buffer.receive());
                }
                const std::span<const Slot> run = slots;
                for (std::uint32_t i = 0; i < (runs ? 1 : units); ++i) {
                    buffer.commit(runs ? run : run.subspan(i, 1), Lpn{lpn.value + i}, kAll, nullptr);
                }
            } else if (what == 3) {
                buffer.take(0, units, side.programming);
            } else if (what < 6) {
                const std::size_t ended = std::min<std::size_t>(units, side.programming.size());
                slots.assign(side.programming.begin(),
                             side.programming.begin() + static_cast<std::ptrdiff_t>(ended));
                side.programming.erase(side.programming.begin(),
                                       side.programming.begin() + static_cast<std::ptrdiff_t>(ended));
                for (std::size_t i = 0; i < (runs ? 1 : ended); ++i) {
                    buffer.written(runs ? slots : std::span<const Slot>(slots).subspan(i, 1), nullptr);
                }
            } else if (what == 6) {
                buffer.discard(lpn);
            } else {
                side.executor.spawn(side.wait(waits, units));
            }
            side.executor.step();
        }
        ++waits;
        ASSERT_EQ(sides[0].programming, sides[1].programming) << "step " << step;
        ASSERT_EQ(sides[0].woken, sides[1].woken) << "step " << step;
        for (std::uint32_t page = 0; page < 60; ++page) {
            ASSERT_EQ(sides[0].buffer.find(Lpn{page}), sides[1].buffer.find(Lpn{page})) << "step " << step;
        }
        ASSERT_EQ(sides[0].buffer.durability().unwritten(), sides[1].buffer.durability().unwritten());
        ASSERT_EQ(sides[0].buffer.dirty_total(), sides[1].buffer.dirty_total());
    }
    EXPECT_GT(sides[0].woken.size(), 1000U);
}

}  // namespace
}  // namespace solidtlm::fw::testing
