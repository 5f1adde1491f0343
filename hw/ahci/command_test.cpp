// SPDX-License-Identifier: Apache-2.0
//
// Commands through the adapter: lists, tables, data, received FISes, interrupts (AHCI 1.3.1, sections 4 and
// 5).
#include <bit>
#include <random>

#include "hw/ahci/test_bench.h"
#include "hw/sata/identify.h"

namespace solidtlm::hw::ahci::test {
namespace {

using R = PortRegister;
using ata::Opcode;
using namespace std::chrono_literals;

TEST_F(AhciTest, IdentifyByPio) {
    build(AhciConfig{}, 1);
    go([&] {
        store(Global::ghc, kGhcIe);
        start(0, kPss);
        EXPECT_FALSE(line.read());
        prepare(0, 0, command(Opcode::identify_device), {{buffer(0), 512, false}});
        issue(0, 1);
        EXPECT_TRUE(wait_for([&] { return line.read(); }));
        EXPECT_EQ(load(0, R::ci), 0U);
        EXPECT_EQ(load(0, R::tfd), 0x50U);
        EXPECT_EQ(load(0, R::is), kPss);
        EXPECT_EQ(load(Global::is), 1U);
        EXPECT_EQ(memory->get(list(0) + kByteCountOffset), 512U) << "PRDBC";
        EXPECT_EQ(memory->get(received(0) + kReceivedPioSetup, 1), 0x5FU);
        IdentifyFacts facts;
        ASSERT_TRUE(parse_identify(std::span(memory->ram).subspan(buffer(0), 512), facts));
        EXPECT_EQ(facts.capacity_sectors, Drive::kSectors);
        // clears both levels: the port's bit first, then the adapter's
        store(0, R::is, kPss);
        pause(1us);
        EXPECT_TRUE(line.read());
        store(Global::is, 1);
        pause(1us);
        EXPECT_FALSE(line.read());
        EXPECT_EQ(load(0, R::is), 0U);
    });
    EXPECT_EQ(hba->statistics().interrupts, 1U);
}

TEST_F(AhciTest, AnInterruptReturnsWhileThePortsBitIsSet) {
    build(AhciConfig{}, 1);
    go([&] {
        store(Global::ghc, kGhcIe);
        start(0, kDhrs);
        prepare(0, 0, command(Opcode::flush_cache_ext), {});
        issue(0, 1);
        EXPECT_TRUE(ended(0, 1));
        EXPECT_EQ(load(0, R::is), kDhrs);
        store(Global::is, 1);
        EXPECT_EQ(load(Global::is), 1U) << "PxIS is still set";
        store(0, R::ie, 0);
        store(Global::is, 1);
        EXPECT_EQ(load(Global::is), 0U) << "not enabled";
        store(0, R::ie, kDhrs);
        pause(1us);
        EXPECT_TRUE(line.read());
        store(Global::ghc, 0);
        pause(1us);
        EXPECT_FALSE(line.read());
    });
}

// 24 sectors, cut into PRDs at odd places and of odd lengths, in both directions, queued and non-queued. 8
// KiB Data FISes do not end where PRDs do.
TEST_F(AhciTest, DataGoesWhereThePrdsSay) {
    build(AhciConfig{}, 1);
    fill_medium(0, 100, 24);
    const std::uint64_t base = buffer(0);
    const std::vector<Prd> prds{{base, 2, false},
                                {base + 0x1002, 510, false},
                                {base + 0x2000, 4094, true},
                                {base + 0x4000, 4, false},
                                {base + 0x5000, 7678, false}};
    const auto gathered = [&] {
        std::vector<std::byte> bytes;
        for (const Prd& prd : prds) {
            const auto* from = memory->ram.data() + prd.address;
            bytes.insert(bytes.end(), from, from + prd.bytes);
        }
        return bytes;
    };
    go([&] {
        start(0);
        for (const bool is_queued : {false, true}) {
            std::fill_n(memory->ram.begin() + static_cast<long>(base), 0x8000, std::byte{0xEE});
            prepare(0, 5,
                    is_queued ? queued(Opcode::read_fpdma_queued, 5, 100, 24)
                              : command(Opcode::read_dma_ext, 100, 24),
                    prds);
            store(0, R::sact, is_queued ? 1U << 5U : 0);
            issue(0, 1U << 5U);
            EXPECT_TRUE(ended(0, 1U << 5U));
            const std::vector<std::byte> read = gathered();
            ASSERT_EQ(read.size(), 12288U);
            for (std::uint64_t i = 0; i < read.size(); ++i) {
                ASSERT_EQ(read[i], pattern(100 * 512 + i)) << i;
            }
            EXPECT_EQ(memory->ram[base + 2], std::byte{0xEE}) << "behind the first PRD";
            EXPECT_EQ(memory->ram[base + 0x1001], std::byte{0xEE});
            EXPECT_EQ(memory->ram[base + 0x4004], std::byte{0xEE});
            EXPECT_EQ(memory->ram[base + 0x5000 + 7678], std::byte{0xEE});
            EXPECT_NE(load(0, R::is) & kDps, 0U) << "the third PRD asks for an interrupt";
            store(0, R::is, kDps);
            EXPECT_EQ(memory->get(list(0) + 5 * kHeaderBytes + kByteCountOffset), is_queued ? 0U : 12288U);

            const std::uint64_t to = is_queued ? 300 : 200;
            prepare(0, 6,
                    is_queued ? queued(Opcode::write_fpdma_queued, 6, to, 24)
                              : command(Opcode::write_dma_ext, to, 24),
                    prds, 1U << 6U);
            store(0, R::sact, is_queued ? 1U << 6U : 0);
            issue(0, 1U << 6U);
            EXPECT_TRUE(ended(0, 1U << 6U));
            for (std::uint64_t i = 0; i < read.size(); ++i) {
                ASSERT_EQ(drives[0]->dram.store[to * 512 + i], pattern(100 * 512 + i)) << i;
            }
            EXPECT_EQ(memory->get(list(0) + 6 * kHeaderBytes + kByteCountOffset), is_queued ? 0U : 12288U);
        }
        EXPECT_EQ(load(0, R::is) & (kTfes | kIfs | kHbds | kHbfs | kOfs), 0U);
        EXPECT_TRUE(stop(0));
    });
    EXPECT_EQ(drives[0]->device.slots_in_use(), 0U);
}

// 32 queued reads at once: a Set Device Bits FIS clears the slot's bit of SACT, acceptance clears that of CI.
TEST_F(AhciTest, ThirtyTwoSlots) {
    build(AhciConfig{}, 1);
    fill_medium(0, 0, 32 * 8);
    drives[0]->firmware.delay = 200us;
    go([&] {
        start(0, kSdbs);
        store(Global::ghc, kGhcIe);
        for (std::uint8_t slot = 0; slot < 32; ++slot) {
            prepare(0, slot, queued(Opcode::read_fpdma_queued, slot, slot * 8U, 8),
                    {{buffer(0) + slot * 4096U, 4096, false}});
        }
        store(0, R::sact, ~Word{0});
        issue(0, ~Word{0});
        EXPECT_TRUE(wait_for([&] { return load(0, R::ci) == 0; })) << "accepted";
        EXPECT_EQ(load(0, R::sact), ~Word{0});
        EXPECT_EQ(drives[0]->device.outstanding(), 32U);
        EXPECT_TRUE(ended(0, ~Word{0}));
        EXPECT_EQ(load(0, R::is), kSdbs);
        for (std::uint64_t i = 0; i < 32 * 4096; ++i) {
            ASSERT_EQ(memory->ram[buffer(0) + i], pattern(i));
        }
    });
    EXPECT_EQ(drives[0]->firmware.seen.size(), 32U);
    for (std::uint8_t i = 0; i < 32; ++i) {
        EXPECT_EQ(drives[0]->firmware.seen[i].slot, i) << "slots are taken in turn";
    }
}

// PxCI is served in turn, beginning after the last slot served and not at slot 0 (5.5.1).
TEST_F(AhciTest, SlotsAreServedInTurn) {
    build(AhciConfig{}, 1);
    go([&] {
        start(0);
        for (const std::uint32_t slot : {3U, 7U, 20U}) {
            prepare(0, slot, command(Opcode::read_dma_ext, slot, 1), {{buffer(0) + slot * 512U, 512, false}});
        }
        issue(0, 1U << 7U);
        issue(0, 1U << 3U | 1U << 20U);
        EXPECT_TRUE(ended(0, ~Word{0}));
        EXPECT_EQ(load(0, R::cmd) >> kCcsShift & 0x1F, 3U) << "PxCMD.CCS";
    });
    ASSERT_EQ(drives[0]->firmware.seen.size(), 3U);
    EXPECT_EQ(drives[0]->firmware.seen[0].lba, hal::Lba{7});
    EXPECT_EQ(drives[0]->firmware.seen[1].lba, hal::Lba{20});
    EXPECT_EQ(drives[0]->firmware.seen[2].lba, hal::Lba{3});
}

// Two ports that work at the same time, each with its own drive: random requests against a shadow copy.
TEST_F(AhciTest, TwoPortsAgainstAShadow) {
    AhciConfig config;
    config.ports = 2;
    config.dma_burst_bytes = 256;
    config.dma_access = 50ns;
    build(config, 2);
    for (const auto& drive : drives) {
        drive->firmware.delay = 30us;
    }
    go([&] {
        std::mt19937 random(7);
        const auto draw = [&](std::uint32_t below) { return static_cast<std::uint32_t>(random() % below); };
        std::vector<std::vector<std::byte>> shadow(2, std::vector<std::byte>(256 * 512));
        start(0);
        start(1);
        for (int round = 0; round < 60; ++round) {
            Word asked = 0;
            std::vector<std::array<std::uint32_t, 5>> reads;  // port, slot, lba, sectors
            for (std::uint32_t slot = 0; slot < 8; ++slot) {
                for (std::uint32_t port = 0; port < 2; ++port) {
                    const std::uint32_t sectors = 1 + draw(20);
                    const std::uint32_t lba = slot * 32 + draw(32 - sectors + 1);
                    const bool write = draw(2) == 0;
                    const std::uint64_t at = buffer(port) + slot * 0x10000U + draw(64) * 2;
                    const std::uint32_t first = 2 + draw(255) * 2;
                    const std::uint32_t bytes = sectors * 512;
                    std::vector<Prd> prds{{at, bytes, false}};
                    if (first < bytes) {
                        prds = {{at, first, false}, {at + first, bytes - first, false}};
                    }
                    for (std::uint32_t i = 0; i < bytes; ++i) {
                        const auto byte = static_cast<std::byte>(draw(256));
                        memory->ram[at + i] = byte;
                        if (write) {
                            shadow[port][lba * 512 + i] = byte;
                        }
                    }
                    prepare(port, slot,
                            queued(write ? Opcode::write_fpdma_queued : Opcode::read_fpdma_queued,
                                   static_cast<std::uint8_t>(slot), lba, static_cast<std::uint16_t>(sectors)),
                            prds, write ? 1U << 6U : 0);
                    if (!write) {
                        reads.push_back({port, slot, lba, bytes, static_cast<std::uint32_t>(at)});
                    }
                }
                asked |= 1U << slot;
            }
            for (std::uint32_t port = 0; port < 2; ++port) {
                store(port, R::sact, asked);
                issue(port, asked);
            }
            ASSERT_TRUE(ended(0, asked) && ended(1, asked));
            for (const auto& [port, slot, lba, bytes, at] : reads) {
                ASSERT_TRUE(std::equal(memory->ram.begin() + at, memory->ram.begin() + at + bytes,
                                       shadow[port].begin() + lba * 512));
            }
        }
        EXPECT_EQ((load(0, R::is) | load(1, R::is)) & ~(kSdbs | kDhrs), 0U);
    });
    for (const Memory::Access& access : memory->log) {
        EXPECT_LE(access.address % 256 + access.bytes, 256U) << "no burst crosses its limit";
    }
}

// Effects of the device's FISes: places in the received-FIS area (4.2.1) and the task file.
TEST_F(AhciTest, ReceivedFisesGoToTheirPlaces) {
    build(AhciConfig{}, 1);
    go([&] {
        start(0);
        EXPECT_EQ(memory->get(received(0) + kReceivedRegister, 1), 0x34U) << "the signature, posted with FRE";
        EXPECT_EQ(memory->get(received(0) + kReceivedRegister + 4, 4), 0x00000001U);
        prepare(0, 1, queued(Opcode::read_fpdma_queued, 1, 8, 8), {{buffer(0), 4096, false}});
        store(0, R::sact, 2);
        issue(0, 2);
        EXPECT_TRUE(ended(0, 2));
        EXPECT_EQ(memory->get(received(0) + kReceivedDmaSetup, 1), 0x41U);
        EXPECT_EQ(memory->get(received(0) + kReceivedDmaSetup + 4, 1), 1U) << "the tag";
        EXPECT_EQ(memory->get(received(0) + kReceivedDmaSetup + 20, 4), 4096U);
        EXPECT_EQ(memory->get(received(0) + kReceivedBits, 1), 0xA1U);
        EXPECT_EQ(memory->get(received(0) + kReceivedBits + 4, 4), 2U);
        EXPECT_EQ(memory->get(received(0) + kReceivedRegister + 2, 1), 0x50U);
        EXPECT_EQ(load(0, R::sact), 0U);
        EXPECT_EQ(load(0, R::tfd), 0x40U) << "as Set Device Bits says";
    });
}

// A read of 8 sectors whose table ends after 3: the rest has nowhere to go (OFS), memory after the table's is
// left alone, and PRDBC holds the number of bytes moved.
TEST_F(AhciTest, OverflowIsReportedAndTheRestDropped) {
    build(AhciConfig{}, 1);
    fill_medium(0, 0, 8);
    go([&] {
        start(0);
        prepare(0, 0, command(Opcode::read_dma_ext, 0, 8), {{buffer(0), 1536, false}});
        issue(0, 1);
        EXPECT_TRUE(ended(0, 1));
        EXPECT_EQ(load(0, R::is) & kOfs, kOfs);
        EXPECT_EQ(memory->get(list(0) + kByteCountOffset), 1536U);
        EXPECT_EQ(memory->ram[buffer(0) + 1535], pattern(1535));
        EXPECT_EQ(memory->ram[buffer(0) + 1536], std::byte{0});
        // a table that is longer than the data is no error
        store(0, R::is, ~Word{0});
        prepare(0, 0, command(Opcode::read_dma_ext, 0, 1), {{buffer(0), 4096, false}});
        issue(0, 1);
        EXPECT_TRUE(ended(0, 1));
        EXPECT_EQ(load(0, R::is), kDhrs);
        EXPECT_EQ(memory->get(list(0) + kByteCountOffset), 512U);
    });
}

// Without and with auto-activate: the first data may go after DMA Setup and DMA Activate, or after DMA Setup
// alone.
TEST_F(AhciTest, WritesWithAndWithoutAutoActivate) {
    build(AhciConfig{}, 1);
    go([&] {
        start(0);
        for (const bool on : {true, false}) {
            RegisterH2d features = command(Opcode::set_features, 0, ata::kSataAutoActivate);
            features.features = on ? ata::kFeatureSataOn : ata::kFeatureSataOff;
            prepare(0, 0, features, {});
            issue(0, 1);
            EXPECT_TRUE(ended(0, 1));
            const auto activates = [&] {
                return drives[0]->link.statistics().to_host.frames[fis_index(0x39)];
            };
            const std::uint64_t before = activates();
            prepare(0, 2, queued(Opcode::write_fpdma_queued, 2, 40, 40), {{buffer(0), 20480, false}},
                    1U << 6U);
            store(0, R::sact, 4);
            issue(0, 4);
            EXPECT_TRUE(ended(0, 4));
            EXPECT_EQ(activates() - before, on ? 2U : 3U) << "20 KiB are three Data FISes";
        }
    });
}

// DMA Setup with an offset: data begins there, in both directions, across PRDs.
TEST_F(AhciTest, DmaSetupWithAnOffset) {
    build(AhciConfig{}, 0, 1);
    run(1us);
    hw::test::ScriptHost& device = puppets[0]->device;
    device.send(encode(RegisterD2h{false, 0x50, 1, hal::Lba{1}, 0, 1}));
    std::vector<std::byte> data(512);
    for (std::size_t i = 0; i < data.size(); ++i) {
        data[i] = pattern(i);
    }
    go([&] {
        start(0);
        const std::vector<Prd> prds{{buffer(0), 1000, false}, {buffer(0) + 0x1000, 1048, false}};
        for (const std::uint8_t slot : {std::uint8_t{4}, std::uint8_t{5}}) {
            prepare(0, slot, queued(Opcode::read_fpdma_queued, slot, 0, 4), prds);
        }
        store(0, R::sact, 0x30);
        issue(0, 0x10);
        EXPECT_TRUE(wait_for([&] { return device.frames.size() == 1; }));
        device.send(encode(RegisterD2h{false, 0x50, 0, {}, 0, 0}));
        device.send(encode(DmaSetup{false, true, true, 4, 800, 512}));
        device.send(encode_data(), data.data(), 512);
        pause(100us);
        EXPECT_EQ(load(0, R::is) & (kDss | kIfs), kDss);
        EXPECT_EQ(memory->ram[buffer(0) + 799], std::byte{0});
        EXPECT_EQ(memory->ram[buffer(0) + 800], pattern(0));
        EXPECT_EQ(memory->ram[buffer(0) + 999], pattern(199));
        EXPECT_EQ(memory->ram[buffer(0) + 0x1000], pattern(200));
        EXPECT_EQ(memory->ram[buffer(0) + 0x1000 + 311], pattern(511));
        EXPECT_EQ(memory->ram[buffer(0) + 0x1000 + 312], std::byte{0});
        // the same bytes in the other direction
        device.send(encode(DmaSetup{true, false, false, 5, 800, 512}));
        EXPECT_TRUE(wait_for([&] { return device.frames.size() == 2; }));
        EXPECT_EQ(device.frames[1].content, data);
        device.send(encode(SetDeviceBits{false, true, 0x40, 0, 0x10}));
        pause(10us);
        EXPECT_EQ(load(0, R::sact), 0x20U);
    });
}

// PIO data to the device: a puppet requests it, with an interrupt, in two phases of 512 bytes, and is busy
// between them.
TEST_F(AhciTest, PioToTheDevice) {
    build(AhciConfig{}, 0, 1);
    run(1us);
    hw::test::ScriptHost& device = puppets[0]->device;
    device.send(encode(RegisterD2h{false, 0x50, 1, hal::Lba{1}, 0, 1}));
    go([&] {
        start(0);
        for (std::uint64_t i = 0; i < 1024; ++i) {
            memory->ram[buffer(0) + i] = pattern(i);
        }
        prepare(0, 0, command(static_cast<Opcode>(0x30), 0, 2), {{buffer(0), 1024, false}}, 1U << 6U);
        issue(0, 1);
        EXPECT_TRUE(wait_for([&] { return device.frames.size() == 1; }));
        EXPECT_EQ(load(0, R::tfd), 0x1D0U) << "BSY, and the rest of what the signature said";
        for (std::uint32_t phase = 0; phase < 2; ++phase) {
            const bool last = phase == 1;
            device.send(encode(PioSetup{
                true, false, 0x58, 0, {}, 0, 0, static_cast<std::uint8_t>(last ? 0x50 : 0xD0), 512}));
            EXPECT_TRUE(wait_for([&] { return device.frames.size() == 2 + phase; }));
            pause(1us);
            EXPECT_EQ(device.frames.back().bytes, 512U);
            EXPECT_EQ(device.frames.back().content[0], pattern(phase * 512));
            EXPECT_EQ(load(0, R::tfd) & 0xFF, last ? 0x50U : 0xD0U) << "E_STATUS";
            EXPECT_EQ(load(0, R::ci), last ? 0U : 1U);
            EXPECT_EQ(load(0, R::is), kPss);
            store(0, R::is, kPss);
        }
    });
}

}  // namespace
}  // namespace solidtlm::hw::ahci::test
