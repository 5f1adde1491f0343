// SPDX-License-Identifier: Apache-2.0
//
// Tests of the device when commands fail, and of its recovery.
#include <gtest/gtest.h>

#include <algorithm>

#include "hw/sata/device_fixture.h"
#include "hw/tlm/report_guard.h"

namespace solidtlm::hw::test {
namespace {

TEST_F(DeviceTest, UnknownAndUnsupportedCommandsAbort) {
    start();
    for (const int opcode : {0x00, 0x21, 0xB0, 0xA1, 0xFF}) {
        expect_abort(plain(static_cast<Opcode>(opcode)));
    }
    expect_abort(plain(Opcode::set_features, 0, 0, 0x55));
    expect_abort(plain(Opcode::read_log_ext, 0x05, 1));
    expect_abort(plain(Opcode::read_log_ext, ata::kLogNcqError, 2));
    expect_abort(plain(Opcode::data_set_management, 0, 1, 0));
    expect_abort(plain(Opcode::data_set_management, 0, 9, 1));
    expect_abort(plain(Opcode::data_set_management, 0, 0, 1));
    expect_abort(plain(Opcode::read_dma_ext, kCapacity - 1, 2), ata::kIdNotFound);
    expect_abort(plain(Opcode::write_dma_ext, kCapacity, 1), ata::kIdNotFound);
    EXPECT_FALSE(device->halted());
    expect_abort(ncq(Opcode::ncq_non_data, 4, 0, 0));
    EXPECT_TRUE(device->halted());
    const auto error = read_error_log(true);
    ASSERT_TRUE(error);
    EXPECT_EQ(error->tag, 4);
    EXPECT_TRUE(firmware->seen.empty());
}

TEST_F(DeviceTest, QueuedCommandBeyondTheDeviceHaltsTheQueueUntilTheLogIsRead) {
    start();
    expect_abort(ncq(Opcode::read_fpdma_queued, 11, kCapacity - 7, 8), ata::kIdNotFound);
    expect_abort(ncq(Opcode::read_fpdma_queued, 1, 0, 8));
    expect_abort(plain(Opcode::flush_cache));
    expect_abort(plain(Opcode::read_log_ext, ata::kLogDirectory, 1));
    const auto error = read_error_log(true);
    ASSERT_TRUE(error);
    EXPECT_EQ(error->tag, 11);
    EXPECT_FALSE(error->non_queued);
    EXPECT_EQ(error->error, ata::kIdNotFound);
    EXPECT_EQ(error->lba, hal::Lba{kCapacity - 7});
    EXPECT_EQ(error->count, 8);
    transfer(ncq(Opcode::read_fpdma_queued, 11, kCapacity - 8, 8));
    EXPECT_EQ(host->types().back(), FisType::set_device_bits) << "the last sectors are there";
}

TEST_F(DeviceTest, DuplicateTagAndTagOutOfRangeAbortEverything) {
    SataConfig settings;
    settings.queue_depth = 16;
    start(settings);
    firmware->delay = std::chrono::microseconds{100};
    send(ncq(Opcode::read_fpdma_queued, 2, 0, 8));
    run(10);
    send(ncq(Opcode::read_fpdma_queued, 2, 8, 8));
    run();
    ASSERT_EQ(host->types(), (Types{FisType::register_d2h, FisType::register_d2h}));
    EXPECT_EQ(d2h(1).status, 0x51);
    EXPECT_EQ(d2h(1).error, ata::kAbort);
    EXPECT_EQ(device->outstanding(), 0U);
    EXPECT_EQ(device->slots_in_use(), 0U) << "firmware gave the aborted command back";
    EXPECT_EQ(firmware->transfers_done, 1U) << "the transfer that it asked for still ended";
    EXPECT_TRUE(read_error_log(true));
    expect_abort(ncq(Opcode::read_fpdma_queued, 16, 0, 8));
    EXPECT_EQ(read_error_log(true)->tag, 16);
}

TEST_F(DeviceTest, NonQueuedCommandAmongQueuedOnesAbortsEverything) {
    start();
    firmware->delay = std::chrono::microseconds{50};
    send(ncq(Opcode::read_fpdma_queued, 0, 0, 8));
    send(ncq(Opcode::read_fpdma_queued, 1, 8, 8));
    run(10);
    transfer(plain(Opcode::flush_cache_ext));
    ASSERT_EQ(host->types(), Types{FisType::register_d2h});
    EXPECT_EQ(d2h(0).status, 0x51);
    EXPECT_EQ(d2h(0).error, ata::kAbort);
    EXPECT_EQ(device->statistics().aborted, 2U);
    EXPECT_EQ(device->slots_in_use(), 0U);
    const auto error = read_error_log(true);
    ASSERT_TRUE(error);
    EXPECT_TRUE(error->non_queued);
}

TEST_F(DeviceTest, MediaErrorStopsTheQueueAndNamesTheSector) {
    start();
    firmware->failures[64] = hal::HostStatus::uncorrectable;
    firmware->fail_after_sectors = 16;
    firmware->part_sectors = 16;
    send(ncq(Opcode::read_fpdma_queued, 5, 64, 64));
    send(ncq(Opcode::read_fpdma_queued, 6, 1024, 256));
    run();
    EXPECT_TRUE(device->halted());
    ASSERT_EQ(host->types().back(), FisType::set_device_bits);
    const SetDeviceBits fis = bits(host->frames.size() - 1);
    EXPECT_EQ(fis.status & ata::kErr, ata::kErr);
    EXPECT_EQ(fis.error, ata::kUncorrectable);
    EXPECT_EQ(fis.sactive, 0U);
    EXPECT_EQ(device->slots_in_use(), 0U);
    const auto error = read_error_log(true);
    ASSERT_TRUE(error);
    EXPECT_EQ(error->tag, 5);
    EXPECT_EQ(error->lba, hal::Lba{80}) << "16 sectors had reached the host";
    EXPECT_EQ(error->error, ata::kUncorrectable);
    firmware->failures.clear();
    transfer(ncq(Opcode::read_fpdma_queued, 5, 64, 16));
    EXPECT_EQ(host->types().back(), FisType::set_device_bits);
    EXPECT_FALSE(device->halted());
}

TEST_F(DeviceTest, ErrorWhileWriteDataAreOnTheWay) {
    start();
    firmware->failures[0] = hal::HostStatus::uncorrectable;
    firmware->delay = std::chrono::microseconds{20};
    dram->ps_per_byte = Ps{5000};  // a slow DRAM: the error comes while an access is under way
    host->provide(131072);
    send(ncq(Opcode::write_fpdma_queued, 1, 4096, 256));
    run(15);
    send(ncq(Opcode::read_fpdma_queued, 2, 0, 8));
    run(2000);
    EXPECT_TRUE(device->halted());
    EXPECT_EQ(device->outstanding(), 0U);
    EXPECT_EQ(device->slots_in_use(), 0U);
    host->outgoing.clear();
    EXPECT_EQ(read_error_log(true)->tag, 2);
    host->frames.clear();
    firmware->failures.clear();
    host->provide(4096);
    send(ncq(Opcode::write_fpdma_queued, 1, 4096, 8));
    run();
    EXPECT_EQ(host->types().back(), FisType::set_device_bits);
}

TEST_F(DeviceTest, NonQueuedErrorsNeedNoRecovery) {
    start();
    firmware->failures[8] = hal::HostStatus::uncorrectable;
    send(plain(Opcode::read_dma_ext, 8, 8));
    run();
    ASSERT_EQ(host->types(), Types{FisType::register_d2h});
    EXPECT_EQ(d2h(0).status, 0x51);
    EXPECT_EQ(d2h(0).error, ata::kUncorrectable);
    EXPECT_EQ(d2h(0).lba, hal::Lba{8});
    firmware->failures[16] = hal::HostStatus::write_fault;
    transfer(plain(Opcode::write_dma_ext, 16, 8));
    EXPECT_EQ(d2h(0).status, 0x71) << "DF";
    expect_good(plain(Opcode::flush_cache));
}

TEST_F(DeviceTest, SoftResetAbortsAndSendsTheSignature) {
    start();
    firmware->delay = std::chrono::microseconds{100};
    for (std::uint8_t tag = 0; tag < 4; ++tag) {
        send(ncq(Opcode::read_fpdma_queued, tag, std::uint64_t{tag} * 64, 64));
    }
    run(115);
    RegisterH2d control;
    control.is_command = false;
    control.control = ata::kSoftReset;
    send(control);
    control.control = 0;
    send(control);
    run();
    ASSERT_EQ(host->types().back(), FisType::register_d2h);
    const RegisterD2h fis = d2h(host->frames.size() - 1);
    EXPECT_EQ(fis.status, 0x50);
    EXPECT_EQ(fis.error, 1);
    EXPECT_EQ(device->outstanding(), 0U);
    EXPECT_EQ(device->slots_in_use(), 0U);
    transfer(ncq(Opcode::read_fpdma_queued, 0, 0, 8));
    EXPECT_EQ(host->types().back(), FisType::set_device_bits);
}

// The device refuses a non-queued command among queued ones, and the status waits until the link has sent its
// Data FISes. If a reset comes before that, the status is dropped, so the only Register FIS left is the
// signature.
TEST_F(DeviceTest, AResetForgetsTheStatusThatWaits) {
    for (const bool by_control : {false, true}) {
        if (by_control) {
            expect_good(plain(Opcode::flush_cache));
        } else {
            start();
        }
        host->frames.clear();
        send(ncq(Opcode::read_fpdma_queued, 0, 0, 64));
        run(10);
        send(plain(Opcode::flush_cache));
        run(20);
        host->frames.clear();
        if (by_control) {
            RegisterH2d control;
            control.is_command = false;
            control.control = ata::kSoftReset;
            send(control);
            control.control = 0;
            send(control);
        } else {
            device->comreset();
        }
        run();
        ASSERT_EQ(std::ranges::count(host->types(), FisType::register_d2h), 1);
        EXPECT_EQ(d2h(host->frames.size() - 1).error, 1) << "diagnostics passed: the signature";
        EXPECT_EQ(d2h(host->frames.size() - 1).status, 0x50);
    }
}

TEST_F(DeviceTest, ResetEndsAHaltedQueue) {
    start();
    expect_abort(ncq(Opcode::read_fpdma_queued, 0, kCapacity, 1), ata::kIdNotFound);
    device->comreset();
    run();
    EXPECT_FALSE(device->halted());
    expect_good(plain(Opcode::flush_cache));
    EXPECT_FALSE(read_error_log(false)->status) << "the log forgets, too";
}

TEST_F(DeviceTest, StartsFromScratchAfterAPowerCut) {
    start();
    firmware->delay = std::chrono::microseconds{30};
    host->provide(131072);
    send(ncq(Opcode::write_fpdma_queued, 0, 0, 256));
    run(60);
    device->power_cut();
    link->power_cut();
    checkers.power_cut();
    const std::size_t before = host->frames.size();
    run();
    EXPECT_EQ(host->frames.size(), before);
    EXPECT_EQ(device->slots_in_use(), 0U);
    device->power_on();
    run();
    ASSERT_EQ(host->frames.size(), before + 1);
    EXPECT_EQ(d2h(before).error, 1);
}

// COMRESET over the link while a queued read sends its data: frames under way are lost, the signature comes
// with PHY ready, and the queue is empty.
TEST_F(DeviceTest, ComresetOverTheLink) {
    start();
    send(ncq(Opcode::read_fpdma_queued, 3, 0, 64));
    run(10);
    host->frames.clear();
    host->signal(LinkSignal::comreset);
    run();
    EXPECT_TRUE(host->frames.empty());
    EXPECT_EQ(device->outstanding(), 0U);
    EXPECT_EQ(device->slots_in_use(), 0U);
    EXPECT_EQ(host->signal(LinkSignal::phy_ready), 3);
    run();
    ASSERT_EQ(host->types(), Types{FisType::register_d2h});
    EXPECT_EQ(d2h(0).error, 1);
    EXPECT_EQ(d2h(0).status, 0x50);
    transfer(ncq(Opcode::read_fpdma_queued, 3, 0, 8));
    EXPECT_EQ(host->types().back(), FisType::set_device_bits);
    // both signals at one instant, while a command is on its way
    send(ncq(Opcode::read_fpdma_queued, 3, 0, 64));
    run(10);
    host->frames.clear();
    host->signal(LinkSignal::comreset);
    host->signal(LinkSignal::phy_ready);
    run();
    EXPECT_EQ(host->types(), Types{FisType::register_d2h});
    EXPECT_EQ(device->slots_in_use(), 0U);
}

// COMRESET while SRST is set: the device still recovers.
TEST_F(DeviceTest, ComresetEndsASoftReset) {
    start();
    RegisterH2d control;
    control.is_command = false;
    control.control = ata::kSoftReset;
    send(control);
    run();
    host->signal(LinkSignal::comreset);
    host->signal(LinkSignal::phy_ready);
    run();
    expect_good(plain(Opcode::flush_cache));
}

// The status of a reset waits until the link has sent its frames. The device would answer an earlier command
// among the Data FISes of an aborted one.
TEST_F(DeviceTest, ACommandBeforeTheSignatureOfAResetIsNotTaken) {
    start();
    send(ncq(Opcode::read_fpdma_queued, 0, 0, 64));
    run(10);
    host->frames.clear();
    sc_core::sc_report_handler::set_actions("/ssd/sata", sc_core::SC_ERROR, sc_core::SC_DO_NOTHING);
    const ExpectReport expected("/ssd/sata");
    device->comreset();
    send(plain(Opcode::identify_device));
    run();
    EXPECT_EQ(expected.seen(), 1);
    EXPECT_EQ(host->types(), (Types{FisType::data, FisType::data, FisType::register_d2h}));
    EXPECT_EQ(device->slots_in_use(), 0U);
    transfer(plain(Opcode::identify_device));
    ASSERT_EQ(host->types(), (Types{FisType::pio_setup, FisType::data}));
    EXPECT_EQ(host->frames.back().bytes, 512U);
}

TEST_F(DeviceTest, AHostThatBreaksTheProtocolIsReported) {
    start();
    firmware->delay = std::chrono::microseconds{50};
    send(ncq(Opcode::read_fpdma_queued, 0, 0, 8));
    run(5);
    ExpectReport expected("/ssd/sata");
    std::vector<std::byte> data(512);
    host->send(encode_data(), data.data(), 512);
    EXPECT_THROW(run(), sc_core::sc_report);
}

}  // namespace
}  // namespace solidtlm::hw::test
