// SPDX-License-Identifier: Apache-2.0
#include "fw/translation/buffer_fill.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <set>
#include <utility>

#include "fw/needs.h"
#include "fw/testing/fake_core.h"
#include "fw/testing/one_list.h"

namespace solidtlm::fw::testing {
namespace {

/// Answers at once. A read of a `weak` page fails unless it is the only read, as a page of flash fails as a
/// whole although some of its sectors could be read alone. Reads of `dead` pages always fail.
class ScriptedReader : public LogicalReader {
  public:
    Task<void> begin_read(std::span<const LogicalRead> reads, Join& /*join*/, Ledger* /*ledger*/,
                          bool /*may_mark_parent*/, Charge& /*charge*/) override {
        ++calls;
        unreadable_.clear();
        for (const LogicalRead& read : reads) {
            asked.push_back(read);
            if (dead.contains(read.lpn) || (reads.size() > 1 && weak.contains(read.lpn))) {
                unreadable_.push_back(read);
            }
        }
        return Task<void>::ended();
    }
    [[nodiscard]] std::size_t operations() const override { return 0; }
    [[nodiscard]] std::uint32_t unmapped() const override { return 0; }
    [[nodiscard]] std::span<const LogicalRead> unreadable() override { return unreadable_; }

    std::set<Lpn> weak;
    std::set<Lpn> dead;
    std::vector<LogicalRead> asked;
    std::uint32_t calls = 0;

  private:
    std::vector<LogicalRead> unreadable_;
};

struct BufferFills : public ::testing::Test {
    void put(Lpn lpn, SectorMask sectors) {
        [&]() -> void { ASSERT_GT(buffer.credits().slots().available(), 0U); }();
        auto credit = buffer.credits().slots().acquire(1);
        EXPECT_TRUE(credit.await_ready());
        buffer.commit(buffer.receive(), lpn, sectors, nullptr);
    }
    /// Takes all dirty slots and completes them. Returns how many were written in part.
    std::uint32_t complete() {
        buffer.take(0, buffer.dirty().count(0), slots);
        const std::uint32_t partly = fill.prepare(slots);
        executor.spawn(run());
        core.wake();
        while (clock.run_one()) {
        }
        return partly;
    }

    Task<void> run() {
        Task<void> filled = fill.run(slots, reader, nullptr);
        co_await std::move(filled);
    }

    FirmwareConfig config = tiny_config();
    MediaLayout layout = media_layout(config);
    FakeClock clock;
    FakeDram dram{config.write_buffer.size_bytes, config.content};
    Executor executor{clock};
    FakeCore core{clock, executor};
    Services services{config, executor, nullptr, &dram, layout};
    OneList order;
    WriteBuffer buffer{services, DramAddress{0}, order};
    BufferFill fill{services, buffer};
    ScriptedReader reader;
    std::vector<Slot> slots;
};

// A mask of sectors 1, 2 and 5 of eight lacks three runs: 0, 3-4 and 6-7.
TEST_F(BufferFills, ReadsTheRunsThatAreMissing) {
    ASSERT_EQ(layout.sectors_per_unit(), 8U);
    put(Lpn{3}, 0xFF);
    put(Lpn{7}, 0b0010'0110);
    EXPECT_EQ(complete(), 1U);
    EXPECT_EQ(reader.calls, 1U);
    ASSERT_EQ(reader.asked.size(), 3U);
    const std::uint64_t base = buffer.address(slots[1]).value;
    const auto is = [&](std::size_t index, std::uint32_t first, std::uint32_t count) {
        const LogicalRead& read = reader.asked[index];
        EXPECT_EQ(read.lpn, Lpn{7});
        EXPECT_EQ(read.first_sector, first);
        EXPECT_EQ(read.sectors, count);
        EXPECT_EQ(read.dram.value, base + std::uint64_t{first} * hal::kSectorBytes);
    };
    is(0, 0, 1);
    is(1, 3, 2);
    is(2, 6, 2);
    EXPECT_TRUE(buffer.complete(slots[0]));
    EXPECT_TRUE(buffer.complete(slots[1]));
}

TEST_F(BufferFills, DoesNothingForWholePages) {
    put(Lpn{3}, 0xFF);
    EXPECT_EQ(complete(), 0U);
    EXPECT_EQ(reader.calls, 0U);
}

TEST_F(BufferFills, RepeatsFailedReadsOneByOne) {
    reader.weak = {Lpn{1}, Lpn{2}};
    put(Lpn{1}, 0x0F);
    put(Lpn{2}, 0xF0);
    put(Lpn{3}, 0x0F);
    EXPECT_EQ(complete(), 3U);
    EXPECT_EQ(reader.calls, 3U) << "together, then each that failed";
    EXPECT_TRUE(std::ranges::all_of(slots, [&](Slot slot) { return buffer.complete(slot); }));
}

TEST_F(BufferFills, LeavesUnreadableSlotsIncomplete) {
    reader.dead = {Lpn{2}};
    put(Lpn{1}, 0x0F);
    put(Lpn{2}, 0b0001'1000);  // two runs are missing
    EXPECT_EQ(complete(), 2U);
    EXPECT_EQ(reader.calls, 3U);
    EXPECT_TRUE(buffer.complete(slots[0]));
    EXPECT_FALSE(buffer.complete(slots[1]));
}

}  // namespace
}  // namespace solidtlm::fw::testing
