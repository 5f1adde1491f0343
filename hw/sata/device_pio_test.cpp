// SPDX-License-Identifier: Apache-2.0
//
// Tests of PIO on the wire: READ and WRITE SECTOR(S), READ, WRITE and SET MULTIPLE (ACS-3; Serial ATA
// 3.x 10.5.11, 11.6 and 11.7).
#include <gtest/gtest.h>

#include <cstring>

#include "hw/sata/device_fixture.h"

namespace solidtlm::hw::test {
namespace {

using namespace std::chrono_literals;

class PioTest : public DeviceTest {
  protected:
    static Types blocks(std::size_t count, bool write = false) {
        Types types;
        for (std::size_t i = 0; i < count; ++i) {
            types.push_back(FisType::pio_setup);
            if (!write) {
                types.push_back(FisType::data);
            }
        }
        if (write) {
            types.push_back(FisType::register_d2h);
        }
        return types;
    }
    PioSetup setup(std::size_t index) const {
        EXPECT_EQ(host->frames.at(index).header.type(), FisType::pio_setup);
        return decode<PioSetup>(host->frames.at(index).header.bytes.data());
    }
    /// Fills the medium with a different tag in each sector.
    void fill() {
        for (std::size_t i = 0; i < dram->store.size(); ++i) {
            dram->store[i] = static_cast<std::byte>(i * 7 + i / 256);
        }
    }
    bool same(std::size_t frame, std::uint64_t lba) const {
        const auto& content = host->frames.at(frame).content;
        return !content.empty() &&
               std::memcmp(content.data(),
                           dram->store.data() + hal::content_bytes(config.content, lba * hal::kSectorBytes),
                           content.size()) == 0;
    }
};

TEST_F(PioTest, ReadSectorsMovesABlockPerSector) {
    start();
    fill();
    for (const auto& [opcode, lba] :
         {std::pair{Opcode::read_sectors_ext, 0x1234U}, std::pair{Opcode::read_sectors, 77U}}) {
        transfer(plain(opcode, lba, 3));
        ASSERT_EQ(host->types(), blocks(3));
        for (const std::size_t block : {0, 1, 2}) {
            const PioSetup fis = setup(2 * block);
            EXPECT_TRUE(fis.device_to_host);
            EXPECT_TRUE(fis.interrupt);
            EXPECT_EQ(fis.status, 0x58) << "DRDY, DRQ";
            EXPECT_EQ(fis.end_status, block == 2 ? 0x50 : 0xD0) << "BSY until the last block";
            EXPECT_EQ(fis.transfer_bytes, 512);
            EXPECT_EQ(host->frames[2 * block + 1].bytes, 512U);
            EXPECT_TRUE(same(2 * block + 1, lba + block));
        }
        EXPECT_EQ(device->outstanding(), 0U);
        EXPECT_EQ(device->slots_in_use(), 0U);
    }
    EXPECT_EQ(device->statistics().read_bytes, 6U * 512U);
    EXPECT_EQ(device->statistics().completed, 2U);
}

// Firmware gives each sector after 50 us and completes 50 us after the last one. A block goes as soon as it
// has been read from DRAM, the last one when firmware has completed the command.
TEST_F(PioTest, BlocksOfAReadHaveExactInstants) {
    start();
    const Ps begin = now();
    hal::Ledger ledger;
    ledger.start(hal::Stage::host_queue, begin);
    dram->ps_per_byte = Ps{156};
    dram->wait = 40ns;
    firmware->delay = 5us;
    firmware->part_sectors = 1;
    firmware->between_parts = 50us;
    host->send(encode(plain(Opcode::read_sectors_ext, 100, 2)), nullptr, 0, &ledger);
    run();
    ASSERT_EQ(host->types(), blocks(2));
    const Ps load = dram->wait + Ps{512 * 156};
    const Ps first = begin + link->frame_time(20) + firmware->delay + load;
    EXPECT_EQ(host->frames[0].at, first + link->frame_time(20));
    EXPECT_EQ(host->frames[1].at, host->frames[0].at + link->frame_time(516));
    const Ps completed = first + 50us + load + 50us;
    EXPECT_EQ(host->frames[2].at, completed + link->frame_time(20));
    EXPECT_EQ(host->frames[3].at, host->frames[2].at + link->frame_time(516));
    ledger.enter(ledger.current(), host->frames[3].at);
    EXPECT_EQ(ledger.total(), host->frames[3].at - begin);
    EXPECT_EQ(ledger[hal::Stage::dram_wait], 2 * dram->wait);
    EXPECT_EQ(ledger[hal::Stage::dram_transfer], Ps{2 * 512 * 156});
    EXPECT_EQ(ledger[hal::Stage::completion], link->frame_time(20) + link->frame_time(516));
}

// 40 sectors in blocks of 16: firmware's parts of 5 sectors, in pieces of 2, end within blocks.
TEST_F(PioTest, ABlockMayHavePartsOfSeveralTransfers) {
    start();
    fill();
    firmware->part_sectors = 5;
    firmware->piece_sectors = 2;
    firmware->between_parts = 1us;
    transfer(plain(Opcode::read_multiple_ext, 1000, 40));
    ASSERT_EQ(host->types(), blocks(3));
    EXPECT_EQ(host->frames[1].bytes, 8192U);
    EXPECT_EQ(host->frames[3].bytes, 8192U);
    EXPECT_EQ(host->frames[5].bytes, 4096U) << "the rest";
    EXPECT_EQ(setup(4).transfer_bytes, 4096);
    EXPECT_TRUE(same(1, 1000) && same(3, 1016) && same(5, 1032));
    host->provide(40 * 512, 8192);
    transfer(plain(Opcode::write_multiple_ext, 1000, 40));
    EXPECT_EQ(host->types(), blocks(3, true));
    EXPECT_EQ(device->slots_in_use(), 0U);
}

TEST_F(PioTest, WriteSectorsAsksForABlockPerSector) {
    start();
    fill();
    host->provide(3 * 512, 512);
    transfer(plain(Opcode::write_sectors_ext, 0x1234, 3));
    ASSERT_EQ(host->types(), blocks(3, true));
    for (const std::size_t block : {0, 1, 2}) {
        const PioSetup fis = setup(block);
        EXPECT_FALSE(fis.device_to_host);
        EXPECT_EQ(fis.interrupt, block > 0) << "the first block comes without an interrupt";
        EXPECT_EQ(fis.status, 0x58);
        EXPECT_EQ(fis.end_status, 0xD0) << "the status comes with the Register FIS";
        EXPECT_EQ(fis.transfer_bytes, 512);
    }
    EXPECT_EQ(d2h(3).status, 0x50);
    EXPECT_TRUE(d2h(3).interrupt);
    for (std::size_t i = 0; i < 3 * hal::content_bytes(config.content, 512); ++i) {
        EXPECT_EQ(dram->store[hal::content_bytes(config.content, 0x1234 * 512) + i], std::byte{0});
    }
    EXPECT_EQ(device->statistics().written_bytes, 3U * 512U);
}

TEST_F(PioTest, BlocksOfAWriteHaveExactInstants) {
    start();
    const Ps begin = now();
    dram->ps_per_byte = Ps{156};
    firmware->delay = 5us;
    host->provide(2 * 512, 512);
    transfer(plain(Opcode::write_sectors, 100, 2));
    ASSERT_EQ(host->types(), blocks(2, true));
    const Ps asked = begin + link->frame_time(20) + firmware->delay;
    EXPECT_EQ(host->frames[0].at, asked + link->frame_time(20));
    const Ps came = host->frames[0].at + link->frame_time(516);
    EXPECT_EQ(host->frames[1].at, came + link->frame_time(20)) << "while the first block goes to DRAM";
    const Ps stored = host->frames[1].at + link->frame_time(516) + Ps{512 * 156};
    EXPECT_EQ(host->frames[2].at, stored + link->frame_time(20));
}

TEST_F(PioTest, SetMultipleModeSetsTheBlock) {
    start();
    const auto words = [this] {
        transfer(plain(Opcode::identify_device));
        const auto& data = host->frames.at(1).content;
        return std::pair{get_little_endian(std::span(data).subspan(2 * 47, 2)),
                         get_little_endian(std::span(data).subspan(2 * 59, 2))};
    };
    EXPECT_EQ(words(), (std::pair<std::uint64_t, std::uint64_t>{0x8010, 0x0110}))
        << "16 at most, and at first";
    for (const int sectors : {1, 2, 4, 8, 16}) {
        expect_good(plain(Opcode::set_multiple_mode, 0, static_cast<std::uint16_t>(sectors)));
        EXPECT_EQ(words().second, 0x0100U + static_cast<unsigned>(sectors));
        transfer(plain(Opcode::read_multiple, 8, 16));
        EXPECT_EQ(host->types(), blocks(static_cast<std::size_t>(16 / sectors)));
    }
    for (const int sectors : {3, 17, 32, 255}) {
        expect_abort(plain(Opcode::set_multiple_mode, 0, static_cast<std::uint16_t>(sectors)));
    }
    expect_good(plain(Opcode::set_multiple_mode, 0, 0));
    EXPECT_EQ(words().second, 0U);
    for (const Opcode opcode : {Opcode::read_multiple, Opcode::read_multiple_ext, Opcode::write_multiple,
                                Opcode::write_multiple_ext, Opcode::write_multiple_fua_ext}) {
        expect_abort(plain(opcode, 8, 1));
    }
    device->comreset();
    run();
    EXPECT_EQ(words().second, 0x0110U);
}

TEST_F(PioTest, WriteMultipleFuaExtIsFua) {
    start();
    for (const Opcode opcode : {Opcode::write_multiple_fua_ext, Opcode::write_multiple_ext}) {
        host->provide(512);
        transfer(plain(opcode, 8, 1));
        EXPECT_EQ(host->types(), blocks(1, true));
        EXPECT_EQ(firmware->seen.back().fua, opcode == Opcode::write_multiple_fua_ext);
    }
}

TEST_F(PioTest, AddressesAreChecked) {
    start();
    for (const Opcode opcode : {Opcode::read_sectors, Opcode::read_sectors_ext, Opcode::write_sectors,
                                Opcode::write_sectors_ext, Opcode::read_multiple, Opcode::write_multiple}) {
        expect_abort(plain(opcode, kCapacity - 1, 2), ata::kIdNotFound);
    }
    transfer(plain(Opcode::read_sectors, 8, 0));
    EXPECT_EQ(host->types(), blocks(256)) << "count 0 of 28-bit commands";
}

// The blocks before the one with the error go, then comes the status.
TEST_F(PioTest, AnErrorComesAfterTheGoodBlocks) {
    start();
    fill();
    firmware->part_sectors = 1;
    firmware->fail_after_sectors = 2;
    firmware->failures[64] = hal::HostStatus::uncorrectable;
    transfer(plain(Opcode::read_sectors_ext, 64, 4));
    Types expected = blocks(2);
    expected.push_back(FisType::register_d2h);
    ASSERT_EQ(host->types(), expected);
    EXPECT_EQ(setup(2).end_status, 0xD0);
    EXPECT_EQ(d2h(4).status, 0x51);
    EXPECT_EQ(d2h(4).error, 0x40);
    EXPECT_EQ(d2h(4).lba, hal::Lba{66});
    firmware->failures.clear();
    transfer(plain(Opcode::read_sectors_ext, 64, 4));
    EXPECT_EQ(host->types(), blocks(4)) << "the device goes on";
    EXPECT_TRUE(same(7, 67));
}

// A reset at any instant of a command leaves a device that works.
TEST_F(PioTest, ResetAtAnyInstant) {
    start();
    firmware->part_sectors = 3;
    firmware->delay = 2us;
    firmware->between_parts = 1us;
    for (int step = 0; step < 60; ++step) {
        const bool write = step % 2 == 1;
        host->outgoing.clear();
        if (write) {
            host->provide(20 * 512, 512);
        }
        send(plain(write ? Opcode::write_sectors_ext : Opcode::read_sectors_ext, 64, 20));
        sc_core::sc_start(400 * step, sc_core::SC_NS);
        device->comreset();
        run();
        EXPECT_EQ(device->outstanding(), 0U);
        EXPECT_EQ(device->slots_in_use(), 0U) << "step " << step;
        host->outgoing.clear();
        transfer(plain(Opcode::read_sectors_ext, 64, 2));
        EXPECT_EQ(host->types(), blocks(2)) << "step " << step;
    }
}

}  // namespace
}  // namespace solidtlm::hw::test
