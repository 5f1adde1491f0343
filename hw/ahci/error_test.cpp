// SPDX-License-Identifier: Apache-2.0
//
// Errors, and how a driver recovers from them (AHCI 1.3.1, sections 6 and 10.4).
#include "hw/ahci/test_bench.h"
#include "hw/sata/log_pages.h"

namespace solidtlm::hw::ahci::test {
namespace {

using R = PortRegister;
using ata::Opcode;
using namespace std::chrono_literals;

// ERR in the task file: the port halts, CI shows which command failed, and clearing and setting ST continues.
TEST_F(AhciTest, TaskFileErrorOfACommandThatIsNotQueued) {
    build(AhciConfig{}, 1);
    go([&] {
        start(0, kTfes);
        store(Global::ghc, kGhcIe);
        prepare(0, 4, command(Opcode::read_dma_ext, Drive::kSectors, 8), {{buffer(0), 4096, false}});
        prepare(0, 9, command(Opcode::read_dma_ext, 0, 8), {{buffer(0), 4096, false}});
        issue(0, 1U << 4U);
        issue(0, 1U << 9U);
        EXPECT_TRUE(wait_for([&] { return line.read(); }));
        EXPECT_EQ(load(0, R::tfd), 0x1051U) << "IDNF";
        EXPECT_EQ(load(0, R::is), kTfes | kDhrs);
        pause(1ms);
        EXPECT_EQ(load(0, R::ci), 1U << 4U | 1U << 9U) << "nothing follows";
        EXPECT_EQ(load(0, R::cmd) >> kCcsShift & 0x1F, 4U) << "the one that has failed";
        EXPECT_TRUE(stop(0));
        EXPECT_EQ(load(0, R::ci), 0U);
        EXPECT_EQ(load(0, R::cmd) >> kCcsShift & 0x1F, 0U);
        start(0);
        issue(0, 1U << 9U);
        EXPECT_TRUE(ended(0, 1U << 9U));
    });
}

// Recovery from an error of a queued command, as in libahci: stop, start, read log 10h, repeat the other
// commands.
TEST_F(AhciTest, ErrorOfAQueuedCommand) {
    build(AhciConfig{}, 1);
    drives[0]->firmware.delay = 100us;
    drives[0]->firmware.failures[64] = hal::HostStatus::uncorrectable;
    go([&] {
        start(0, kTfes | kSdbs);
        for (std::uint8_t tag = 0; tag < 4; ++tag) {
            prepare(0, tag, queued(Opcode::read_fpdma_queued, tag, tag * 32U, 8),
                    {{buffer(0) + tag * 4096U, 4096, false}});
        }
        store(0, R::sact, 0xF);
        issue(0, 0xF);
        EXPECT_TRUE(wait_for([&] { return (load(0, R::is) & kTfes) != 0; }));
        EXPECT_EQ(load(0, R::is) & (kTfes | kSdbs), kTfes | kSdbs);
        EXPECT_EQ(load(0, R::tfd), 0x4051U) << "UNC";
        EXPECT_NE(load(0, R::sact) & 4U, 0U);
        const Word left = load(0, R::sact);
        EXPECT_TRUE(stop(0));
        EXPECT_EQ(load(0, R::sact), 0U);
        start(0);
        prepare(0, 31, command(Opcode::read_log_ext, ata::kLogNcqError, 1), {{buffer(0), 512, false}});
        issue(0, 1U << 31U);
        EXPECT_TRUE(ended(0, 1U << 31U));
        const auto error = parse_ncq_error_log(std::span(memory->ram).subspan(buffer(0), 512));
        ASSERT_TRUE(error);
        EXPECT_EQ(error->tag, 2U);
        EXPECT_EQ(error->error, ata::kUncorrectable);
        const Word again = left & ~4U;
        store(0, R::sact, again);
        issue(0, again);
        EXPECT_TRUE(ended(0, again));
    });
}

// Not an ATAPI device: the drive aborts PACKET with the A bit set.
TEST_F(AhciTest, PacketIsAborted) {
    build(AhciConfig{}, 1);
    go([&] {
        start(0);
        prepare(0, 0, command(static_cast<Opcode>(0xA0)), {{buffer(0), 2048, false}}, 1U << 5U);
        issue(0, 1);
        EXPECT_TRUE(wait_for([&] { return (load(0, R::is) & kTfes) != 0; }));
        EXPECT_EQ(load(0, R::tfd), 0x0451U) << "ABRT";
        EXPECT_EQ(load(0, R::sig), 0x101U) << "and it has never said that it is one";
    });
}

// An address without memory (HBFS), and memory that fails (HBDS); stop and COMRESET recover from each.
TEST_F(AhciTest, MemoryThatRefusesOrFails) {
    build(AhciConfig{}, 1);
    fill_medium(0, 0, 8);
    go([&] {
        struct Case {
            const char* what;
            Word expected;
            std::function<void()> spoil;
        };
        const std::vector<Case> cases{
            {"command table", kHbfs, [&] { memory->put(list(0) + 8, kRam); }},
            {"PRD table", kHbfs, [&] { memory->put(list(0) + 8, kRam - 0x80); }},
            {"data", kHbfs, [&] { memory->put(table(0, 0) + kPrdtOffset + 4, 1); }},
            {"data", kHbds,
             [&] {
                 memory->broken_begin = buffer(0);
                 memory->broken_end = buffer(0) + 4096;
             }},
            {"command list", kHbfs, [&] { store(0, R::clbu, 0x80); }},
            {"received FIS", kHbds,
             [&] {
                 memory->broken_begin = received(0) + kReceivedRegister;
                 memory->broken_end = memory->broken_begin + 4;
             }},
        };
        for (const Case& entry : cases) {
            start(0);
            prepare(0, 0, command(Opcode::read_dma_ext, 0, 8), {{buffer(0), 4096, false}});
            if (entry.what == std::string("PRD table")) {
                std::memcpy(memory->ram.data() + kRam - 0x80, memory->ram.data() + table(0, 0), 20);
            }
            entry.spoil();
            issue(0, 1);
            EXPECT_TRUE(wait_for([&] { return (load(0, R::is) & (kHbfs | kHbds)) != 0; })) << entry.what;
            EXPECT_EQ(load(0, R::is) & (kHbfs | kHbds), entry.expected) << entry.what;
            EXPECT_EQ(load(0, R::ci), 1U) << entry.what;
            EXPECT_TRUE(stop(0)) << entry.what;
            memory->broken_end = 0;
            store(0, R::clbu, 0);
            store(0, R::sctl, kDetReset);
            pause(1ms);
            store(0, R::sctl, 0);
        }
        start(0);
        prepare(0, 0, command(Opcode::read_dma_ext, 0, 8), {{buffer(0), 4096, false}});
        issue(0, 1);
        EXPECT_TRUE(ended(0, 1));
        EXPECT_EQ(memory->ram[buffer(0) + 4095], pattern(4095));
    });
}

// An invalid command FIS never goes over the link: a protocol error, and the port halts.
TEST_F(AhciTest, AnInvalidCommandFis) {
    build(AhciConfig{}, 1);
    go([&] {
        for (const Word length : {0U, 1U, 4U, 6U, 16U, 31U, 5U}) {
            start(0);
            prepare(0, 0, command(Opcode::flush_cache_ext), {});
            memory->put(list(0), length);
            if (length == 5) {
                memory->put(table(0, 0), 0x34, 1);
            }
            issue(0, 1);
            EXPECT_TRUE(wait_for([&] { return (load(0, R::is) & kIfs) != 0; })) << length;
            EXPECT_EQ(load(0, R::serr), kSerrProtocol);
            EXPECT_EQ(load(0, R::tfd) & ata::kBusy, 0U);
            EXPECT_TRUE(stop(0));
        }
    });
    EXPECT_EQ(drives[0]->link.statistics().to_device.frames[fis_index(0x27)], 0U);
}

// COMRESET during a queued write: the drive forgets the command, and the port gets a new signature.
TEST_F(AhciTest, ComresetDuringDataTransfer) {
    AhciConfig config;
    config.phy_time = 100us;
    build(config, 1);
    go([&] {
        start(0);
        prepare(0, 0, queued(Opcode::write_fpdma_queued, 0, 0, 256), {{buffer(0), 131072, false}}, 1U << 6U);
        store(0, R::sact, 1);
        issue(0, 1);
        pause(60us);
        EXPECT_EQ(drives[0]->device.outstanding(), 1U);
        EXPECT_TRUE(stop(0));
        store(0, R::sctl, kDetReset);
        EXPECT_EQ(load(0, R::ssts), 0U);
        EXPECT_EQ(load(0, R::tfd), 0x7FU);
        EXPECT_EQ(load(0, R::serr) & kSerrPhyReady, kSerrPhyReady);
        pause(1ms);
        EXPECT_EQ(load(0, R::ssts), 0U) << "held in reset";
        store(0, R::sctl, 0);
        pause(99us);
        EXPECT_EQ(load(0, R::ssts), 0U) << "the PHY takes its time";
        pause(1100ns);
        EXPECT_EQ(load(0, R::ssts), 0x133U);
        EXPECT_EQ(load(0, R::tfd) & ata::kBusy, ata::kBusy);
        EXPECT_EQ(load(0, R::serr) & kSerrExchanged, kSerrExchanged);
        EXPECT_TRUE(ready(0));
        EXPECT_EQ(load(0, R::sig), 0x101U);
        EXPECT_EQ(drives[0]->device.outstanding(), 0U);
        start(0);
        prepare(0, 0, command(Opcode::identify_device), {{buffer(0), 512, false}});
        issue(0, 1);
        EXPECT_TRUE(ended(0, 1));
        // DET = 4: the PHY is off, and COMRESET turns it on again
        EXPECT_TRUE(stop(0));
        store(0, R::sctl, kDetOffline);
        EXPECT_EQ(load(0, R::ssts), 4U);
        store(0, R::sctl, kDetReset);
        store(0, R::sctl, 0);
        EXPECT_TRUE(ready(0));
    });
}

TEST_F(AhciTest, DetIsIgnoredWhileThePortRuns) {
    build(AhciConfig{}, 1);
    go([&] {
        start(0);
        store(0, R::sctl, kDetReset | 0x300);
        EXPECT_EQ(load(0, R::sctl), 0x300U);
        EXPECT_EQ(load(0, R::ssts), 0x133U);
    });
}

// Software reset as in libahci: CLO if the device hangs, then two FISes, with SRST set and cleared.
TEST_F(AhciTest, SoftwareReset) {
    build(AhciConfig{}, 1);
    drives[0]->firmware.delay = 10s;
    go([&] {
        start(0);
        prepare(0, 0, command(Opcode::read_dma_ext, 0, 8), {{buffer(0), 4096, false}});
        issue(0, 1);
        pause(100us);
        EXPECT_EQ(load(0, R::tfd) & ata::kBusy, ata::kBusy) << "it hangs";
        EXPECT_TRUE(stop(0));
        EXPECT_EQ(load(0, R::tfd) & ata::kBusy, ata::kBusy);
        store(0, R::cmd, load(0, R::cmd) | kClo);
        EXPECT_EQ(load(0, R::cmd) & kClo, 0U);
        EXPECT_EQ(load(0, R::tfd) & ata::kBusy, 0U);
        store(0, R::cmd, load(0, R::cmd) | kSt);
        RegisterH2d control;
        control.is_command = false;
        control.control = ata::kSoftReset;
        prepare(0, 0, control, {}, 1U << 8U | kHeaderClear);
        issue(0, 1);
        EXPECT_TRUE(ended(0, 1)) << "R_OK is all there is";
        EXPECT_EQ(load(0, R::tfd) & ata::kBusy, 0U);
        control.control = 0;
        prepare(0, 1, control, {});
        memory->put(received(0) + kReceivedRegister, 0);
        issue(0, 2);
        EXPECT_TRUE(ended(0, 2));
        EXPECT_EQ(load(0, R::tfd), 0x150U);
        EXPECT_EQ(load(0, R::sig), 0x101U);
        EXPECT_EQ(memory->get(received(0) + kReceivedRegister, 1), 0x34U);
        drives[0]->firmware.delay = 0us;
        prepare(0, 0, command(Opcode::identify_device), {{buffer(0), 512, false}});
        issue(0, 1);
        EXPECT_TRUE(ended(0, 1));
    });
}

// A software reset as in 10.4.1, at any time: data that the device still sends for abandoned commands does no
// harm.
TEST_F(AhciTest, SoftwareResetDuringQueuedData) {
    build(AhciConfig{}, 1);
    go(
        [&] {
            for (Ps at = 0us; at < 200us; at += 1700ns) {
                start(0);
                for (std::uint32_t slot = 0; slot < 16; ++slot) {
                    const bool write = slot % 4 == 3;
                    prepare(0, slot,
                            queued(write ? Opcode::write_fpdma_queued : Opcode::read_fpdma_queued,
                                   static_cast<std::uint8_t>(slot), slot * 100, 16),
                            {{buffer(0) + slot * 0x2000U, 0x2000, false}}, write ? 1U << 6U : 0);
                }
                store(0, R::sact, 0xFFFF);
                issue(0, 0xFFFF);
                pause(at);
                EXPECT_TRUE(stop(0));
                store(0, R::cmd, load(0, R::cmd) | kClo);
                store(0, R::cmd, load(0, R::cmd) | kSt);
                RegisterH2d control;
                control.is_command = false;
                control.control = ata::kSoftReset;
                prepare(0, 0, control, {}, 1U << 8U | kHeaderClear);
                issue(0, 1);
                ASSERT_TRUE(ended(0, 1)) << to_sc_time(at);
                pause(5us);
                control.control = 0;
                prepare(0, 1, control, {});
                issue(0, 2);
                ASSERT_TRUE(ended(0, 2)) << to_sc_time(at);
                EXPECT_EQ(load(0, R::tfd), 0x150U) << to_sc_time(at);
                prepare(0, 0, command(Opcode::identify_device), {{buffer(0), 512, false}});
                issue(0, 1);
                ASSERT_TRUE(ended(0, 1)) << to_sc_time(at);
                EXPECT_EQ(load(0, R::is) & (kIfs | kOfs), 0U) << to_sc_time(at);
                EXPECT_TRUE(stop(0));
            }
        },
        20s);
}

// PxCMD.CR falls within 500 ms in every state of the port: here at every 100 ns of a queued read, over slow
// memory.
TEST_F(AhciTest, ThePortStopsAtAnyTime) {
    build(AhciConfig{}, 1);
    memory->time = 300ns;
    fill_medium(0, 0, 64);
    go([&] {
        for (Ps after{0}; after < 20us; after += 100ns) {
            start(0);
            prepare(0, 3, queued(Opcode::read_fpdma_queued, 3, 0, 16), {{buffer(0), 8192, false}});
            store(0, R::sact, 8);
            issue(0, 8);
            pause(after);
            const Ps asked = kernel_now();
            EXPECT_TRUE(stop(0));
            EXPECT_LT(kernel_now() - asked, 1ms);
            const std::size_t accesses = memory->log.size();
            pause(100us);
            for (std::size_t i = accesses; i < memory->log.size(); ++i) {
                EXPECT_LT(memory->log[i].address, buffer(0)) << "no data move once CR has fallen";
            }
            EXPECT_EQ(load(0, R::ci) | load(0, R::sact), 0U);
            store(0, R::sctl, kDetReset);
            store(0, R::sctl, 0);
        }
        start(0);
        prepare(0, 3, queued(Opcode::read_fpdma_queued, 3, 0, 16), {{buffer(0), 8192, false}});
        store(0, R::sact, 8);
        issue(0, 8);
        EXPECT_TRUE(ended(0, 8));
    });
}

// GHC.HR at any time: all registers but PxCLB and PxFB have their initial values, and the drive is detected
// again.
TEST_F(AhciTest, AdapterResetAtAnyTime) {
    build(AhciConfig{}, 1);
    memory->time = 300ns;
    go([&] {
        for (Ps after{0}; after < 20us; after += 200ns) {
            store(Global::ghc, kGhcIe);
            start(0, ~Word{0});
            prepare(0, 3, queued(Opcode::write_fpdma_queued, 3, 0, 16), {{buffer(0), 8192, false}}, 1U << 6U);
            store(0, R::sact, 8);
            issue(0, 8);
            pause(after);
            store(Global::ghc, kGhcHr | kGhcIe);
            EXPECT_EQ(load(Global::ghc), kGhcAe);
            EXPECT_EQ(load(Global::is), 0U);
            EXPECT_EQ(load(0, R::ie), 0U);
            EXPECT_EQ(load(0, R::ci) | load(0, R::sact), 0U);
            EXPECT_EQ(load(0, R::clb), list(0));
            EXPECT_EQ(load(0, R::fb), received(0));
            EXPECT_TRUE(wait_for([&] { return (load(0, R::cmd) & (kCr | kFr)) == 0; }));
        }
        start(0);
        prepare(0, 3, command(Opcode::identify_device), {{buffer(0), 512, false}});
        issue(0, 8);
        EXPECT_TRUE(ended(0, 8));
        EXPECT_EQ(line.read(), false);
    });
}

TEST_F(AhciTest, NoDriveIsThere) {
    build(AhciConfig{}, 0);
    go([&] {
        store(0, R::clb, static_cast<Word>(list(0)));
        store(0, R::fb, static_cast<Word>(received(0)));
        store(0, R::cmd, kFre | kSt);
        prepare(0, 0, command(Opcode::identify_device), {{buffer(0), 512, false}});
        issue(0, 1);
        pause(1ms);
        EXPECT_EQ(load(0, R::ci), 1U);
        EXPECT_EQ(load(0, R::ssts), 0U);
        EXPECT_TRUE(stop(0));
        store(0, R::sctl, kDetReset);
        store(0, R::sctl, 0);
        pause(1ms);
        EXPECT_EQ(load(0, R::ssts), 0U);
        EXPECT_EQ(load(0, R::tfd), 0x7FU);
    });
    EXPECT_TRUE(memory->log.empty());
}

// CAP.SSS: a drive is held in reset until its port is spun up.
TEST_F(AhciTest, StaggeredSpinUp) {
    AhciConfig config;
    config.ports = 2;
    config.staggered_spin_up = true;
    build(config, 2);
    go([&] {
        pause(1ms);
        EXPECT_EQ(load(Global::cap) & kCapSss, kCapSss);
        EXPECT_EQ(load(0, R::cmd) & kSud, 0U);
        EXPECT_EQ(load(0, R::ssts), 0U);
        store(0, R::sctl, kDetReset);
        store(0, R::sctl, 0);
        pause(1ms);
        EXPECT_EQ(load(0, R::ssts), 0U) << "not spun up";
        store(0, R::cmd, kSud);
        EXPECT_TRUE(ready(0));
        EXPECT_EQ(load(0, R::ssts), 0x133U);
        EXPECT_EQ(load(1, R::ssts), 0U);
        store(0, R::cmd, 0);
        EXPECT_EQ(load(0, R::ssts), 0U);
    });
}

// Without FRE the port receives only the signature, and posts it when FRE is set; frames wait on the link and
// are not lost.
TEST_F(AhciTest, FramesWaitForFre) {
    build(AhciConfig{}, 0, 1);
    run(1us);
    hw::test::ScriptHost& device = puppets[0]->device;
    device.send(encode(RegisterD2h{false, 0x50, 1, hal::Lba{1}, 0, 1}));
    for (const std::uint8_t status : std::initializer_list<std::uint8_t>{0x40, 0x50, 0x44}) {
        device.send(encode(RegisterD2h{true, status, 0, {}, 0, 0}));
    }
    go([&] {
        store(0, R::fb, static_cast<Word>(received(0)));
        EXPECT_TRUE(ready(0));
        pause(1ms);
        EXPECT_EQ(load(0, R::sig), 0x101U);
        EXPECT_EQ(load(0, R::tfd), 0x150U);
        EXPECT_EQ(device.sent_at.size(), 2U) << "two buffers, then no R_RDY";
        EXPECT_TRUE(memory->log.empty());
        store(0, R::cmd, kFre);
        pause(1ms);
        EXPECT_EQ(device.sent_at.size(), 4U);
        EXPECT_EQ(load(0, R::tfd), 0x44U);
        ASSERT_EQ(memory->log.size(), 4U);
    });
}

// A device that breaks the rules: data that was not requested halts the port (IFS), and is dropped after the
// port has been stopped.
TEST_F(AhciTest, ADeviceThatBreaksTheProtocol) {
    build(AhciConfig{}, 0, 1);
    run(1us);
    hw::test::ScriptHost& device = puppets[0]->device;
    device.send(encode(RegisterD2h{false, 0x50, 1, hal::Lba{1}, 0, 1}));
    go([&] {
        start(0);
        std::vector<std::byte> data(512, std::byte{0x5A});
        device.send(encode_data(), data.data(), 512);
        EXPECT_TRUE(wait_for([&] { return (load(0, R::is) & kIfs) != 0; }));
        EXPECT_EQ(load(0, R::serr), kSerrProtocol);
        EXPECT_TRUE(stop(0));
        memory->log.clear();
        device.send(encode_data(), data.data(), 512);
        device.send(encode_dma_activate());
        device.send(encode(DmaSetup{true, false, true, 31, 0, 512}));
        pause(1ms);
        EXPECT_EQ(memory->log.size(), 1U) << "the DMA Setup FIS is posted";
        EXPECT_EQ(device.frames.size(), 0U);
        start(0);
        device.send(encode_dma_activate());
        EXPECT_TRUE(wait_for([&] { return (load(0, R::is) & kIfs) != 0; }));
    });
}

}  // namespace
}  // namespace solidtlm::hw::ahci::test
