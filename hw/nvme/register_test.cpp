// SPDX-License-Identifier: Apache-2.0
//
// Registers: what they say, enable, reset, shutdown, fatal status, doorbells.
#include <gtest/gtest.h>

#include "hw/nvme/test_bench.h"

namespace solidtlm::hw::nvme {
namespace {

using RegisterTest = NvmeTest;

TEST_F(RegisterTest, CapabilitiesAndVersion) {
    const Word cap = read(Register::cap);
    EXPECT_EQ(cap & 0xFFFF, 63U);                // MQES
    EXPECT_EQ(cap >> 16U & 1, 1U);               // CQR
    EXPECT_EQ(cap >> 17U & 3, 1U);               // AMS: weighted round robin
    EXPECT_GT(cap >> 24U, 0U);                   // TO
    EXPECT_EQ(read(Register::cap_high), 0x20U);  // DSTRD 0, CSS: NVM, MPSMIN = MPSMAX = 0
    EXPECT_EQ(read(Register::vs), 0x00010400U);
    EXPECT_EQ(read(Register::csts), 0U);
    EXPECT_EQ(controller.read(kDoorbells), 0U);
    EXPECT_EQ(controller.read(0x38), 0U);
}

TEST_F(RegisterTest, AdminQueueRegistersKeepTheirValues) {
    write(Register::aqa, 0xFFFFFFFF);
    EXPECT_EQ(read(Register::aqa), 0x0FFF0FFFU);
    write(Register::asq_high, 0x12);
    write(Register::asq, 0x34000);
    write(Register::acq, 0x56000);
    write(Register::acq_high, 0x78);
    EXPECT_EQ(read(Register::asq_high), 0x12U);
    EXPECT_EQ(read(Register::asq), 0x34000U);
    EXPECT_EQ(read(Register::acq), 0x56000U);
    EXPECT_EQ(read(Register::acq_high), 0x78U);
    write(Register::vs, 0);
    EXPECT_EQ(read(Register::vs), 0x00010400U);
}

TEST_F(RegisterTest, EnableMakesItReady) {
    enable();
    EXPECT_EQ(read(Register::csts), kCstsReady);
    write(Register::cc, 0);
    EXPECT_EQ(read(Register::csts), 0U);
    EXPECT_EQ(read(Register::aqa), 7U << 16U | 7U) << "kept";
}

// CC.MPS, CSS, AMS and entry sizes that it does not have, queues of one entry, misaligned queues.
TEST_F(RegisterTest, WhatItCannotBeEnabledWithIsFatal) {
    const auto fatal = [this](Word control) {
        write(Register::cc, control);
        const bool result = read(Register::csts) == kCstsFatal;
        write(Register::cc, 0);
        EXPECT_EQ(read(Register::csts), 0U);
        return result;
    };
    enable();
    write(Register::cc, 0);
    EXPECT_FALSE(fatal(kOn));
    EXPECT_TRUE(fatal(kOn | kCcMps.put(1)));
    EXPECT_TRUE(fatal(kOn | kCcCss.put(6)));
    EXPECT_TRUE(fatal(kOn | kCcAms.put(2)));
    EXPECT_FALSE(fatal(kOn | kCcAms.put(1)));
    EXPECT_TRUE(fatal(0x00450001));
    EXPECT_TRUE(fatal(0x00360001));
    for (const Word sizes : {7U, 7U << 16U}) {
        write(Register::aqa, sizes);
        EXPECT_TRUE(fatal(kOn)) << sizes;
    }
    write(Register::aqa, 7U << 16U | 7U);
    for (const Register where : {Register::asq, Register::acq}) {
        write(where, 0x10800);
        EXPECT_TRUE(fatal(kOn));
        write(where, 0x10000);
    }
}

TEST_F(RegisterTest, FieldsOfAnEnabledControllerAreFixed) {
    enable();
    write(Register::cc, kOn | kCcMps.put(1) | kCcAms.put(1));
    EXPECT_EQ(read(Register::cc), kOn);
    EXPECT_EQ(read(Register::csts), kCstsReady);
}

TEST_F(RegisterTest, ResetWaitsForWhatIsUnderWayAndForgetsQueues) {
    enable();
    create(1, 4);
    put(1, io_command(IoOpcode::read));
    world.firmware_works = false;
    ring(1);
    world.run();
    ASSERT_EQ(world.commands.size(), 1U);
    put(1, io_command(IoOpcode::read));
    ring(1);  // its fetch is under way
    write(Register::cc, kOn & ~kCcEnable);
    EXPECT_EQ(read(Register::csts), kCstsReady);
    world.run();
    EXPECT_EQ(read(Register::csts), kCstsReady) << "firmware still has a command";
    world.firmware_works = true;
    world.run();
    EXPECT_EQ(read(Register::csts), 0U);
    EXPECT_FALSE(look(1)) << "nothing is answered";

    enable();
    world.memory_reads = 0;
    set_queue(1, 4);
    put(1, io_command(IoOpcode::read));
    ring(1);
    world.run();
    EXPECT_EQ(world.memory_reads, 0U);
}

TEST_F(RegisterTest, ResetForgetsFeatures) {
    enable();
    ask(0, admin_command(AdminOpcode::set_features, {8, 0x0203}));
    write(Register::intms, 1);
    write(Register::cc, 0);
    enable();
    EXPECT_EQ(read(Register::intms), 0U);
    EXPECT_EQ(ask(0, admin_command(AdminOpcode::get_features, {8})).result, 0U);
}

TEST_F(RegisterTest, EnableDuringAResetWaitsForItsEnd) {
    enable();
    put(0, admin_command(AdminOpcode::identify, {1}));
    ring(0);
    write(Register::cc, 0);
    write(Register::cc, kOn);
    world.run();
    EXPECT_EQ(read(Register::csts), kCstsReady);
    EXPECT_FALSE(look(0));
}

TEST_F(RegisterTest, ShutdownFinishesFlushesAndStops) {
    enable();
    create(1, 4);
    put(1, io_command(IoOpcode::write));
    ring(1);
    write(Register::cc, kOn | kCcShn.put(1));
    EXPECT_EQ(read(Register::csts), kCstsReady | kCstsShst.put(1));
    world.run();
    EXPECT_EQ(read(Register::csts), kCstsReady | kCstsShst.put(2));
    EXPECT_EQ(world.done, (std::vector{hal::HostOpcode::write, hal::HostOpcode::flush}));
    EXPECT_TRUE(look(1));
    put(1, io_command(IoOpcode::write));
    ring(1);
    world.run();
    EXPECT_EQ(world.done.size(), 2U) << "nothing is fetched until a reset";
    write(Register::cc, 0);
    enable();
    EXPECT_EQ(read(Register::csts), kCstsReady);
}

TEST_F(RegisterTest, ShutdownOfADisabledController) {
    enable();
    put(0, admin_command(AdminOpcode::identify, {1}));
    ring(0);
    write(Register::cc, kCcShn.put(1));  // reset and shutdown at once
    EXPECT_EQ(read(Register::csts), kCstsReady | kCstsShst.put(1));
    world.run();
    EXPECT_EQ(read(Register::csts), kCstsShst.put(2));
    EXPECT_EQ(world.done, std::vector{hal::HostOpcode::flush});
    enable();
    EXPECT_EQ(read(Register::csts), kCstsReady);
    EXPECT_EQ(ask(0, admin_command(AdminOpcode::get_features, {2})).status, 0);
}

TEST_F(RegisterTest, FunctionResetGivesDefaults) {
    enable();
    controller.set_msix(true, false);
    controller.write(kMsixTable + 12, 0);
    controller.reset_function();
    world.run();
    EXPECT_EQ(read(Register::csts), 0U);
    EXPECT_EQ(read(Register::cc), 0U);
    EXPECT_EQ(read(Register::aqa), 0U);
    EXPECT_EQ(read(Register::asq), 0U);
    EXPECT_EQ(controller.read(kMsixTable + 12), 1U) << "masked";
}

TEST_F(RegisterTest, AnEntryThatCannotBeFetchedIsFatal) {
    enable();
    world.holes.insert(pairs[0].sq / kPageBytes);
    put(0, admin_command(AdminOpcode::identify, {1}));
    ring(0);
    world.run();
    EXPECT_EQ(read(Register::csts), kCstsReady | kCstsFatal);
    EXPECT_EQ(controller.busy(), 0U);
    world.holes.clear();
    write(Register::cc, 0);
    enable();
    EXPECT_EQ(read(Register::csts), kCstsReady);
    EXPECT_EQ(ask(0, admin_command(AdminOpcode::get_features, {2})).status, 0);
}

TEST_F(RegisterTest, ACompletionThatCannotBeWrittenIsFatal) {
    enable();
    world.holes.insert(pairs[0].cq / kPageBytes);
    put(0, admin_command(AdminOpcode::get_features, {2}));
    ring(0);
    world.run();
    EXPECT_EQ(read(Register::csts), kCstsReady | kCstsFatal);
}

TEST_F(RegisterTest, DoorbellsOfAControllerThatIsNotReadyDoNothing) {
    controller.write(kDoorbells, 1);
    enable();
    put(0, admin_command(AdminOpcode::get_features, {2}));
    ring(0);
    world.run();
    EXPECT_TRUE(look(0));
}

// A queue that is not there; the value of before; a value beyond the ring; more entries than are free.
TEST_F(RegisterTest, WrongDoorbellsAreEventsWithoutEffect) {
    enable();
    create(1, 4);
    const auto event = [this](std::uint32_t offset, Word value) {
        put(0, admin_command(AdminOpcode::async_event_request));
        ring(0);
        world.run();
        EXPECT_FALSE(look(0));
        controller.write(offset, value);
        world.run();
        const auto answer = look(0);
        EXPECT_TRUE(answer);
        EXPECT_EQ(get_log(LogId::errors, 64).status, 0);  // lets events of this type come again
        return answer.value_or(Answer{~0U}).result;
    };
    EXPECT_EQ(event(kDoorbells + 8 * 2, 1), 0x00010000U);  // log 01h, register, error
    EXPECT_EQ(number(kData + 8, 2), 2U);                   // SQID
    EXPECT_EQ(event(kDoorbells + 8 * 60, 1), 0x00010000U);
    EXPECT_EQ(event(kDoorbells + 8 * 1, 0), 0x00010100U);  // value
    EXPECT_EQ(event(kDoorbells + 8 * 1, 4), 0x00010100U);
    EXPECT_EQ(event(kDoorbells + 8 * 1 + 4, 1), 0x00010100U);  // consumes what has not come
    EXPECT_EQ(number(kData, 8), 5U);                           // errors so far
    put(1, io_command(IoOpcode::flush));
    ring(1);
    world.run();
    EXPECT_TRUE(look(1)) << "the queue works on";
}

TEST_F(RegisterTest, EventsOfATypeWaitForTheLogToBeRead) {
    enable();
    put(0, admin_command(AdminOpcode::async_event_request));
    put(0, admin_command(AdminOpcode::async_event_request));
    ring(0);
    world.run();
    controller.write(kDoorbells + 8 * 2, 1);
    controller.write(kDoorbells + 8 * 2, 1);
    world.run();
    EXPECT_TRUE(look(0));
    EXPECT_FALSE(look(0));
    EXPECT_EQ(get_log(LogId::errors, 64, 1U << 15U).status, 0);  // RAE: stays masked
    controller.write(kDoorbells + 8 * 2, 1);
    world.run();
    EXPECT_FALSE(look(0));
    EXPECT_EQ(get_log(LogId::errors, 64).status, 0);
    controller.write(kDoorbells + 8 * 2, 1);
    world.run();
    EXPECT_TRUE(look(0));
}

}  // namespace
}  // namespace solidtlm::hw::nvme
