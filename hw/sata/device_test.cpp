// SPDX-License-Identifier: Apache-2.0
//
// Tests the device against the ATA rules, FIS by FIS.
#include "hw/sata/device.h"

#include <gtest/gtest.h>

#include <bit>

#include "hw/sata/device_fixture.h"
#include "hw/sata/dsm.h"

namespace solidtlm::hw::test {
namespace {

TEST_F(DeviceTest, PowerOnSendsTheSignature) {
    start();
    ASSERT_EQ(signature.size(), 1U);
    const RegisterD2h fis = decode<RegisterD2h>(signature[0].header.bytes.data());
    EXPECT_EQ(fis.status, 0x50);
    EXPECT_EQ(fis.error, 0x01);
    EXPECT_EQ(fis.count, 1);
    EXPECT_EQ(fis.lba, hal::Lba{1});
}

TEST_F(DeviceTest, IdentifyIsPioDataIn) {
    start();
    send(plain(Opcode::identify_device));
    run();
    ASSERT_EQ(host->types(), (Types{FisType::pio_setup, FisType::data}));
    const PioSetup setup = decode<PioSetup>(host->frames[0].header.bytes.data());
    EXPECT_TRUE(setup.device_to_host);
    EXPECT_EQ(setup.transfer_bytes, 512);
    EXPECT_EQ(setup.status, 0x58);
    EXPECT_EQ(setup.end_status, 0x50);
    IdentifyFacts facts;
    ASSERT_TRUE(parse_identify(host->frames[1].content, facts));
    EXPECT_EQ(facts.capacity_sectors, kCapacity);
}

TEST_F(DeviceTest, QueuedReadIsFiveFramesWithExactInstants) {
    start();
    const Ps begin = now();
    hal::Ledger ledger;
    ledger.start(hal::Stage::host_queue, begin);
    dram->ps_per_byte = Ps{156};
    dram->wait = std::chrono::nanoseconds{40};
    firmware->delay = std::chrono::microseconds{5};
    host->send(encode(ncq(Opcode::read_fpdma_queued, 7, 100, 8)), nullptr, 0, &ledger);
    run();
    ASSERT_EQ(host->types(),
              (Types{FisType::register_d2h, FisType::dma_setup, FisType::data, FisType::set_device_bits}));
    EXPECT_FALSE(d2h(0).interrupt);
    EXPECT_EQ(d2h(0).status & ata::kBusy, 0);
    const DmaSetup setup = decode<DmaSetup>(host->frames[1].header.bytes.data());
    EXPECT_TRUE(setup.device_to_host);
    EXPECT_EQ(setup.tag, 7);
    EXPECT_EQ(setup.transfer_bytes, 4096U);
    EXPECT_EQ(host->frames[2].bytes, 4096U);
    EXPECT_EQ(bits(3).sactive, 1U << 7U);
    EXPECT_EQ(bits(3).status, ata::kReady);
    const Ps received = begin + link->frame_time(20);
    const Ps loaded = received + firmware->delay + dram->wait + Ps{4096 * 156};
    EXPECT_EQ(host->frames[0].at, received + link->frame_time(20));
    EXPECT_EQ(host->frames[1].at, loaded + link->frame_time(28));
    EXPECT_EQ(host->frames[2].at, loaded + link->frame_time(28) + link->frame_time(4100));
    EXPECT_EQ(host->frames[3].at, host->frames[2].at + link->frame_time(8));
    ledger.enter(ledger.current(), host->frames[3].at);
    EXPECT_EQ(ledger.total(), host->frames[3].at - begin);
    using hal::Stage;
    EXPECT_EQ(ledger[Stage::dram_wait], dram->wait);
    EXPECT_EQ(ledger[Stage::dram_transfer], Ps{4096 * 156});
    EXPECT_EQ(ledger[Stage::link_transfer],
              link->frame_time(20) + link->frame_time(28) + link->frame_time(4100));
    EXPECT_EQ(ledger[Stage::firmware_execute], firmware->delay);
    EXPECT_EQ(ledger[Stage::completion], link->frame_time(8));
    EXPECT_EQ(ledger[Stage::link_wait], Ps{0});
}

TEST_F(DeviceTest, AnIdealLinkTakesNoTimeAndTheSameFrames) {
    SataConfig settings;
    settings.generation = SataGeneration::ideal;
    start(settings);
    const Ps begin = now();
    hal::Ledger ledger;
    ledger.start(hal::Stage::host_queue, begin);
    dram->ps_per_byte = Ps{156};
    dram->wait = std::chrono::nanoseconds{40};
    firmware->delay = std::chrono::microseconds{5};
    host->send(encode(ncq(Opcode::read_fpdma_queued, 7, 100, 8)), nullptr, 0, &ledger);
    run();
    ASSERT_EQ(host->types(),
              (Types{FisType::register_d2h, FisType::dma_setup, FisType::data, FisType::set_device_bits}));
    const Ps loaded = begin + firmware->delay + dram->wait + Ps{4096 * 156};
    EXPECT_EQ(host->frames[0].at, begin) << "accepted in the instant of the command";
    for (const std::size_t frame : {1, 2, 3}) {
        EXPECT_EQ(host->frames[frame].at, loaded);
    }
    ledger.enter(ledger.current(), host->frames[3].at);
    EXPECT_EQ(ledger.total(), loaded - begin);
    using hal::Stage;
    EXPECT_EQ(ledger[Stage::dram_wait] + ledger[Stage::dram_transfer] + ledger[Stage::firmware_execute],
              loaded - begin);
}

TEST_F(DeviceTest, QueuedWriteWithAutoActivate) {
    start();
    host->provide(65536);
    send(ncq(Opcode::write_fpdma_queued, 31, 8, 128));
    run();
    Types expected{FisType::register_d2h, FisType::dma_setup};
    expected.insert(expected.end(), 7, FisType::dma_activate);
    expected.push_back(FisType::set_device_bits);
    EXPECT_EQ(host->types(), expected) << "eight Data FISes, a DMA Activate before all but the first";
    const DmaSetup setup = decode<DmaSetup>(host->frames[1].header.bytes.data());
    EXPECT_TRUE(setup.auto_activate);
    EXPECT_FALSE(setup.device_to_host);
    EXPECT_EQ(setup.transfer_bytes, 65536U);
    EXPECT_EQ(bits(9).sactive, 1U << 31U);
}

TEST_F(DeviceTest, QueuedWriteWithoutAutoActivate) {
    SataConfig settings;
    settings.auto_activate = false;
    start(settings);
    host->provide(16384);
    send(ncq(Opcode::write_fpdma_queued, 0, 8, 32));
    run();
    EXPECT_EQ(host->types(), (Types{FisType::register_d2h, FisType::dma_setup, FisType::dma_activate,
                                    FisType::dma_activate, FisType::set_device_bits}));
    EXPECT_FALSE(decode<DmaSetup>(host->frames[1].header.bytes.data()).auto_activate);
    expect_abort(plain(Opcode::set_features, 0, ata::kSataAutoActivate, ata::kFeatureSataOn));
}

TEST_F(DeviceTest, SetFeaturesTurnsAutoActivateOff) {
    start();
    expect_good(plain(Opcode::set_features, 0, ata::kSataAutoActivate, ata::kFeatureSataOff));
    host->frames.clear();
    host->provide(4096);
    send(ncq(Opcode::write_fpdma_queued, 0, 8, 8));
    run();
    EXPECT_EQ(host->types(), (Types{FisType::register_d2h, FisType::dma_setup, FisType::dma_activate,
                                    FisType::set_device_bits}));
}

TEST_F(DeviceTest, NonQueuedTransfers) {
    start();
    send(plain(Opcode::read_dma_ext, 16, 32));
    run();
    EXPECT_EQ(host->types(), (Types{FisType::data, FisType::data, FisType::register_d2h}));
    EXPECT_EQ(d2h(2).status, 0x50);
    host->frames.clear();
    host->provide(16384);
    send(plain(Opcode::write_dma_ext, 16, 32));
    run();
    EXPECT_EQ(host->types(), (Types{FisType::dma_activate, FisType::dma_activate, FisType::register_d2h}));
    host->frames.clear();
    host->provide(512);
    send(plain(Opcode::write_dma_fua_ext, 16, 1));
    run();
    EXPECT_EQ(host->types(), (Types{FisType::dma_activate, FisType::register_d2h}));
    ASSERT_EQ(firmware->seen.size(), 3U);
    EXPECT_FALSE(firmware->seen[1].fua);
    EXPECT_TRUE(firmware->seen[2].fua);
    EXPECT_EQ(firmware->seen[2].slot, ata::kNoTag);
}

/// ACS-3 7.20 and 7.58: count 0 means 256 sectors; the device ignores the fields that only 48-bit commands
/// have.
TEST_F(DeviceTest, CommandsWith28BitAddresses) {
    start();
    RegisterH2d read = plain(Opcode::read_dma, 0xABCD'0001'2345, 0x5500);
    send(read);
    run(10000);
    ASSERT_EQ(host->types().size(), 17U) << "16 Data FISes of 8 KiB";
    EXPECT_EQ(host->types().back(), FisType::register_d2h);
    EXPECT_EQ(d2h(16).status, 0x50);
    host->frames.clear();
    host->provide(1024);
    send(plain(Opcode::write_dma, 77, 2));
    run();
    EXPECT_EQ(host->types(), (Types{FisType::dma_activate, FisType::register_d2h}));
    ASSERT_EQ(firmware->seen.size(), 2U);
    EXPECT_EQ(firmware->seen[0].lba, hal::Lba{0x012345});
    EXPECT_EQ(firmware->seen[0].sectors, 256U);
    EXPECT_EQ(firmware->seen[1].lba, hal::Lba{77});
    EXPECT_EQ(firmware->seen[1].sectors, 2U);
    RegisterH2d beyond = plain(Opcode::read_dma, 0, 1);
    beyond.device = ata::kDeviceLba | 0x01;  // address bit 24
    expect_abort(beyond, ata::kIdNotFound);
}

TEST_F(DeviceTest, CountZeroIs65536SectorsInFisesOf8KiB) {
    start();
    send(ncq(Opcode::read_fpdma_queued, 3, 1000, 0));
    run(100000);
    ASSERT_EQ(host->frames.size(), 3U + 4096U);
    EXPECT_EQ(decode<DmaSetup>(host->frames[1].header.bytes.data()).transfer_bytes, 65536U * 512U);
    for (std::size_t i = 0; i < 4096; ++i) {
        ASSERT_EQ(host->frames[2 + i].bytes, kMaxDataFisBytes);
    }
    EXPECT_EQ(firmware->seen[0].sectors, 65536U);
}

TEST_F(DeviceTest, FuaBitOfQueuedCommands) {
    start();
    RegisterH2d fis = ncq(Opcode::write_fpdma_queued, 1, 0, 1);
    fis.device |= ata::kDeviceFua;
    host->provide(512);
    send(fis);
    run();
    EXPECT_TRUE(firmware->seen.at(0).fua);
}

TEST_F(DeviceTest, CommandsWithoutData) {
    start();
    expect_good(plain(Opcode::flush_cache));
    expect_good(plain(Opcode::flush_cache_ext));
    expect_good(plain(Opcode::standby_immediate));
    ASSERT_EQ(firmware->seen.size(), 3U);
    EXPECT_EQ(firmware->seen[2].opcode, hal::HostOpcode::flush);
    expect_good(plain(Opcode::check_power_mode));
    EXPECT_EQ(d2h(0).count, 0) << "Standby";
    expect_good(plain(Opcode::set_features, 0, 0x46, ata::kFeatureTransferMode));
    expect_good(plain(Opcode::set_features, 0, 0, ata::kFeatureWriteCacheOff));
    ASSERT_EQ(firmware->seen.size(), 4U);
    EXPECT_EQ(firmware->seen[3].opcode, hal::HostOpcode::set_write_cache);
    EXPECT_FALSE(firmware->seen[3].enable);
    transfer(plain(Opcode::identify_device));
    IdentifyFacts facts;
    ASSERT_TRUE(parse_identify(host->frames[1].content, facts));
    EXPECT_FALSE(facts.write_cache_enabled);
}

TEST_F(DeviceTest, TrimTakesSeveralBlocksAndDropsEmptyEntries) {
    start();
    std::vector<hal::TrimRange> ranges;
    for (std::uint32_t i = 0; i < 100; ++i) {
        ranges.push_back({hal::Lba{std::uint64_t{i} * 100}, i % 3 == 0 ? 0 : i});
    }
    std::vector<std::byte> blocks;
    encode_dsm(ranges, blocks);
    host->provide(blocks);
    send(plain(Opcode::data_set_management, 0, 2, 1));
    run();
    EXPECT_EQ(host->types(), (Types{FisType::dma_activate, FisType::register_d2h}));
    ASSERT_EQ(firmware->seen.size(), 1U);
    std::vector<hal::TrimRange> expected;
    std::copy_if(ranges.begin(), ranges.end(), std::back_inserter(expected),
                 [](const hal::TrimRange& range) { return range.sectors > 0; });
    ASSERT_EQ(firmware->seen[0].ranges.size(), expected.size());
    for (std::size_t i = 0; i < expected.size(); ++i) {
        EXPECT_EQ(firmware->seen[0].ranges[i].lba, expected[i].lba);
        EXPECT_EQ(firmware->seen[0].ranges[i].sectors, expected[i].sectors);
    }
    // a range beyond the device: the whole command fails; padding alone: firmware has nothing to do
    encode_dsm(std::vector<hal::TrimRange>{{hal::Lba{0}, 8}, {hal::Lba{kCapacity - 7}, 8}}, blocks);
    host->provide(blocks);
    transfer(plain(Opcode::data_set_management, 0, 1, 1));
    EXPECT_EQ(d2h(1).error, ata::kIdNotFound);
    EXPECT_EQ(d2h(1).lba, hal::Lba{kCapacity - 7});
    host->provide(std::vector<std::byte>(512));
    transfer(plain(Opcode::data_set_management, 0, 1, 1));
    EXPECT_EQ(d2h(1).status, 0x50);
    EXPECT_EQ(firmware->seen.size(), 1U);
}

TEST_F(DeviceTest, QueuedTrim) {
    start();
    std::vector<std::byte> blocks;
    encode_dsm(std::vector<hal::TrimRange>{{hal::Lba{8}, 16}}, blocks);
    host->provide(blocks);
    RegisterH2d fis = ncq(Opcode::send_fpdma_queued, 9, 0, 1);
    fis.auxiliary = ata::kDsmTrim;
    send(fis);
    run();
    EXPECT_EQ(host->types(), (Types{FisType::register_d2h, FisType::dma_setup, FisType::set_device_bits}));
    EXPECT_EQ(bits(2).sactive, 1U << 9U);
    ASSERT_EQ(firmware->seen.size(), 1U);
    EXPECT_EQ(firmware->seen[0].slot, 9);
    EXPECT_EQ(firmware->seen[0].ranges[0].sectors, 16U);
    fis.count = static_cast<std::uint16_t>(fis.count | 1U << 8U);  // subcommand 1
    expect_abort(fis);
}

// Eight trims end at one instant: the first status goes at once, the other seven pile up meanwhile.
class CoalescingTest : public DeviceTest, public testing::WithParamInterface<std::uint32_t> {};

TEST_P(CoalescingTest, CompletionsThatPileUpShareASetDeviceBitsFis) {
    SataConfig settings;
    settings.coalesce_completions = GetParam();
    start(settings);
    firmware->not_before = now() + std::chrono::microseconds{500};
    std::vector<std::byte> blocks;
    encode_dsm(std::vector<hal::TrimRange>{{hal::Lba{8}, 16}}, blocks);
    for (std::uint8_t tag = 0; tag < 8; ++tag) {
        host->provide(blocks);
        RegisterH2d fis = ncq(Opcode::send_fpdma_queued, tag, 0, 1);
        fis.auxiliary = ata::kDsmTrim;
        send(fis);
    }
    run();
    std::vector<int> tags_per_fis;
    std::uint32_t told = 0;
    for (const auto& frame : host->frames) {
        if (frame.header.type() == FisType::set_device_bits) {
            const std::uint32_t tags = decode<SetDeviceBits>(frame.header.bytes.data()).sactive;
            EXPECT_EQ(told & tags, 0U);
            told |= tags;
            tags_per_fis.push_back(std::popcount(tags));
        }
    }
    EXPECT_EQ(told, 0xFFU);
    const std::map<std::uint32_t, std::vector<int>> expected{
        {1, {1, 1, 1, 1, 1, 1, 1, 1}}, {4, {1, 4, 3}}, {32, {1, 7}}};
    EXPECT_EQ(tags_per_fis, expected.at(GetParam()));
    EXPECT_EQ(device->statistics().set_device_bits, tags_per_fis.size());
}
INSTANTIATE_TEST_SUITE_P(Limits, CoalescingTest, testing::Values(1U, 4U, 32U));

TEST_F(DeviceTest, DataPhasesOfDifferentTagsDoNotInterleave) {
    start();
    firmware->part_sectors = 8;
    firmware->between_parts = std::chrono::microseconds{3};
    for (std::uint8_t tag = 0; tag < 6; ++tag) {
        send(ncq(Opcode::read_fpdma_queued, tag, std::uint64_t{tag} * 64, 40));
    }
    run();
    std::uint32_t left = 0;
    for (const auto& frame : host->frames) {
        if (frame.header.type() == FisType::dma_setup) {
            EXPECT_EQ(left, 0U) << "a phase began inside another";
            left = decode<DmaSetup>(frame.header.bytes.data()).transfer_bytes;
        } else if (frame.header.type() == FisType::data) {
            ASSERT_GE(left, frame.bytes);
            left -= frame.bytes;
        }
    }
    EXPECT_EQ(left, 0U);
    EXPECT_EQ(device->statistics().completed, 6U);
}

TEST_F(DeviceTest, ADramThatAnswersLaterGivesTheSameData) {
    start();
    dram->accept_only = true;
    dram->wait = std::chrono::nanoseconds{300};
    dram->ps_per_byte = Ps{100};
    firmware->piece_sectors = 1;
    for (std::size_t i = 0; i < dram->store.size(); ++i) {
        dram->store[i] = static_cast<std::byte>(i * 7 + i / 256);
    }
    send(ncq(Opcode::read_fpdma_queued, 0, 37, 33));
    run();
    ASSERT_EQ(host->types().back(), FisType::set_device_bits);
    std::vector<std::byte> got;
    for (const auto& frame : host->frames) {
        got.insert(got.end(), frame.content.begin(), frame.content.end());
    }
    const auto* at = dram->store.data() + 37 * std::ptrdiff_t{8};
    EXPECT_EQ(got, std::vector<std::byte>(at, at + 33 * std::ptrdiff_t{8}));
    EXPECT_EQ(dram->accesses, 3U) << "pieces that lie together are one access a FIS";
}

}  // namespace
}  // namespace solidtlm::hw::test
