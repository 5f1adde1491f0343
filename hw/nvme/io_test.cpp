// SPDX-License-Identifier: Apache-2.0
//
// I/O commands: data, ranges, mistakes, back pressure.
#include <gtest/gtest.h>

#include "hw/nvme/test_bench.h"

namespace solidtlm::hw::nvme {
namespace {

class IoTest : public NvmeTest {
  protected:
    void SetUp() override {
        enable();
        create(1, 16);
    }
    Command transfer(IoOpcode opcode, std::uint64_t lba, std::uint32_t sectors, std::uint64_t prp1,
                     std::uint64_t prp2 = 0) {
        Command command = io_command(opcode, lba, sectors);
        command.prp1 = prp1;
        command.prp2 = prp2;
        return command;
    }
    void pattern(std::uint64_t at, std::size_t bytes, unsigned seed) {
        for (std::size_t i = 0; i < bytes; ++i) {
            world.memory[at + i] = static_cast<std::byte>(i * 7 + seed + i / 256);
        }
    }
    bool same(std::uint64_t a, std::uint64_t b, std::size_t bytes) {
        return std::ranges::equal(world.at(a, bytes), world.at(b, bytes));
    }
};

TEST_F(IoTest, WhatWasWrittenIsRead) {
    pattern(kData, 4096, 3);
    ASSERT_EQ(ask(1, transfer(IoOpcode::write, 8, 8, kData)).status, 0);
    ASSERT_EQ(ask(1, transfer(IoOpcode::read, 8, 8, kData + 0x10000)).status, 0);
    EXPECT_TRUE(same(kData, kData + 0x10000, 4096));
    EXPECT_EQ(world.done, (std::vector{hal::HostOpcode::write, hal::HostOpcode::read}));
}

TEST_F(IoTest, TheLargestTransferThroughAListOfPages) {
    for (std::uint64_t i = 0; i < 31; ++i) {  // written from pages in reverse order
        put_little_endian(world.at(0x70000 + 8 * i, 8), 0xC0000 - i * kPageBytes);
    }
    pattern(0xA2000, 31 * kPageBytes, 5);
    pattern(0xC1000, kPageBytes, 9);
    ASSERT_EQ(ask(1, transfer(IoOpcode::write, 0, 256, 0xC1000, 0x70000)).status, 0);
    ASSERT_EQ(ask(1, transfer(IoOpcode::read, 0, 8, 0xD0000)).status, 0);
    EXPECT_TRUE(same(0xC1000, 0xD0000, kPageBytes));
    ASSERT_EQ(ask(1, transfer(IoOpcode::read, 248, 8, 0xD0000)).status, 0);
    EXPECT_TRUE(same(0xA2000, 0xD0000, kPageBytes)) << "the last page of the list";
    ASSERT_EQ(ask(1, transfer(IoOpcode::read, 0, 257, kData, 0x70000)).status, 0x4002) << "more than MDTS";
}

// An id is in use until its first command ends, also if others that took it meanwhile have failed.
TEST_F(IoTest, ACommandIdIsInUseOncePerQueue) {
    create(2, 16);
    for (const std::uint16_t id : {std::uint16_t{7}, std::uint16_t{0xFFFF}}) {
        Command command = transfer(IoOpcode::read, 0, 1, kData);
        command.id = id;
        world.firmware_works = false;
        put(1, command);
        ring(1);
        run();
        EXPECT_FALSE(look(1)) << "firmware has it";
        EXPECT_EQ(ask(1, command).status, 0x4003) << "command id conflict";
        EXPECT_EQ(ask(1, command).status, 0x4003) << "one that was refused does not free the id";
        put(2, command);
        ring(2);
        run();
        EXPECT_FALSE(look(2)) << "another queue's ids are its own";
        world.firmware_works = true;
        run();
        EXPECT_EQ(look(1).value_or(Answer{.status = 1}).status, 0);
        EXPECT_EQ(look(2).value_or(Answer{.status = 1}).status, 0);
        run();
        EXPECT_EQ(ask(1, command).status, 0) << "the id is free again";
    }
}

TEST_F(IoTest, MistakesInFields) {
    EXPECT_EQ(ask(1, transfer(IoOpcode::read, 4095, 2, kData)).status, 0x4080);
    EXPECT_EQ(ask(1, transfer(IoOpcode::read, 4096, 1, kData)).status, 0x4080);
    EXPECT_EQ(ask(1, transfer(IoOpcode::write, ~0ULL, 8, kData)).status, 0x4080);
    EXPECT_EQ(ask(1, transfer(IoOpcode::read, 4095, 1, kData)).status, 0);
    Command command = transfer(IoOpcode::write, 0, 1, kData);
    command.words[2] |= 1U << 20U;  // streams
    EXPECT_EQ(ask(1, command).status, 0x4002);
    for (const std::uint32_t nsid : {0U, 2U, 0xFFFFFFFEU}) {
        command = transfer(IoOpcode::read, 0, 1, kData);
        command.nsid = nsid;
        EXPECT_EQ(ask(1, command).status, 0x400B) << nsid;
    }
    for (const IoOpcode opcode : {IoOpcode::read, IoOpcode::write, IoOpcode::write_zeroes,
                                  IoOpcode::write_uncorrectable, IoOpcode::dataset_management}) {
        Command for_all = io_command(opcode);
        for_all.nsid = kEveryNamespace;
        EXPECT_EQ(ask(1, for_all).status, 0x4002) << "opcode " << int{for_all.opcode};
    }
    EXPECT_EQ(ask(1, transfer(IoOpcode::read, 0, 1, kData + 1)).status, 0x4013);
    for (const unsigned opcode : {0x03U, 0x05U, 0x0CU, 0x0DU, 0x7DU, 0xFFU}) {
        EXPECT_EQ(ask(1, io_command(static_cast<IoOpcode>(opcode))).status, 0x4001) << opcode;
    }
    EXPECT_EQ(world.done, std::vector{hal::HostOpcode::read}) << "firmware sees good commands alone";
}

TEST_F(IoTest, ListsThatMemoryDoesNotAnswerFor) {
    EXPECT_EQ(ask(1, transfer(IoOpcode::read, 0, 24, kData, World::kMemory)).status, 0x0004);
    put_little_endian(world.at(0x70000, 8), 0x90010);
    EXPECT_EQ(ask(1, transfer(IoOpcode::read, 0, 24, kData, 0x70000)).status, 0x4013);
}

TEST_F(IoTest, FirmwaresErrors) {
    world.bad_sectors = {{10, hal::HostStatus::uncorrectable},
                         {20, hal::HostStatus::write_fault},
                         {30, hal::HostStatus::aborted}};
    EXPECT_EQ(ask(1, transfer(IoOpcode::read, 10, 1, kData)).status, 0x0281);
    EXPECT_EQ(ask(1, transfer(IoOpcode::write, 20, 1, kData)).status, 0x0280);
    EXPECT_EQ(ask(1, transfer(IoOpcode::write, 30, 1, kData)).status, 0x0006);
}

TEST_F(IoTest, CommandsWithoutData) {
    world.firmware_works = false;
    put(1, io_command(IoOpcode::flush));
    put(1, io_command(IoOpcode::write_uncorrectable, 100, 3));
    put(1, io_command(IoOpcode::write_zeroes, 200, 4096 - 200));
    Command fua = transfer(IoOpcode::write, 300, 8, kData);
    fua.words[2] |= 1U << 30U;
    put(1, fua);
    ring(1);
    world.run();
    ASSERT_EQ(world.commands.size(), 4U);
    EXPECT_EQ(world.commands[0]->opcode, hal::HostOpcode::flush);
    EXPECT_EQ(world.commands[1]->opcode, hal::HostOpcode::write_uncorrectable);
    EXPECT_EQ(world.commands[1]->lba, hal::Lba{100});
    EXPECT_EQ(world.commands[1]->sectors, 3U);
    EXPECT_EQ(world.commands[2]->opcode, hal::HostOpcode::trim);
    ASSERT_EQ(world.commands[2]->ranges.size(), 1U);
    EXPECT_EQ(world.commands[2]->ranges[0].lba, hal::Lba{200});
    EXPECT_EQ(world.commands[2]->ranges[0].sectors, 4096U - 200);
    EXPECT_TRUE(world.commands[3]->fua);
    EXPECT_EQ(world.commands[3]->id, world.commands[0]->id + 3) << "order of acceptance";
    EXPECT_EQ(ask(1, io_command(IoOpcode::write_zeroes, 200, 4096)).status, 0x4080);
    Command every = io_command(IoOpcode::flush);
    every.nsid = kEveryNamespace;
    world.firmware_works = true;
    world.run();
    while (look(1)) {
    }
    EXPECT_EQ(ask(1, every).status, 0);
}

TEST_F(IoTest, DeallocateTakesItsRangesFromMemory) {
    const auto range = [this](std::size_t index, std::uint64_t lba, std::uint32_t sectors) {
        put_little_endian(world.at(kData + 16 * index, 4), 0);
        put_little_endian(world.at(kData + 16 * index + 4, 4), sectors);
        put_little_endian(world.at(kData + 16 * index + 8, 8), lba);
    };
    range(0, 10, 2);
    range(1, 0, 0);  // nothing
    range(2, 4000, 96);
    Command command = io_command(IoOpcode::dataset_management);
    command.words = {2, 4};
    command.prp1 = kData;
    world.firmware_works = false;
    put(1, command);
    ring(1);
    world.run();
    ASSERT_EQ(world.commands.size(), 1U);
    ASSERT_EQ(world.commands[0]->ranges.size(), 2U);
    EXPECT_EQ(world.commands[0]->ranges[1].lba, hal::Lba{4000});
    EXPECT_EQ(world.commands[0]->ranges[1].sectors, 96U);
    world.firmware_works = true;
    world.run();
    EXPECT_EQ(look(1).value_or(Answer{0, 0, 0, 0, 1}).status, 0);

    range(2, 4000, 97);
    EXPECT_EQ(ask(1, command).status, 0x4080);
    command.words = {0, 4};
    range(0, 5, 0);
    EXPECT_EQ(ask(1, command).status, 0) << "nothing to do";
    command.words = {0, 3};
    EXPECT_EQ(ask(1, command).status, 0) << "hints";
    EXPECT_EQ(world.done, std::vector{hal::HostOpcode::trim});
}

TEST_F(IoTest, AnIdThatIsInUse) {
    world.firmware_works = false;
    Command command = io_command(IoOpcode::flush);
    command.id = 500;
    put(1, command);
    put(1, command);
    ring(1);
    world.run();
    EXPECT_EQ(look(1).value_or(Answer{}).status, 0x4003);
    world.firmware_works = true;
    world.run();
    EXPECT_EQ(look(1).value_or(Answer{0, 0, 0, 0, 1}).status, 0);
    EXPECT_EQ(ask(1, command).status, 0) << "free again";
}

TEST_F(IoTest, AFullCompletionQueueHoldsCompletionsBack) {
    create(2, 4);
    std::ranges::fill(world.at(pairs[2].cq, 64), std::byte{0});
    for (int i = 0; i < 3; ++i) {
        put(2, io_command(IoOpcode::flush));
    }
    ring(2);
    world.run();
    for (int i = 0; i < 2; ++i) {
        put(2, io_command(IoOpcode::flush));
    }
    ring(2);
    world.run();
    EXPECT_EQ(world.done.size(), 5U);
    EXPECT_EQ(number(pairs[2].cq + 3 * 16, 8), 0U) << "the fourth place stays free";
    for (int i = 0; i < 5; ++i) {
        EXPECT_TRUE(look(2)) << i;
        world.run();
    }
    EXPECT_FALSE(look(2));
}

TEST_F(IoTest, RoomForSeveralEndsTheWaitOfSeveral) {
    create(2, 4);
    for (int i = 0; i < 2; ++i) {
        for (int k = 0; k < 3 - i; ++k) {
            put(2, io_command(IoOpcode::flush));
        }
        ring(2);
        world.run();
    }
    controller.write(kDoorbells + 8 * 2 + 4, 2);  // two are consumed with one write
    world.run();
    EXPECT_EQ(controller.busy(), 0U);
    pairs[2].head = 2;
    for (int i = 0; i < 3; ++i) {
        EXPECT_TRUE(look(2)) << i;
    }
    EXPECT_FALSE(look(2));
}

TEST_F(IoTest, WithoutAFreeSlotNothingIsFetched) {
    create(2, 64);
    world.firmware_works = false;
    for (int i = 0; i < 40; ++i) {
        put(2, io_command(IoOpcode::flush));
    }
    ring(2);
    world.run();
    EXPECT_EQ(world.commands.size(), 16U);
    EXPECT_EQ(controller.busy(), 16U);
    EXPECT_EQ(ask(0, admin_command(AdminOpcode::get_features, {2})).status, 0) << "admin commands have slots";
    world.end_command();
    world.run();
    EXPECT_EQ(world.commands.size(), 16U);
    world.firmware_works = true;
    world.run();
    EXPECT_EQ(world.done.size(), 40U);
}

// Feature 01h: a burst of four entries is one access.
TEST_F(IoTest, ABurstIsOneAccess) {
    ask(0, admin_command(AdminOpcode::set_features, {1, 2}));
    for (int i = 0; i < 8; ++i) {
        put(1, io_command(IoOpcode::flush));
    }
    world.memory_reads = 0;
    ring(1);
    world.run();
    EXPECT_EQ(world.memory_reads, 2U);
    EXPECT_EQ(world.done.size(), 8U);
}

}  // namespace
}  // namespace solidtlm::hw::nvme
