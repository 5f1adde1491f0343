// SPDX-License-Identifier: Apache-2.0
//
// Admin commands: queues, Identify, logs, features, Abort, events.
#include <gtest/gtest.h>

#include <regex>
#include <string>

#include "hw/nvme/test_bench.h"

namespace solidtlm::hw::nvme {
namespace {

class AdminTest : public NvmeTest {
  protected:
    Answer create_cq(Word id, Word entries, std::uint64_t at, Word flags = 1, Word vector = 0) {
        Command command =
            admin_command(AdminOpcode::create_cq, {(entries - 1) << 16U | id, vector << 16U | flags});
        command.prp1 = at;
        return ask(0, command);
    }
    Answer create_sq(Word id, Word entries, std::uint64_t at, Word cq, Word flags = 1) {
        Command command =
            admin_command(AdminOpcode::create_sq, {(entries - 1) << 16U | id, cq << 16U | flags});
        command.prp1 = at;
        return ask(0, command);
    }
    Answer remove(AdminOpcode opcode, Word id) { return ask(0, admin_command(opcode, {id})); }
    Answer identify(Word cns, std::uint32_t nsid = 0) {
        std::ranges::fill(world.at(kData, kPageBytes), std::byte{0xEE});
        Command command = admin_command(AdminOpcode::identify, {cns}, nsid);
        command.prp1 = kData;
        return ask(0, command);
    }
    Answer set(Word id, Word value) { return ask(0, admin_command(AdminOpcode::set_features, {id, value})); }
    Answer get(Word id, Word selector = 0) {
        return ask(0, admin_command(AdminOpcode::get_features, {id, selector}));
    }
};

TEST_F(AdminTest, MistakesOfQueueCreation) {
    enable();
    EXPECT_EQ(create_sq(1, 4, 0x40000, 1).status, 0x4100);  // no such completion queue
    EXPECT_EQ(create_sq(1, 4, 0x40000, 0).status, 0x4100);
    EXPECT_EQ(create_cq(0, 4, 0x40000).status, 0x4101);
    EXPECT_EQ(create_cq(5, 4, 0x40000).status, 0x4101);  // there are four
    EXPECT_EQ(create_cq(1, 1, 0x40000).status, 0x4102);
    EXPECT_EQ(create_cq(1, 65, 0x40000).status, 0x4102);  // MQES is 63
    EXPECT_EQ(create_cq(1, 4, 0x40200).status, 0x4013);
    EXPECT_EQ(create_cq(1, 4, 0x40000, 0).status, 0x4002);  // PC = 0
    EXPECT_EQ(create_cq(1, 4, 0x40000, 3, 5).status, 0x4108);
    EXPECT_EQ(create_cq(1, 4, 0x40000).status, 0);
    EXPECT_EQ(create_cq(1, 4, 0x40000).status, 0x4101);  // twice
    EXPECT_EQ(create_sq(0, 4, 0x41000, 1).status, 0x4101);
    EXPECT_EQ(create_sq(5, 4, 0x41000, 1).status, 0x4101);
    EXPECT_EQ(create_sq(1, 1, 0x41000, 1).status, 0x4102);
    EXPECT_EQ(create_sq(1, 65, 0x41000, 1).status, 0x4102);
    EXPECT_EQ(create_sq(1, 4, 0x41008, 1).status, 0x4013);
    EXPECT_EQ(create_sq(1, 4, 0x41000, 1, 0).status, 0x4002);
    EXPECT_EQ(create_sq(1, 4, 0x41000, 1).status, 0);
    EXPECT_EQ(create_sq(1, 4, 0x41000, 1).status, 0x4101);
}

TEST_F(AdminTest, QueuesAreDeletedInTheirOrder) {
    enable();
    EXPECT_EQ(remove(AdminOpcode::delete_cq, 1).status, 0x4101);
    EXPECT_EQ(remove(AdminOpcode::delete_sq, 0).status, 0x4101);
    ASSERT_EQ(create_cq(1, 4, 0x40000).status, 0);
    ASSERT_EQ(create_sq(1, 4, 0x41000, 1).status, 0);
    ASSERT_EQ(create_sq(2, 4, 0x42000, 1).status, 0) << "two may share one";
    EXPECT_EQ(remove(AdminOpcode::delete_cq, 1).status, 0x410C);
    EXPECT_EQ(remove(AdminOpcode::delete_sq, 1).status, 0);
    EXPECT_EQ(remove(AdminOpcode::delete_cq, 1).status, 0x410C);
    EXPECT_EQ(remove(AdminOpcode::delete_sq, 2).status, 0);
    EXPECT_EQ(remove(AdminOpcode::delete_cq, 1).status, 0);
    EXPECT_EQ(create_cq(1, 2, 0x40000).status, 0);
}

TEST_F(AdminTest, DeleteWaitsForTheQueuesCommands) {
    enable();
    create(1, 4);
    world.firmware_works = false;
    put(1, io_command(IoOpcode::flush));
    ring(1);
    world.run();
    put(0, admin_command(AdminOpcode::delete_sq, {1}));
    ring(0);
    world.run();
    EXPECT_FALSE(look(0));
    EXPECT_EQ(ask(0, admin_command(AdminOpcode::get_features, {2})).status, 0) << "others go on";
    put(1, io_command(IoOpcode::flush));
    ring(1);
    world.firmware_works = true;
    world.run();
    EXPECT_EQ(look(1).value_or(Answer{0, 0, 0, 0, 1}).status, 0);
    EXPECT_FALSE(look(1)) << "what was not fetched is dropped";
    EXPECT_EQ(look(0).value_or(Answer{0, 0, 0, 0, 1}).status, 0);
    EXPECT_EQ(remove(AdminOpcode::delete_cq, 1).status, 0);
}

// Admin commands do not depend on the state of I/O queues: a full completion queue does not hold up a Delete.
// What waits for room is dropped; what other queues have waiting there is not.
TEST_F(AdminTest, DeleteDoesNotWaitForRoomInACompletionQueue) {
    enable();
    create(1, 2);
    set_queue(2, 4);
    ASSERT_EQ(create_sq(2, 4, pairs[2].sq, 1).status, 0);
    const auto flushes = [this](std::uint32_t queue, int count) {
        for (int i = 0; i < count; ++i) {
            put(queue, io_command(IoOpcode::flush));
        }
        ring(queue);
        world.run();
    };
    flushes(1, 1);  // fills the completion queue
    flushes(2, 2);
    flushes(1, 1);
    world.firmware_works = false;
    flushes(2, 1);
    put(0, admin_command(AdminOpcode::delete_sq, {2}));
    ring(0);
    world.run();
    EXPECT_FALSE(look(0)) << "firmware has one";
    world.firmware_works = true;
    world.run();
    EXPECT_EQ(look(0).value_or(Answer{0, 0, 0, 0, 1}).status, 0);
    EXPECT_EQ(world.done.size(), 5U);
    for (int i = 0; i < 2; ++i) {
        EXPECT_EQ(look(1).value_or(Answer{}).sq, 1) << "of the other queue";
        world.run();
    }
    EXPECT_FALSE(look(1));
    EXPECT_EQ(controller.busy(), 0U);
    EXPECT_EQ(remove(AdminOpcode::delete_sq, 1).status, 0);
    EXPECT_EQ(remove(AdminOpcode::delete_cq, 1).status, 0);
}

TEST_F(AdminTest, IdentifyController) {
    enable();
    ASSERT_EQ(identify(1).status, 0);
    EXPECT_EQ(number(kData, 2), 0x1B36U);  // VID
    EXPECT_EQ(text(kData + 4, 20), "STLM0001            ");
    EXPECT_EQ(text(kData + 24, 40), "SolidTLM NVMe SSD                       ");
    EXPECT_EQ(text(kData + 64, 8), "0.2.0   ");
    EXPECT_EQ(number(kData + 77, 1), 5U);           // MDTS: 128 KiB
    EXPECT_EQ(number(kData + 80, 4), 0x00010400U);  // VER
    EXPECT_EQ(number(kData + 92, 4), 0U);           // OAES
    EXPECT_EQ(number(kData + 111, 1), 1U);          // CNTRLTYPE: I/O
    EXPECT_EQ(number(kData + 256, 2), 0U);          // OACS
    EXPECT_EQ(number(kData + 259, 1), 3U);          // AERL
    EXPECT_EQ(number(kData + 260, 1), 3U);          // FRMW
    EXPECT_EQ(number(kData + 266, 2), 0x157U);      // WCTEMP: what the standard recommends
    EXPECT_GT(number(kData + 268, 2), 0x157U);      // CCTEMP
    EXPECT_EQ(number(kData + 512, 2), 0x4466U);     // SQES, CQES
    EXPECT_EQ(number(kData + 516, 4), 1U);          // NN
    EXPECT_EQ(number(kData + 520, 2), 0x5EU);       // ONCS
    EXPECT_EQ(number(kData + 525, 1), 1U);          // VWC
    EXPECT_EQ(number(kData + 536, 4), 0U);          // SGLS
}

// NVMe 1.4 7.9: nqn.yyyy-mm.reverse.domain: and a text in UTF-8; with this domain the text is a UUID (RFC
// 9562).
TEST_F(AdminTest, QualifiedNameOfTheSubsystem) {
    enable();
    ASSERT_EQ(identify(1).status, 0);
    const std::string name = text(kData + 768, 256);
    EXPECT_TRUE(std::regex_match(
        name, std::regex("nqn\\.2014-08\\.org\\.nvmexpress:uuid:"
                         "[0-9a-f]{8}-[0-9a-f]{4}-8[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}\\0+")))
        << name.c_str();
    ASSERT_EQ(identify(3, 1).status, 0);
    EXPECT_NE(number(kData + 4, 1), std::stoul(name.substr(32, 2), nullptr, 16)) << "not the namespace's";
}

TEST_F(AdminTest, IdentifyNamespace) {
    enable();
    ASSERT_EQ(identify(0, 1).status, 0);
    EXPECT_EQ(number(kData, 8), 4096U);
    EXPECT_EQ(number(kData + 8, 8), 4096U);
    EXPECT_EQ(number(kData + 16, 8), 4096U);       // NUSE does not move,
    EXPECT_EQ(number(kData + 24, 1), 0U);          // so that NSFEAT does not say thin
    EXPECT_EQ(number(kData + 25, 1), 0U);          // NLBAF: one format
    EXPECT_EQ(number(kData + 33, 1), 9U);          // DLFEAT
    EXPECT_EQ(number(kData + 128, 4), 9U << 16U);  // LBAF0: LBADS 9, no metadata
    EXPECT_EQ(identify(0, 0).status, 0x400B);
    EXPECT_EQ(identify(0, 2).status, 0x400B);
    ASSERT_EQ(identify(2, 0).status, 0);
    EXPECT_EQ(number(kData, 8), 1U);
    ASSERT_EQ(identify(2, 1).status, 0);
    EXPECT_EQ(number(kData, 8), 0U);
    EXPECT_EQ(identify(2, 0xFFFFFFFF).status, 0x400B);
    ASSERT_EQ(identify(3, 1).status, 0);
    EXPECT_EQ(number(kData, 2), 0x1003U);  // a UUID of 16 bytes
    EXPECT_NE(number(kData + 4, 8), 0U);
    EXPECT_EQ(number(kData + 20, 4), 0U) << "the last";
    EXPECT_EQ(identify(5, 1).status, 0x4002);
    EXPECT_EQ(identify(6, 1).status, 0x4002);
}

TEST_F(AdminTest, DataOfAdminCommandsGoWherePrpsSay) {
    enable();
    Command command = admin_command(AdminOpcode::identify, {1});
    command.prp1 = kData + 0xF00;
    command.prp2 = kData + 0x3000;
    ASSERT_EQ(ask(0, command).status, 0);
    EXPECT_EQ(text(kData + 0xF04, 4), "STLM");
    EXPECT_EQ(number(kData + 0x3000 + 512 - 0x100, 2), 0x4466U);
    command.prp1 = kData + 2;
    EXPECT_EQ(ask(0, command).status, 0x4013);
    command.prp1 = World::kMemory;  // nothing answers
    EXPECT_EQ(ask(0, command).status, 0x0004);
    EXPECT_EQ(read(Register::csts), kCstsReady);
}

TEST_F(AdminTest, SmartLogFromTheFirmwaresReport) {
    enable();
    world.health.sectors_read = 1001;
    world.health.sectors_written = 3000;
    world.health.read_commands = 17;
    world.health.write_commands = 18;
    world.health.uncorrectable_errors = 2;
    world.health.power_on_resets = 5;
    world.health.reserve_percent = 9;
    world.health.percentage_used = 300;
    world.health.read_only = true;
    world.health.powered = std::chrono::hours(3);
    ASSERT_EQ(get_log(LogId::health, 512).status, 0);
    EXPECT_EQ(number(kData, 1), 0x09U);     // spare below its threshold, read only
    EXPECT_EQ(number(kData + 1, 2), 313U);  // JESD218, client drive in use: 40 degrees
    EXPECT_EQ(number(kData + 3, 1), 9U);
    EXPECT_EQ(number(kData + 4, 1), 10U);
    EXPECT_EQ(number(kData + 5, 1), 255U);
    EXPECT_EQ(number(kData + 32, 8), 2U);  // thousands of sectors, rounded up
    EXPECT_EQ(number(kData + 48, 8), 3U);
    EXPECT_EQ(number(kData + 64, 8), 17U);
    EXPECT_EQ(number(kData + 80, 8), 18U);
    EXPECT_EQ(number(kData + 112, 8), 5U);
    EXPECT_EQ(number(kData + 128, 8), 3U);
    EXPECT_EQ(number(kData + 160, 8), 2U);
    EXPECT_EQ(get_log(LogId::health, 512, 0, 0).status, 0);
    EXPECT_EQ(get_log(LogId::health, 512, 0, 1).status, 0x4002) << "LPA: not by namespace";
}

// Critical warning, bit 1: at or above the one threshold, at or below the other
// (NVMe 1.4 5.14.1.2, 5.21.1.4).
TEST_F(AdminTest, TemperatureThresholdsWarn) {
    enable();
    const auto warning = [this] {
        EXPECT_EQ(get_log(LogId::health, 512).status, 0);
        return number(kData, 1);
    };
    EXPECT_EQ(warning(), 0U);
    const Word under = 1U << 20U;
    ASSERT_EQ(set(0x04, 314).status, 0);
    EXPECT_EQ(warning(), 0U);
    ASSERT_EQ(set(0x04, 313).status, 0);
    EXPECT_EQ(warning(), 2U);
    ASSERT_EQ(set(0x04, 0xFFFF).status, 0);
    ASSERT_EQ(set(0x04, under | 312).status, 0);
    EXPECT_EQ(warning(), 0U);
    ASSERT_EQ(set(0x04, under | 313).status, 0);
    EXPECT_EQ(warning(), 2U);
}

TEST_F(AdminTest, PartsOfLogs) {
    enable();
    ASSERT_EQ(get_log(LogId::firmware_slots, 512).status, 0);
    EXPECT_EQ(number(kData, 1), 1U);
    EXPECT_EQ(text(kData + 8, 8), "0.2.0   ");
    Command command = admin_command(AdminOpcode::get_log_page, {3U << 16U | 3, 0, 8, 0});
    command.prp1 = kData;
    std::ranges::fill(world.at(kData, 64), std::byte{0xEE});
    ASSERT_EQ(ask(0, command).status, 0);
    EXPECT_EQ(text(kData, 8), "0.2.0   ");
    EXPECT_EQ(number(kData + 16, 1), 0xEEU) << "four dwords";
    command.words[2] = 6;  // not a dword
    EXPECT_EQ(ask(0, command).status, 0x4002);
    command.words[2] = 516;
    EXPECT_EQ(ask(0, command).status, 0x4002);
    command.words[2] = 512;
    EXPECT_EQ(ask(0, command).status, 0);
    command.words[1] = 1;  // 65540 dwords: more than MDTS
    EXPECT_EQ(ask(0, command).status, 0x4002);
    EXPECT_EQ(get_log(LogId{0x07}, 512).status, 0x4109);
}

TEST_F(AdminTest, FeaturesHaveValuesDefaultsAndCapabilities) {
    enable();
    EXPECT_EQ(get(0x06).result, 1U);
    EXPECT_EQ(set(0x06, 0).status, 0);
    EXPECT_EQ(world.done, std::vector{hal::HostOpcode::set_write_cache});
    EXPECT_EQ(get(0x06).result, 0U);
    EXPECT_EQ(get(0x06 | 1U << 8U).result, 1U);  // default
    EXPECT_EQ(get(0x06 | 2U << 8U).result, 1U);  // saved: none is
    EXPECT_EQ(get(0x06 | 3U << 8U).result, 4U);  // changeable
    EXPECT_EQ(get(0x06 | 4U << 8U).status, 0x4002);
    EXPECT_EQ(set(0x06 | 1U << 31U, 0).status, 0x410D);
    EXPECT_EQ(set(0x01, 0x03020107).status, 0);
    EXPECT_EQ(get(0x01).result, 0x03020107U);
    for (const Word unknown : {0x00U, 0x03U, 0x0CU, 0x0DU, 0x10U, 0xFFU}) {
        EXPECT_EQ(get(unknown).status, 0x4002) << unknown;
        EXPECT_EQ(set(unknown, 0).status, 0x4002) << unknown;
    }
    EXPECT_EQ(set(0x02, 1).status, 0x4002) << "power state 0 alone";
    EXPECT_EQ(set(0x04, 0x0140).status, 0);
    EXPECT_EQ(get(0x04).result, 0x0140U);
    EXPECT_EQ(get(0x04, 1U << 20U).result, 0U) << "the lower threshold";
    EXPECT_EQ(set(0x04, 1U << 16U).status, 0x4002) << "sensor 1";
    EXPECT_EQ(get(0x04 | 1U << 8U).result, 0x157U) << "WCTEMP";
    EXPECT_EQ(set(0x09, 1U << 16U | 2).status, 0);
    EXPECT_EQ(get(0x09, 2).result, 1U << 16U | 2U);
    EXPECT_EQ(get(0x09, 0).result, 1U << 16U) << "the admin queue's vector is never coalesced";
    EXPECT_EQ(get(0x09, 5).status, 0x4002);
    EXPECT_EQ(set(0x09, 5).status, 0x4002);
    EXPECT_EQ(set(0x0B, 0x1FF).status, 0);
    EXPECT_EQ(get(0x0B).result, 0xFFU);
}

TEST_F(AdminTest, NumberOfQueues) {
    enable();
    EXPECT_EQ(get(0x07).result, 3U << 16U | 3U);
    EXPECT_EQ(set(0x07, 63U << 16U | 1).result, 3U << 16U | 1U);
    EXPECT_EQ(set(0x07, 0xFFFF).status, 0x4002);
    EXPECT_EQ(set(0x07, 0xFFFFU << 16U).status, 0x4002);
    ASSERT_EQ(create_cq(4, 4, 0x40000).status, 0);
    EXPECT_EQ(create_sq(3, 4, 0x41000, 4).status, 0x4101) << "two were granted";
    EXPECT_EQ(create_sq(2, 4, 0x41000, 4).status, 0);
    EXPECT_EQ(set(0x07, 0).status, 0x400C);
}

TEST_F(AdminTest, TimestampGoesOn) {
    enable();
    put_little_endian(world.at(kData, 8), 0x0123'4567'89AB);
    Command command = admin_command(AdminOpcode::set_features, {0x0E});
    command.prp1 = kData;
    ASSERT_EQ(ask(0, command).status, 0);
    world.clock += std::chrono::milliseconds(5);
    command = admin_command(AdminOpcode::get_features, {0x0E});
    command.prp1 = kData + 0x100;
    ASSERT_EQ(ask(0, command).status, 0);
    EXPECT_EQ(number(kData + 0x100, 8), 0x0123'4567'89B0U | std::uint64_t{1} << 49U);
}

TEST_F(AdminTest, AbortEndsWhatWaitsForEvents) {
    enable();
    Command request = admin_command(AdminOpcode::async_event_request);
    request.id = 77;
    put(0, request);
    ring(0);
    world.run();
    EXPECT_EQ(ask(0, admin_command(AdminOpcode::abort, {78U << 16U})).result, 1U) << "not aborted";
    put(0, admin_command(AdminOpcode::abort, {77U << 16U}));
    ring(0);
    world.run();
    const auto aborted = look(0);
    ASSERT_TRUE(aborted);
    EXPECT_EQ(aborted->id, 77);
    EXPECT_EQ(aborted->status, 0x0007);
    EXPECT_EQ(look(0).value_or(Answer{1}).result, 0U);
}

TEST_F(AdminTest, FourRequestsMayWaitForEvents) {
    enable();
    for (int i = 0; i < 4; ++i) {
        put(0, admin_command(AdminOpcode::async_event_request));
    }
    ring(0);
    world.run();
    EXPECT_FALSE(look(0));
    EXPECT_EQ(ask(0, admin_command(AdminOpcode::async_event_request)).status, 0x4105);
}

TEST_F(AdminTest, CommandsThatItDoesNotHave) {
    enable();
    for (const unsigned opcode : {0x0DU, 0x10U, 0x11U, 0x14U, 0x19U, 0x80U, 0x84U, 0xC0U}) {
        EXPECT_EQ(ask(0, admin_command(static_cast<AdminOpcode>(opcode))).status, 0x4001) << opcode;
    }
    Command command = admin_command(AdminOpcode::get_features, {2});
    for (const unsigned flags : {0x01U, 0x02U, 0x40U, 0x80U}) {  // fused, SGLs
        command.flags = static_cast<std::uint8_t>(flags);
        EXPECT_EQ(ask(0, command).status, 0x4002) << flags;
    }
}

// Two of four drivers use queues of two entries: one command at a time, wrap and phase at every second.
TEST_F(AdminTest, QueuesOfTwoEntries) {
    enable(2);
    for (int i = 0; i < 9; ++i) {
        ASSERT_EQ(ask(0, admin_command(AdminOpcode::get_features, {2})).status, 0) << i;
    }
    create(1, 2);
    for (int i = 0; i < 9; ++i) {
        const Answer answer = ask(1, io_command(IoOpcode::flush));
        ASSERT_EQ(answer.status, 0) << i;
        EXPECT_EQ(answer.sq_head, (i + 1) % 2);
    }
}

}  // namespace
}  // namespace solidtlm::hw::nvme
