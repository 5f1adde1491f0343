// SPDX-License-Identifier: Apache-2.0
//
// Tests of queued commands that the device does not carry out: NCQ NON-DATA (63h) and RECEIVE FPDMA QUEUED
// (65h), which IDENTIFY DEVICE word 77 and log 13h do not announce, and forms of SEND FPDMA QUEUED (64h) that
// log 13h does not announce or whose fields make no sense. ACS-3 4.16 and 7.18: the device answers such a
// command with a Register FIS (ERR, ABRT), aborts every outstanding command, and refuses all others until the
// host has read log 10h, which names the tag at fault. SATA 3.2, 13.6: the device sends the host nothing else
// before that.
#include <gtest/gtest.h>

#include <string>

#include "hw/sata/device_fixture.h"
#include "hw/sata/dsm.h"

namespace solidtlm::hw::test {
namespace {

struct Refused {
    std::string name;
    Opcode opcode = Opcode::receive_fpdma_queued;
    std::uint8_t subcommand = 0;  ///< COUNT 12:8
    std::uint32_t auxiliary = 0;
    std::uint16_t features = 1;  ///< blocks of 512 bytes
};

void PrintTo(const Refused& refused, std::ostream* out) {
    *out << refused.name;
}

class RefusedQueuedTest : public DeviceTest, public testing::WithParamInterface<Refused> {
  protected:
    static RegisterH2d refused(std::uint8_t tag) {
        RegisterH2d fis = ncq(GetParam().opcode, tag, 0x1234, GetParam().features);
        fis.count = static_cast<std::uint16_t>(fis.count | GetParam().subcommand << 8U);
        fis.auxiliary = GetParam().auxiliary;
        return fis;
    }

    /// Sends reads with these tags; the device accepts them and the firmware holds them back.
    void hold_reads(const std::vector<std::uint8_t>& tags) {
        firmware->delay = std::chrono::microseconds{100};
        for (const std::uint8_t tag : tags) {
            send(ncq(Opcode::read_fpdma_queued, tag, std::uint64_t{tag} * 8, 8));
        }
        run(10);
        ASSERT_EQ(host->types(), Types(tags.size(), FisType::register_d2h)) << "accepted, BSY released";
        ASSERT_EQ(device->outstanding(), tags.size());
        host->frames.clear();
    }

    /// The host got one Register FIS and nothing else; the queue is empty and halted.
    void expect_refusal() {
        ASSERT_EQ(host->types(), Types{FisType::register_d2h});
        EXPECT_EQ(d2h(0).status, 0x51) << "DRDY, bit 4, ERR";
        EXPECT_EQ(d2h(0).error, 0x04) << "ABRT";
        EXPECT_TRUE(d2h(0).interrupt);
        EXPECT_TRUE(device->halted());
        EXPECT_EQ(device->outstanding(), 0U);
        EXPECT_EQ(device->slots_in_use(), 0U) << "firmware gave what was aborted back";
    }

    void expect_log_names(std::uint8_t tag) {
        const auto error = read_error_log(true);
        ASSERT_TRUE(error);
        EXPECT_FALSE(error->non_queued);
        EXPECT_EQ(error->tag, tag);
        EXPECT_EQ(error->status, 0x51);
        EXPECT_EQ(error->error, 0x04);
        EXPECT_EQ(error->lba, hal::Lba{0x1234});
        EXPECT_EQ(error->device, ata::kDeviceLba);
        EXPECT_EQ(error->count, GetParam().features) << "of an NCQ command the length is in FEATURES";
        EXPECT_FALSE(device->halted());
    }

    /// The queue takes commands again, also with the refused tag.
    void expect_works(std::uint8_t tag) {
        firmware->delay = {};
        transfer(ncq(Opcode::read_fpdma_queued, tag, 64, 8));
        ASSERT_EQ(host->types(), (Types{FisType::register_d2h, FisType::dma_setup, FisType::data,
                                        FisType::set_device_bits}));
        EXPECT_EQ(bits(3).sactive, 1U << tag);
        EXPECT_EQ(bits(3).status & ata::kErr, 0);
    }
};

TEST_P(RefusedQueuedTest, AloneItHaltsTheQueueUntilTheLogIsRead) {
    start();
    send(refused(13));
    run();
    expect_refusal();
    EXPECT_EQ(device->statistics().failed, 1U);
    EXPECT_EQ(device->statistics().accepted, 0U);
    expect_abort(ncq(Opcode::read_fpdma_queued, 1, 0, 8));
    expect_abort(refused(14));
    expect_log_names(13);
    EXPECT_TRUE(firmware->seen.empty());
    expect_works(13);
}

TEST_P(RefusedQueuedTest, AmongQueuedCommandsItAbortsThemAll) {
    start();
    hold_reads({0, 31});
    send(refused(7));
    run();
    expect_refusal();
    EXPECT_EQ(device->statistics().aborted, 2U);
    EXPECT_EQ(device->statistics().completed, 0U);
    expect_log_names(7);
    expect_works(31);
}

TEST_P(RefusedQueuedTest, WithTheTagOfAnOutstandingCommand) {
    start();
    hold_reads({2, 3});
    send(refused(2));
    run();
    expect_refusal();
    EXPECT_EQ(device->statistics().aborted, 2U);
    expect_log_names(2);
    expect_works(2);
}

TEST_P(RefusedQueuedTest, WithATagBeyondTheQueue) {
    SataConfig settings;
    settings.queue_depth = 16;
    start(settings);
    hold_reads({15});
    send(refused(16));
    run();
    expect_refusal();
    EXPECT_EQ(device->statistics().aborted, 1U);
    expect_log_names(16);
    expect_works(15);
}

TEST_P(RefusedQueuedTest, WhileACommandThatIsNotQueuedRuns) {
    start();
    firmware->delay = std::chrono::microseconds{100};
    send(plain(Opcode::flush_cache_ext));
    run(10);
    ASSERT_EQ(device->outstanding(), 1U);
    send(refused(5));
    run();
    expect_refusal();
    EXPECT_EQ(device->statistics().aborted, 1U);
    expect_log_names(5);
    expect_works(5);
}

// SEND FPDMA QUEUED: log 13h announces subcommand 0 (DATA SET MANAGEMENT) with TRIM, IDENTIFY word 105 at
// most 8 blocks.
INSTANTIATE_TEST_SUITE_P(
    Commands, RefusedQueuedTest,
    testing::Values(Refused{"NcqNonData", Opcode::ncq_non_data, 0, 0, 0},
                    Refused{"NcqNonDataDeadlineHandling", Opcode::ncq_non_data, 1, 0, 0},
                    Refused{"ReceiveReservedSubcommand", Opcode::receive_fpdma_queued, 0, 0, 1},
                    Refused{"ReceiveReadLogDmaExt", Opcode::receive_fpdma_queued, 1, 0, 1},
                    Refused{"ReceiveWithTheTrimBit", Opcode::receive_fpdma_queued, 0, ata::kDsmTrim, 1},
                    Refused{"SendReservedSubcommand", Opcode::send_fpdma_queued, 1, ata::kDsmTrim, 1},
                    Refused{"SendWithoutTheTrimBit", Opcode::send_fpdma_queued, 0, 0, 1},
                    Refused{"SendOfNoBlocks", Opcode::send_fpdma_queued, 0, ata::kDsmTrim, 0},
                    Refused{"SendOfTooManyBlocks", Opcode::send_fpdma_queued, 0, ata::kDsmTrim, 9}),
    [](const testing::TestParamInfo<Refused>& parameter) { return parameter.param.name; });

// The form of 64h that the device does carry out obeys the rules of every queued command.
class SendQueuedTest : public DeviceTest {
  protected:
    RegisterH2d trim(std::uint8_t tag, std::uint64_t lba) {
        std::vector<std::byte> blocks;
        encode_dsm(std::vector<hal::TrimRange>{{hal::Lba{lba}, 8}}, blocks);
        host->provide(blocks);
        RegisterH2d fis = ncq(Opcode::send_fpdma_queued, tag, 0, 1);
        fis.auxiliary = ata::kDsmTrim;
        return fis;
    }
};

TEST_F(SendQueuedTest, DuplicateTagAbortsEverything) {
    start();
    firmware->delay = std::chrono::microseconds{100};
    send(trim(4, 8));
    run(10);
    transfer(trim(4, 16));
    ASSERT_EQ(host->types(), Types{FisType::register_d2h});
    EXPECT_EQ(d2h(0).status, 0x51);
    EXPECT_EQ(d2h(0).error, 0x04);
    EXPECT_EQ(device->statistics().aborted, 1U);
    EXPECT_EQ(device->slots_in_use(), 0U);
    EXPECT_EQ(read_error_log(true)->tag, 4);
}

TEST_F(SendQueuedTest, TagBeyondTheQueueAborts) {
    SataConfig settings;
    settings.queue_depth = 4;
    start(settings);
    RegisterH2d fis = ncq(Opcode::send_fpdma_queued, 4, 0, 1);
    fis.auxiliary = ata::kDsmTrim;
    expect_abort(fis);
    EXPECT_EQ(read_error_log(true)->tag, 4);
    EXPECT_TRUE(firmware->seen.empty());
}

// Only the data, after the command was accepted, say that the range lies beyond the device: the error comes
// as a Set Device Bits FIS, not as a Register FIS.
TEST_F(SendQueuedTest, RangeBeyondTheDeviceEndsWithASetDeviceBitsError) {
    start();
    send(trim(6, kCapacity - 7));
    run();
    ASSERT_EQ(host->types(), (Types{FisType::register_d2h, FisType::dma_setup, FisType::set_device_bits}));
    EXPECT_EQ(bits(2).status & ata::kErr, ata::kErr);
    EXPECT_EQ(bits(2).error, ata::kIdNotFound);
    EXPECT_EQ(bits(2).sactive, 0U) << "the tag stays outstanding for the host";
    EXPECT_TRUE(device->halted());
    EXPECT_TRUE(firmware->seen.empty());
    const auto error = read_error_log(true);
    ASSERT_TRUE(error);
    EXPECT_EQ(error->tag, 6);
    EXPECT_EQ(error->lba, hal::Lba{kCapacity - 7});
}

}  // namespace
}  // namespace solidtlm::hw::test
