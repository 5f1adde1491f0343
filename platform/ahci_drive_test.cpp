// SPDX-License-Identifier: Apache-2.0
//
// Whole drives at the ports of a host bus adapter.
#include <random>

#include "hw/ahci/test_bench.h"
#include "hw/sata/identify.h"
#include "hw/tlm/report_guard.h"
#include "platform/ssd.h"

namespace solidtlm::platform {
namespace {

using hw::kernel_now;
using hw::ahci::PortRegister;
using hw::ahci::Word;
using hw::ahci::test::Prd;
using hw::ata::Opcode;
using namespace std::chrono_literals;

class AhciDriveTest : public hw::ahci::test::AhciTest {
  protected:
    void build_with(std::uint32_t count, const std::string& run_ahead = "1ms") {
        hw::AhciConfig config;
        config.ports = count;
        build(config, 0);
        ConfigurationSources sources;
        sources.preset = "tiny";
        sources.settings = {"content=bytes", "run_ahead=" + run_ahead};
        for (std::uint32_t i = 0; i < count; ++i) {
            Ssd& ssd = *ssds.emplace_back(std::make_unique<Ssd>(
                ("ssd_" + std::to_string(i)).c_str(), load_configuration(sources), ProtocolChecks::on));
            ssd.sata().bind_host(hba->link_init[i], hba->link_target[i]);
        }
    }
    /// Queued reads and writes of up to 64 KiB in all slots of all ports, compared with a copy of the first
    /// MiB.
    void work(int rounds, std::uint32_t ports) {
        std::vector<std::vector<std::byte>> copies(ports, std::vector<std::byte>(kSpan * 512));
        for (int round = 0; round < rounds; ++round) {
            struct Asked {
                std::uint32_t port;
                std::uint64_t at;
                std::uint32_t first_byte;
                std::uint32_t bytes;
            };
            std::vector<Asked> reads;
            Word slots = 0;
            for (std::uint32_t slot = 0; slot < 32; slot += 1 + draw(3)) {
                slots |= 1U << slot;
                for (std::uint32_t port = 0; port < ports; ++port) {
                    // each slot has its own part, so that the order of commands does not matter
                    const std::uint32_t sectors = 1 + draw(kSpan / 32);
                    const std::uint32_t lba = slot * (kSpan / 32) + draw(kSpan / 32 - sectors + 1);
                    const std::uint64_t at = buffer(port) + slot * 0x8000U;
                    const bool write = draw(2) == 0;
                    const std::uint32_t bytes = sectors * 512;
                    for (std::uint32_t i = 0; i < bytes; ++i) {
                        memory->ram[at + i] = static_cast<std::byte>(draw(256));
                    }
                    if (write) {
                        std::copy_n(memory->ram.begin() + static_cast<long>(at), bytes,
                                    copies[port].begin() + lba * 512);
                    } else {
                        reads.push_back({port, at, lba * 512, bytes});
                    }
                    const std::uint32_t half = bytes / 4 * 2;
                    prepare(port, slot,
                            queued(write ? Opcode::write_fpdma_queued : Opcode::read_fpdma_queued,
                                   static_cast<std::uint8_t>(slot), lba, static_cast<std::uint16_t>(sectors)),
                            {{at, half, false}, {at + half, bytes - half, false}}, write ? 1U << 6U : 0);
                }
            }
            for (std::uint32_t port = 0; port < ports; ++port) {
                store(port, PortRegister::sact, slots);
                issue(port, slots);
            }
            for (std::uint32_t port = 0; port < ports; ++port) {
                ASSERT_TRUE(ended(port, slots));
            }
            for (const Asked& read : reads) {
                ASSERT_TRUE(std::equal(memory->ram.begin() + static_cast<long>(read.at),
                                       memory->ram.begin() + static_cast<long>(read.at + read.bytes),
                                       copies[read.port].begin() + read.first_byte));
            }
        }
    }
    void single(std::uint32_t port, const hw::RegisterH2d& fis, const std::vector<Prd>& prds = {}) {
        prepare(port, 0, fis, prds);
        issue(port, 1);
        EXPECT_TRUE(ended(port, 1));
        EXPECT_EQ(load(port, PortRegister::tfd) & hw::ata::kErr, 0U);
    }
    std::uint32_t draw(std::uint32_t below) { return static_cast<std::uint32_t>(random() % below); }

    static constexpr std::uint32_t kSpan = 1024;  // sectors
    std::mt19937 random{11};
    std::vector<std::unique_ptr<Ssd>> ssds;
};

TEST_F(AhciDriveTest, TwoDrivesKeepTheWrittenData) {
    build_with(2);
    go([&] {
        for (std::uint32_t port = 0; port < 2; ++port) {
            start(port);
            single(port, command(Opcode::identify_device), {{buffer(port), 512, false}});
            hw::IdentifyFacts facts;
            ASSERT_TRUE(hw::parse_identify(std::span(memory->ram).subspan(buffer(port), 512), facts));
            EXPECT_EQ(facts.capacity_sectors, ssds[port]->configuration().sata.exported_sectors);
        }
        work(20, 2);
        for (std::uint32_t port = 0; port < 2; ++port) {
            single(port, command(Opcode::flush_cache_ext));
            EXPECT_EQ(load(port, PortRegister::is) & (hw::ahci::kTfes | hw::ahci::kIfs), 0U);
        }
    });
}

// Tables that are too short, of odd lengths, or missing, for commands that need data; a COMRESET recovers the
// drive from each, and it works as before.
TEST_F(AhciDriveTest, ADriverWithWrongTables) {
    build_with(1);
    sc_core::sc_report_handler::set_actions("/ssd/sata", sc_core::SC_ERROR, sc_core::SC_DO_NOTHING);
    const hw::ExpectReport the_drive_gets_wrong_data("/ssd/sata");
    go([&] {
        start(0);
        // 16384 bytes for a write of one sector, which needs 512: a Data FIS that is too long
        prepare(0, 0, command(Opcode::write_dma_ext, 5000, 1), {{buffer(0), 16384, false}}, 1U << 6U);
        issue(0, 1);
        pause(5ms);
        for (const Opcode opcode : {Opcode::write_dma_ext, Opcode::read_dma_ext, Opcode::data_set_management,
                                    Opcode::write_fpdma_queued, Opcode::read_fpdma_queued}) {
            for (const std::uint32_t bytes : {0U, 1U, 2U, 510U, 513U, 4099U}) {
                EXPECT_TRUE(stop(0));
                store(0, PortRegister::sctl, hw::ahci::kDetReset);
                store(0, PortRegister::sctl, 0);
                start(0);
                const bool is_queued =
                    opcode >= Opcode::read_fpdma_queued && opcode <= Opcode::receive_fpdma_queued;
                std::vector<Prd> prds;
                if (bytes > 0) {
                    prds.push_back({buffer(0), bytes, false});
                }
                hw::RegisterH2d fis = is_queued ? queued(opcode, 0, 5000, 16) : command(opcode, 5000, 16);
                if (opcode == Opcode::data_set_management) {
                    fis = command(opcode, 0, 1);
                    fis.features = 1;
                }
                prepare(0, 0, fis, prds, 1U << 6U);
                store(0, PortRegister::sact, is_queued ? 1U : 0U);
                issue(0, 1);
                pause(2ms);
            }
        }
        EXPECT_TRUE(stop(0));
        store(0, PortRegister::sctl, hw::ahci::kDetReset);
        store(0, PortRegister::sctl, 0);
        start(0);
        work(5, 1);
    });
}

// 60 resets in the middle of work; data that was written before, and not written again, stays.
TEST_F(AhciDriveTest, ResetsLoseNoWrittenData) {
    build_with(1);
    go([&] {
        start(0);
        std::vector<std::byte> written(64 * 512);
        for (std::byte& byte : written) {
            byte = static_cast<std::byte>(draw(256));
        }
        std::ranges::copy(written, memory->ram.begin() + static_cast<long>(buffer(0)));
        single(0, command(Opcode::write_dma_ext, 0, 64), {{buffer(0), 32768, false}});
        for (int i = 0; i < 60; ++i) {
            for (std::uint8_t tag = 0; tag < 32; ++tag) {
                const bool write = draw(2) == 0;
                prepare(0, tag,
                        queued(write ? Opcode::write_fpdma_queued : Opcode::read_fpdma_queued, tag,
                               64U + draw(900), static_cast<std::uint16_t>(1 + draw(60))),
                        {{buffer(0), 32768, false}}, write ? 1U << 6U : 0);
            }
            store(0, PortRegister::sact, ~Word{0});
            issue(0, ~Word{0});
            pause(1ns * draw(3'000'000));
            if (draw(2) == 0) {
                EXPECT_TRUE(stop(0));
                store(0, PortRegister::sctl, hw::ahci::kDetReset);
                pause(1ns * draw(5000));
                store(0, PortRegister::sctl, 0);
            } else {
                store(hw::ahci::Global::ghc, hw::ahci::kGhcHr);
                EXPECT_TRUE(wait_for(
                    [&] { return (load(0, PortRegister::cmd) & (hw::ahci::kCr | hw::ahci::kFr)) == 0; }));
            }
            start(0);
        }
        single(0, command(Opcode::read_dma_ext, 0, 64), {{buffer(0), 32768, false}});
        EXPECT_TRUE(std::ranges::equal(written, std::span(memory->ram).subspan(buffer(0), written.size())));
    });
}

}  // namespace
}  // namespace solidtlm::platform
