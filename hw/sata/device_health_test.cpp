// SPDX-License-Identifier: Apache-2.0
//
// Tests of SMART (B0h), READ LOG DMA EXT (47h), the Device Statistics log and WRITE UNCORRECTABLE EXT (45h)
// on the wire.
#include <gtest/gtest.h>

#include "hw/sata/device_fixture.h"
#include "hw/sata/health_pages.h"

namespace solidtlm::hw::test {
namespace {

using namespace std::chrono_literals;

constexpr std::uint64_t kSignatureLba = 0xC24F00;

class HealthTest : public DeviceTest {
  protected:
    static RegisterH2d smart(int subcommand, std::uint64_t lba = kSignatureLba) {
        return plain(Opcode::smart, lba, 0, static_cast<std::uint16_t>(subcommand));
    }
    void report(const hal::HealthReport& health) { firmware->health = health; }
    static hal::HealthReport some_health() {
        hal::HealthReport health;
        health.sectors_written = 4711;
        health.percentage_used = 12;
        return health;
    }
};

TEST_F(HealthTest, SmartReadDataIsAPioBlockMadeFromTheHealthReport) {
    start();
    report(some_health());
    firmware->delay = 20us;
    transfer(smart(ata::kSmartReadData));
    ASSERT_EQ(host->types(), (Types{FisType::pio_setup, FisType::data}));
    const PioSetup setup = decode<PioSetup>(host->frames[0].header.bytes.data());
    EXPECT_TRUE(setup.device_to_host);
    EXPECT_EQ(setup.status, 0x58) << "DRQ";
    EXPECT_EQ(setup.end_status, 0x50);
    EXPECT_EQ(setup.transfer_bytes, 512);
    // 200,000 sectors take less than a minute on the link
    EXPECT_EQ(page(1), smart_data(some_health(), {.extended_minutes = 1}));
    ASSERT_EQ(firmware->seen.size(), 1U);
    EXPECT_EQ(firmware->seen[0].opcode, hal::HostOpcode::report_health);
    EXPECT_GE(host->frames[0].at - host->sent_at.back(), 20us) << "firmware's time counts";
    EXPECT_EQ(device->statistics().completed, 1U);
    EXPECT_EQ(device->slots_in_use(), 0U);
}

TEST_F(HealthTest, SmartReturnStatusAnswersWithASignature) {
    start();
    report({});
    expect_good(smart(ata::kSmartReturnStatus));
    EXPECT_EQ(d2h(0).lba.value >> 8U & 0xFFFFU, 0xC24FU) << "no threshold exceeded";
    hal::HealthReport failing;
    failing.reserve_percent = 5;
    report(failing);
    expect_good(smart(ata::kSmartReturnStatus));
    EXPECT_EQ(d2h(0).lba.value >> 8U & 0xFFFFU, 0x2CF4U);
}

TEST_F(HealthTest, OtherSmartCommandsAreAborted) {
    start();
    for (const int subcommand : {0xD3, 0xD6, 0xDB, 0x00}) {  // save values, write log, automatic off-line
        expect_abort(smart(subcommand));
    }
    expect_abort(plain(Opcode::smart, kSignatureLba, 1, ata::kSmartAutosave));       // neither 00h nor F1h
    expect_abort(smart(ata::kSmartExecute, kSignatureLba | 3));                      // no conveyance test
    expect_abort(smart(ata::kSmartReadLog, kSignatureLba | ata::kLogSummaryError));  // no pages
    for (const int subcommand : {0xD0, 0xD1, 0xD2, 0xD4, 0xD5, 0xD8, 0xD9, 0xDA}) {
        expect_abort(smart(subcommand, 0));
        expect_abort(smart(subcommand, 0x4FC200));
    }
    EXPECT_TRUE(firmware->seen.empty());
}

TEST_F(HealthTest, WhileSmartIsDisabledOnlyEnableIsAccepted) {
    start();
    const auto enabled = [this] {
        IdentifyFacts facts;
        EXPECT_TRUE(parse_identify(read(plain(Opcode::identify_device)), facts));
        return facts.smart_enabled;
    };
    EXPECT_TRUE(enabled());
    expect_good(smart(ata::kSmartDisable));
    EXPECT_FALSE(enabled());
    for (const std::uint8_t subcommand :
         {ata::kSmartReadData, ata::kSmartReadThresholds, ata::kSmartReturnStatus, ata::kSmartDisable,
          ata::kSmartAutosave, ata::kSmartExecute, ata::kSmartReadLog}) {
        expect_abort(smart(subcommand));
    }
    device->comreset();
    run();
    EXPECT_FALSE(enabled()) << "resets do not change it";
    cycle_power();
    EXPECT_FALSE(enabled()) << "nor does a loss of power";
    expect_good(smart(ata::kSmartEnable));
    EXPECT_TRUE(enabled());
}

TEST_F(HealthTest, DeviceStatisticsByPio) {
    start();
    report(some_health());
    transfer(plain(Opcode::read_log_ext, 0x0000'0000'0004, 2));  // pages 0 and 1
    ASSERT_EQ(host->types(), (Types{FisType::pio_setup, FisType::data, FisType::pio_setup, FisType::data}));
    EXPECT_EQ(page(1), statistics_page(0, some_health()));
    EXPECT_EQ(page(3), statistics_page(1, some_health()));
    EXPECT_EQ(read(plain(Opcode::read_log_ext, 0x0000'0000'0704, 1)), statistics_page(7, some_health()));
}

TEST_F(HealthTest, DeviceStatisticsByDmaAreOneDataFis) {
    start();
    report(some_health());
    transfer(plain(Opcode::read_log_dma_ext, 0x0000'0000'0004, 8));
    ASSERT_EQ(host->types(), (Types{FisType::data, FisType::register_d2h}));
    ASSERT_EQ(host->frames[0].bytes, 8U * 512U);
    for (std::uint32_t i = 0; i < 8; ++i) {
        EXPECT_EQ(page(0, i * 512), statistics_page(i, some_health()));
    }
    EXPECT_EQ(d2h(1).status, 0x50);
    EXPECT_EQ(d2h(1).error, 0);
    EXPECT_TRUE(d2h(1).interrupt);
    EXPECT_EQ(device->statistics().completed, 1U);
}

// Dwords on the wire: SOF, CRC and EOF of each frame, then the turnaround, and two ALIGN every 254 dwords.
TEST_F(HealthTest, AnAnswerByDmaTakesTheTimeOfItsFrames) {
    start();
    report({});
    transfer(plain(Opcode::read_log_dma_ext, 0x0000'0000'0004, 4));
    ASSERT_EQ(host->types(), (Types{FisType::data, FisType::register_d2h}));
    const Ps between = host->frames[1].at - host->frames[0].at;
    const Ps at_least = FrameTiming(config).frame_time(20);
    EXPECT_EQ(between, at_least) << "the Register FIS follows at once";
}

TEST_F(HealthTest, LogsByDmaOrPioAreTheSame) {
    start();
    for (const std::uint64_t log : {0x00, 0x13, 0x130}) {
        const LogPage by_pio = read(plain(Opcode::read_log_ext, log, 1));
        transfer(plain(Opcode::read_log_dma_ext, log, 1));
        ASSERT_EQ(host->types(), (Types{FisType::data, FisType::register_d2h}));
        EXPECT_EQ(page(0), by_pio);
    }
}

TEST_F(HealthTest, LogsAndPagesThatAreNotThereAreAborted) {
    start();
    for (const Opcode opcode : {Opcode::read_log_ext, Opcode::read_log_dma_ext}) {
        expect_abort(plain(opcode, 0x04, 0));
        expect_abort(plain(opcode, 0x04, 9));
        expect_abort(plain(opcode, 0x0704, 2));
        expect_abort(plain(opcode, 0x01'0000'0004, 1));  // page 0100h
        expect_abort(plain(opcode, 0x05, 1));
    }
    EXPECT_TRUE(firmware->seen.empty());
}

TEST_F(HealthTest, ReadLogDmaExtOfTheErrorLogEndsTheHalt) {
    start();
    firmware->failures[64] = hal::HostStatus::uncorrectable;
    send(ncq(Opcode::read_fpdma_queued, 5, 64, 8));
    run();
    ASSERT_TRUE(device->halted());
    transfer(plain(Opcode::read_log_dma_ext, ata::kLogNcqError, 1));
    ASSERT_EQ(host->types(), (Types{FisType::set_device_bits, FisType::data, FisType::register_d2h}));
    EXPECT_EQ(bits(0).sactive, 0xFFFFFFFFU);
    const auto error = parse_ncq_error_log(host->frames[1].content);
    ASSERT_TRUE(error);
    EXPECT_EQ(error->tag, 5);
    EXPECT_EQ(error->error, 0x40) << "UNC";
    EXPECT_FALSE(device->halted());
}

// ACS-3 4.16: a non-queued command among queued ones aborts them all.
TEST_F(HealthTest, HealthCommandsAmongQueuedOnesAbortThem) {
    const std::vector<RegisterH2d> unqueued{smart(ata::kSmartReadData),
                                            smart(ata::kSmartReturnStatus),
                                            smart(ata::kSmartEnable),
                                            plain(Opcode::read_log_ext, 0x04, 1),
                                            plain(Opcode::read_log_dma_ext, 0x04, 1),
                                            plain(Opcode::write_uncorrectable_ext, 8, 1, 0x55)};
    start();
    firmware->delay = 100us;
    for (const RegisterH2d& fis : unqueued) {
        send(ncq(Opcode::read_fpdma_queued, 3, 64, 8));
        run(10);
        ASSERT_EQ(device->outstanding(), 1U);
        expect_abort(fis);
        EXPECT_TRUE(device->halted());
        const auto error = read_error_log(true);
        ASSERT_TRUE(error);
        EXPECT_TRUE(error->non_queued);
    }
}

// While firmware makes a report, the device takes no other command.
TEST_F(HealthTest, NothingElseIsTakenWhileFirmwareReports) {
    start();
    firmware->delay = 100us;
    send(smart(ata::kSmartReadData));
    run(10);
    ASSERT_EQ(device->outstanding(), 1U);
    send(ncq(Opcode::read_fpdma_queued, 3, 64, 8));
    run();
    ASSERT_EQ(host->types(), Types{FisType::register_d2h});
    EXPECT_EQ(d2h(0).error, 0x04);
    EXPECT_EQ(device->slots_in_use(), 0U) << "the report comes too late and is dropped";
}

TEST_F(HealthTest, WriteUncorrectableExtGoesToTheFirmware) {
    start();
    expect_good(plain(Opcode::write_uncorrectable_ext, 0x1234, 16, 0x55));
    ASSERT_EQ(firmware->seen.size(), 1U);
    EXPECT_EQ(firmware->seen[0].opcode, hal::HostOpcode::write_uncorrectable);
    EXPECT_EQ(firmware->seen[0].lba, hal::Lba{0x1234});
    EXPECT_EQ(firmware->seen[0].sectors, 16U);
    expect_good(plain(Opcode::write_uncorrectable_ext, 0, 0, 0x55));
    EXPECT_EQ(firmware->seen[1].sectors, 65536U) << "count 0";
    EXPECT_EQ(dram->accesses, 0U) << "no data";
    for (const int kind : {0xAA, 0x5A, 0xA5, 0x00}) {
        expect_abort(plain(Opcode::write_uncorrectable_ext, 8, 1, static_cast<std::uint16_t>(kind)));
    }
    expect_abort(plain(Opcode::write_uncorrectable_ext, kCapacity - 1, 2, 0x55), ata::kIdNotFound);
    EXPECT_EQ(firmware->seen.size(), 2U);
    firmware->failures[8] = hal::HostStatus::aborted;
    expect_abort(plain(Opcode::write_uncorrectable_ext, 8, 1, 0x55));
}

TEST_F(HealthTest, NoLogCanBeWritten) {
    start();
    for (const int opcode : {0x3F, 0x57}) {  // WRITE LOG EXT, WRITE LOG DMA EXT
        RegisterH2d fis = plain(Opcode::read_log_ext, 0x04, 1);
        fis.command = static_cast<std::uint8_t>(opcode);
        expect_abort(fis);
    }
}

}  // namespace
}  // namespace solidtlm::hw::test
