// SPDX-License-Identifier: Apache-2.0
//
// Tests of SMART on the wire: thresholds, autosave, logs, self-tests (ACS-3 7.48), READ VERIFY SECTOR(S)
// (40h, 42h) and EXECUTE DEVICE DIAGNOSTIC (90h).
#include <gtest/gtest.h>

#include "hw/sata/device_fixture.h"
#include "hw/sata/error_log.h"
#include "hw/sata/health_pages.h"
#include "hw/sata/self_test.h"

namespace solidtlm::hw::test {
namespace {

using namespace std::chrono_literals;

constexpr std::uint64_t kSmartLba = 0xC24F00;

class SmartTest : public DeviceTest {
  protected:
    static RegisterH2d smart(std::uint8_t subcommand, std::uint8_t lba = 0, std::uint16_t count = 0) {
        return plain(Opcode::smart, kSmartLba | lba, count, subcommand);
    }
    LogPage read_log(std::uint8_t address) { return read(plain(Opcode::read_log_ext, address, 1)); }
    LogPage read_smart_log(std::uint8_t address) { return read(smart(ata::kSmartReadLog, address, 1)); }
    std::uint8_t execution_status() {
        return std::to_integer<std::uint8_t>(read(smart(ata::kSmartReadData))[363]);
    }
    void execute(std::uint8_t test) { expect_good(smart(ata::kSmartExecute, test)); }
    std::uint8_t newest_result() {
        const LogPage page = read_smart_log(ata::kLogSelfTest);
        const auto newest = std::to_integer<std::size_t>(page[508]);
        return newest == 0 ? 0xEE : std::to_integer<std::uint8_t>(page[2 + (newest - 1) * 24 + 1]);
    }
};

TEST_F(SmartTest, ThresholdsComeFromTheHealthReport) {
    start();
    EXPECT_EQ(read(smart(ata::kSmartReadThresholds)), smart_thresholds({}));
}

TEST_F(SmartTest, AutosaveIsAccepted) {
    start();
    expect_good(smart(ata::kSmartAutosave, 0, ata::kSmartAutosaveOn));
    expect_good(smart(ata::kSmartAutosave, 0, 0));
}

TEST_F(SmartTest, DirectoriesListWhatTheirCommandCanRead) {
    start();
    const auto pages = [](const LogPage& page, std::size_t log) {
        return std::to_integer<unsigned>(page[2 * log]);
    };
    const LogPage general = read_log(ata::kLogDirectory);
    const LogPage by_smart = read_smart_log(ata::kLogDirectory);
    for (unsigned log = 1; log < 256; ++log) {
        for (const bool is_smart : {false, true}) {
            const RegisterH2d fis = is_smart ? smart(ata::kSmartReadLog, static_cast<std::uint8_t>(log), 1)
                                             : plain(Opcode::read_log_ext, log, 1);
            transfer(fis);
            const bool listed = pages(is_smart ? by_smart : general, log) > 0;
            EXPECT_EQ(host->frames.size(), listed ? 2U : 1U) << "log " << log << " by SMART " << is_smart;
        }
    }
    EXPECT_EQ(pages(by_smart, 0x01), 1U);
    EXPECT_EQ(pages(by_smart, 0x06), 1U);
    EXPECT_EQ(pages(general, 0x03), 2U);
    EXPECT_EQ(pages(general, 0x07), 1U);
    EXPECT_EQ(pages(general, 0x11), 1U);
    EXPECT_EQ(pages(general, 0xE0), 1U);
    EXPECT_EQ(pages(by_smart, 0xE0), 1U);
}

TEST_F(SmartTest, SctStatusSaysWhatTheDeviceDoes) {
    start();
    EXPECT_EQ(read_smart_log(ata::kLogSctStatus), sct_status_log(SctDevice::active));
    firmware->delay = 100us;
    execute(SelfTest::kExtended);
    EXPECT_EQ(read_log(ata::kLogSctStatus)[10], std::byte{3}) << "a self-test in the background";
    expect_good(plain(Opcode::standby_immediate));
    EXPECT_EQ(read_log(ata::kLogSctStatus)[10], std::byte{1}) << "Standby, which it does not end";
    EXPECT_EQ(read_log(ata::kLogSctStatus)[10], std::byte{1});
    expect_good(plain(Opcode::idle_immediate));
    EXPECT_EQ(read_log(ata::kLogSctStatus)[10], std::byte{0});
}

TEST_F(SmartTest, UnreadableSectorsAndFaultsAreLoggedAbortsAreNot) {
    start();
    expect_abort(plain(Opcode::read_dma_ext, kCapacity, 1), ata::kIdNotFound);
    expect_abort(smart(0xDB));
    firmware->failures[64] = hal::HostStatus::uncorrectable;
    firmware->failures[72] = hal::HostStatus::write_fault;
    firmware->failures[80] = hal::HostStatus::aborted;
    send(plain(Opcode::read_dma_ext, 64, 8));
    run();
    send(plain(Opcode::read_verify_ext, 72, 8));
    run();
    send(plain(Opcode::read_verify_ext, 80, 8));
    run();
    const LogPage page = read_smart_log(ata::kLogSummaryError);
    EXPECT_EQ(page[1], std::byte{2}) << "two errors";
    EXPECT_EQ(page[2 + 48 + 7], std::byte{0x25});
    EXPECT_EQ(page[2 + 60 + 1], std::byte{0x40}) << "UNC";
    EXPECT_EQ(page[2 + 60 + 3], std::byte{64});
    EXPECT_EQ(page[2 + 90 + 48 + 7], std::byte{0x42});
    EXPECT_EQ(page[2 + 90 + 60 + 7], std::byte{0x71}) << "DF";
    EXPECT_EQ(read_log(ata::kLogComprehensiveError)[500], std::byte{2});
    cycle_power();
    EXPECT_EQ(read_smart_log(ata::kLogSummaryError), page) << "kept over a loss of power";
}

TEST_F(SmartTest, AFailedQueuedCommandIsLogged) {
    start();
    firmware->failures[64] = hal::HostStatus::uncorrectable;
    send(ncq(Opcode::read_fpdma_queued, 5, 64, 8));
    run();
    read_error_log(true);
    const LogPage page = read_smart_log(ata::kLogSummaryError);
    EXPECT_EQ(page[1], std::byte{1});
    EXPECT_EQ(page[2 + 48 + 7], std::byte{0x60});
}

TEST_F(SmartTest, TheShortTestReadsInTheBackground) {
    start();
    firmware->delay = 10us;
    execute(SelfTest::kShort);
    EXPECT_EQ(execution_status() >> 4U, 0xFU) << "in progress";
    run(10000);
    EXPECT_EQ(execution_status(), 0x00);
    EXPECT_EQ(newest_result(), 0x00);
    EXPECT_EQ(std::ranges::count(firmware->seen, hal::HostOpcode::verify,
                                 [](const auto& seen) { return seen.opcode; }),
              256);
    EXPECT_EQ(dram->accesses, 0U) << "no data move";
    EXPECT_EQ(device->slots_in_use(), 0U);
    EXPECT_EQ(read_log(ata::kLogExtendedSelfTest)[4], std::byte{1});
}

// 256 pieces, one after the other, 10 us each.
TEST_F(SmartTest, ATestTakesTheTimeOfItsReads) {
    start();
    firmware->delay = 10us;
    host->frames.clear();
    send(smart(ata::kSmartExecute, SelfTest::kShort | SelfTest::kCaptive));
    run(10);
    const Ps begin = host->sent_at.back();
    run(5000);
    ASSERT_EQ(host->types(), Types{FisType::register_d2h});
    EXPECT_EQ(d2h(0).status, 0x50);
    EXPECT_EQ(d2h(0).lba, hal::Lba{0xC24F00});
    EXPECT_EQ(host->frames[0].at, begin + 256 * Ps{10us} + FrameTiming(config).frame_time(20));
}

TEST_F(SmartTest, AnUnreadableSectorFailsTheTest) {
    start();
    firmware->failures[0] = hal::HostStatus::uncorrectable;
    execute(SelfTest::kExtended);
    run();
    EXPECT_EQ(execution_status() >> 4U, 7U);
    const LogPage page = read_smart_log(ata::kLogSelfTest);
    EXPECT_EQ(page[2], std::byte{2});
    EXPECT_EQ(page[2 + 5], std::byte{0}) << "the sector";
    transfer(smart(ata::kSmartExecute, SelfTest::kShort | SelfTest::kCaptive));
    ASSERT_EQ(host->types(), Types{FisType::register_d2h});
    EXPECT_EQ(d2h(0).status, 0x51);
    EXPECT_EQ(d2h(0).error, 0x04);
    EXPECT_EQ(d2h(0).lba, hal::Lba{0x2CF400});
}

TEST_F(SmartTest, WhatEndsATestIsInTheLog) {
    start();
    firmware->delay = 100us;
    execute(SelfTest::kExtended);
    execute(SelfTest::kAbort);
    EXPECT_EQ(newest_result() >> 4U, 1U) << "aborted by the host";
    execute(SelfTest::kExtended);
    expect_good(plain(Opcode::standby_immediate));
    EXPECT_EQ(newest_result() >> 4U, 1U);
    execute(SelfTest::kExtended);
    device->comreset();
    run();
    EXPECT_EQ(newest_result() >> 4U, 2U) << "interrupted by a reset";
    execute(SelfTest::kExtended);
    cycle_power();
    EXPECT_EQ(newest_result() >> 4U, 2U);
    EXPECT_EQ(device->slots_in_use(), 0U);
    EXPECT_EQ(read_smart_log(ata::kLogSelfTest)[508], std::byte{4});
}

// Each begins before firmware has read the first piece of the one before.
TEST_F(SmartTest, ManyTestsThatEndEachOtherTakeOneSlot) {
    start();
    firmware->delay = 1s;
    for (std::size_t i = 0; i < 2 * ata::kMostSlots; ++i) {
        send(smart(ata::kSmartExecute, SelfTest::kExtended));
        sc_core::sc_start(sc_core::sc_time(1, sc_core::SC_MS));
    }
    EXPECT_EQ(device->slots_in_use(), 1U);
    send(smart(ata::kSmartExecute, SelfTest::kAbort));
    sc_core::sc_start(sc_core::sc_time(1, sc_core::SC_SEC));
    EXPECT_EQ(device->slots_in_use(), 0U);
}

TEST_F(SmartTest, HostCommandsGoOnDuringATest) {
    start();
    firmware->delay = 100us;
    execute(SelfTest::kExtended);
    transfer(ncq(Opcode::read_fpdma_queued, 3, 64, 8));
    ASSERT_EQ(host->types(),
              (Types{FisType::register_d2h, FisType::dma_setup, FisType::data, FisType::set_device_bits}));
    firmware->failures[64] = hal::HostStatus::uncorrectable;
    send(ncq(Opcode::read_fpdma_queued, 3, 64, 8));
    run();
    EXPECT_TRUE(device->halted());
    read_error_log(true);
    EXPECT_EQ(execution_status() >> 4U, 0xFU) << "an error of the queue does not end it";
}

TEST_F(SmartTest, TheOffLineRoutineHasNothingToDo) {
    start();
    EXPECT_EQ(read(smart(ata::kSmartReadData))[362], std::byte{0});
    execute(0);
    EXPECT_EQ(read(smart(ata::kSmartReadData))[362], std::byte{2}) << "completed";
}

TEST_F(SmartTest, ReadVerifyMovesNoData) {
    start();
    expect_good(plain(Opcode::read_verify_ext, 0x1234, 0));
    ASSERT_EQ(firmware->seen.size(), 1U);
    EXPECT_EQ(firmware->seen[0].opcode, hal::HostOpcode::verify);
    EXPECT_EQ(firmware->seen[0].sectors, 65536U) << "count 0";
    EXPECT_TRUE(firmware->seen[0].fua) << "from media";
    RegisterH2d fis = plain(Opcode::read_verify, 0x234, 0);
    fis.device |= 1;
    expect_abort(fis, ata::kIdNotFound);
    fis.device = ata::kDeviceLba;
    expect_good(fis);
    EXPECT_EQ(firmware->seen[1].sectors, 256U);
    EXPECT_EQ(dram->accesses, 0U);
    firmware->failures[8] = hal::HostStatus::uncorrectable;
    expect_abort(plain(Opcode::read_verify_ext, 8, 8), ata::kUncorrectable);
    EXPECT_EQ(d2h(0).lba, hal::Lba{8});
}

// The signature; error 01h: passed.
TEST_F(SmartTest, DeviceDiagnostic) {
    start();
    transfer(plain(Opcode::execute_device_diagnostic));
    ASSERT_EQ(host->types(), Types{FisType::register_d2h});
    EXPECT_EQ(d2h(0), (RegisterD2h{true, 0x50, 0x01, hal::Lba{1}, 0, 1}));
}

TEST_F(SmartTest, PhyEventsCountSignaturesAfterComreset) {
    start();
    EXPECT_EQ(read_log(ata::kLogPhyEvents)[10], std::byte{0});
    device->comreset();
    device->comreset();
    run();
    EXPECT_EQ(read_log(ata::kLogPhyEvents)[10], std::byte{2});
    EXPECT_EQ(read(plain(Opcode::read_log_ext, ata::kLogPhyEvents, 1, 1))[10], std::byte{2}) << "and clears";
    EXPECT_EQ(read_log(ata::kLogPhyEvents)[10], std::byte{0});
}

}  // namespace
}  // namespace solidtlm::hw::test
