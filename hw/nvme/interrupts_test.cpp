// SPDX-License-Identifier: Apache-2.0
//
// The interrupt pin, MSI-X, coalescing.
#include <gtest/gtest.h>

#include "hw/nvme/test_bench.h"

namespace solidtlm::hw::nvme {
namespace {

class InterruptsTest : public NvmeTest {
  protected:
    using Messages = std::vector<std::pair<std::uint64_t, Word>>;
    void set_vector(std::uint32_t vector, std::uint64_t address, Word data, Word masked = 0) {
        const std::uint32_t entry = kMsixTable + 16 * vector;
        controller.write(entry, static_cast<Word>(address));
        controller.write(entry + 4, static_cast<Word>(address >> 32U));
        controller.write(entry + 8, data);
        controller.write(entry + 12, masked);
    }
    void flush(std::uint32_t queue) {
        put(queue, io_command(IoOpcode::flush));
        ring(queue);
        world.run();
    }
    void with_msix() {
        set_vector(0, 0xFEE00000, 0x40);
        set_vector(2, 0x1'FEE00000, 0x42);
        controller.set_msix(true, false);
        create(1, 16, 2);
        world.messages.clear();
    }
    void SetUp() override { enable(); }
};

TEST_F(InterruptsTest, ThePinFollowsTheEntriesThatAreNotConsumed) {
    put(0, admin_command(AdminOpcode::get_features, {2}));
    put(0, admin_command(AdminOpcode::get_features, {2}));
    ring(0);
    EXPECT_FALSE(world.level);
    world.run();
    EXPECT_TRUE(world.level);
    EXPECT_TRUE(look(0));
    EXPECT_TRUE(world.level);
    EXPECT_TRUE(look(0));
    EXPECT_FALSE(world.level);
}

TEST_F(InterruptsTest, InterruptMasks) {
    write(Register::intms, 0xF1);
    EXPECT_EQ(read(Register::intms), 0xF1U);
    EXPECT_EQ(read(Register::intmc), 0xF1U);
    put(0, admin_command(AdminOpcode::get_features, {2}));
    ring(0);
    world.run();
    EXPECT_FALSE(world.level);
    write(Register::intmc, 0x01);
    EXPECT_TRUE(world.level);
    EXPECT_EQ(read(Register::intms), 0xF0U);
    write(Register::intms, 0x01);
    EXPECT_FALSE(world.level);
}

TEST_F(InterruptsTest, AResetTakesThePinBack) {
    put(0, admin_command(AdminOpcode::get_features, {2}));
    ring(0);
    world.run();
    write(Register::cc, 0);
    EXPECT_FALSE(world.level);
}

TEST_F(InterruptsTest, MessagesOfTheQueuesVector) {
    with_msix();
    flush(1);
    EXPECT_EQ(world.messages, (Messages{{0x1'FEE00000, 0x42}}));
    EXPECT_FALSE(world.level);
    write(Register::intms, 1);
    EXPECT_EQ(read(Register::intms), 0U) << "without effect with MSI-X";
    ask(0, admin_command(AdminOpcode::get_features, {2}));
    EXPECT_EQ(world.messages.back(), (std::pair<std::uint64_t, Word>{0xFEE00000, 0x40}));
}

TEST_F(InterruptsTest, AMaskedVectorRemembersOne) {
    with_msix();
    controller.write(kMsixTable + 16 * 2 + 12, 1);
    flush(1);
    flush(1);
    EXPECT_TRUE(world.messages.empty());
    EXPECT_EQ(controller.read(kMsixPending), 1U << 2U);
    controller.write(kMsixTable + 16 * 2 + 12, 0);
    EXPECT_EQ(world.messages.size(), 1U);
    EXPECT_EQ(controller.read(kMsixPending), 0U);

    controller.set_msix(true, true);
    flush(1);
    EXPECT_EQ(world.messages.size(), 1U);
    controller.set_msix(true, false);
    EXPECT_EQ(world.messages.size(), 2U);
}

// Feature 08h: three completions (less one) or 200 us.
TEST_F(InterruptsTest, CoalescingByNumberAndTime) {
    with_msix();
    ask(0, admin_command(AdminOpcode::set_features, {8, 2U << 8U | 2U}));
    world.messages.clear();
    for (const std::size_t sent : {0U, 0U, 1U, 1U}) {
        flush(1);
        EXPECT_EQ(world.messages.size(), sent);
    }
    ASSERT_TRUE(world.alarm_at);
    EXPECT_EQ(*world.alarm_at, std::chrono::microseconds(200));
    world.clock = *world.alarm_at - hal::Ps{1};
    controller.alarm();
    EXPECT_EQ(world.messages.size(), 1U);
    world.clock = *world.alarm_at;
    controller.alarm();
    EXPECT_EQ(world.messages.size(), 2U);

    flush(1);  // consumed before its time: no message
    while (look(1)) {
    }
    world.clock = *world.alarm_at;
    controller.alarm();
    EXPECT_EQ(world.messages.size(), 2U);

    ask(0, admin_command(AdminOpcode::set_features, {9, 1U << 16U | 2}));  // CD
    world.messages.clear();
    flush(1);
    EXPECT_EQ(world.messages.size(), 1U);
}

TEST_F(InterruptsTest, AQueueWithoutInterruptsIsSilent) {
    controller.set_msix(true, false);
    set_queue(1, 4);
    Command cq = admin_command(AdminOpcode::create_cq, {3U << 16U | 1, 1});
    cq.prp1 = pairs[1].cq;
    ask(0, cq);
    Command sq = admin_command(AdminOpcode::create_sq, {3U << 16U | 1, 1U << 16U | 1});
    sq.prp1 = pairs[1].sq;
    ask(0, sq);
    set_vector(0, 0x1000, 1);
    world.messages.clear();
    flush(1);
    EXPECT_TRUE(world.messages.empty());
    EXPECT_TRUE(look(1));
}

}  // namespace
}  // namespace solidtlm::hw::nvme
