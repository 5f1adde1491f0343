// SPDX-License-Identifier: Apache-2.0
//
// Bad drivers: noise written to every register at random times, with lists and tables that are partly noise,
// against a real device, a device that babbles, and a port without a device. The model neither crashes nor
// hangs, no access goes to an address that no register or table has given, and a reset always helps.
#include <random>

#include "hw/ahci/test_bench.h"
#include "hw/sata/identify.h"
#include "hw/tlm/report_guard.h"

namespace solidtlm::hw::ahci::test {
namespace {

using R = PortRegister;
using ata::Opcode;
using namespace std::chrono_literals;

struct Window {
    std::uint64_t begin;
    std::uint64_t end;
    [[nodiscard]] bool holds(std::uint64_t address, std::uint64_t bytes) const {
        return address >= begin && address + bytes <= end;
    }
};
constexpr Window kLists{0x80000, 0x81000};  // four
constexpr Window kReceived{0x90000, 0xA0000};
constexpr Window kTables{0x40000, 0x80000};
constexpr Window kData{0x100000, 0x600000};
constexpr std::uint64_t kTableBytes = 0x400;

class Noise : public AhciTest, public testing::WithParamInterface<std::uint32_t> {
  protected:
    static constexpr std::uint32_t kScripts = 100;
    static constexpr std::uint32_t kSteps = 400;

    std::uint32_t draw(std::uint32_t below) { return static_cast<std::uint32_t>(random() % below); }
    /// A word of few bits, of many bits, or with values that matter to registers.
    Word word() {
        switch (draw(4)) {
            case 0:
                return Word{1} << draw(32);
            case 1:
                return static_cast<Word>(random());
            case 2:
                return static_cast<Word>(random() & random() & random());
            default:
                return draw(2) == 0 ? 0 : ~Word{0};
        }
    }
    Word high_half() { return draw(30) == 0 ? word() | 1 : 0; }

    void write_tables() {
        const std::uint64_t table =
            kTables.begin + draw((kTables.end - kTables.begin) / kTableBytes) * kTableBytes;
        const std::uint64_t header =
            kLists.begin + draw((kLists.end - kLists.begin) / kHeaderBytes) * kHeaderBytes;
        const std::uint32_t prds = draw(9);
        memory->put(header, (draw(12) == 0 ? word() & 0xFFFF : 5 | (word() & 0x760)) | prds << kPrdtlShift);
        memory->put(header + 8, table | draw(0x80));
        memory->put(header + 12, high_half());
        FisHeader fis = encode(some_command());
        if (draw(8) == 0) {
            fis.bytes[draw(20)] = static_cast<std::uint8_t>(word());
        }
        std::memcpy(memory->ram.data() + table, fis.bytes.data(), 20);
        for (std::uint32_t i = 0; i < prds; ++i) {
            const std::uint64_t entry = table + kPrdtOffset + i * kPrdBytes;
            const std::uint32_t bytes = draw(3) == 0 ? draw(0x20000) + 1 : (draw(32) + 1) * 512;
            memory->put(entry, kData.begin + draw(0x4C0000));
            memory->put(entry + 4, high_half());
            memory->put(entry + 12, (bytes - 1) | (word() & ~kDbcMask));
        }
    }
    RegisterH2d some_command() {
        constexpr std::array kOpcodes{Opcode::identify_device,    Opcode::read_dma_ext,
                                      Opcode::write_dma_ext,      Opcode::read_fpdma_queued,
                                      Opcode::write_fpdma_queued, Opcode::flush_cache_ext,
                                      Opcode::read_log_ext,       Opcode::data_set_management,
                                      Opcode::send_fpdma_queued,  Opcode::set_features};
        RegisterH2d fis = command(kOpcodes[draw(kOpcodes.size())], draw(Drive::kSectors),
                                  static_cast<std::uint16_t>(draw(48)));
        if (draw(2) == 0) {
            fis.features = static_cast<std::uint16_t>(1 + draw(40));
            fis.count = static_cast<std::uint16_t>(draw(32) << 3U);
        }
        if (draw(6) == 0) {
            fis.is_command = false;
            fis.control = draw(2) == 0 ? ata::kSoftReset : std::uint8_t{0};
        }
        return fis;
    }
    void write_register() {
        const std::uint32_t port = draw(3);
        const std::uint32_t offset = draw(kPortBytes / 4) * 4;
        switch (static_cast<R>(offset)) {
            case R::clb:
                store(port, R::clb, static_cast<Word>(kLists.begin) + (word() & 0xC00));
                return;
            case R::fb:
                store(port, R::fb, static_cast<Word>(kReceived.begin) + (word() & 0xFFFF));
                return;
            case R::clbu:
            case R::fbu:
                store(port, static_cast<R>(offset), high_half());
                return;
            default:
                break;
        }
        switch (draw(8)) {
            case 0:
                processor->store(kPortBase + port * kPortBytes + offset + draw(4), word() & 0xFF, 1);
                break;
            case 1:
                processor->store(kPortBase + port * kPortBytes + offset + draw(2) * 2, word() & 0xFFFF, 2);
                break;
            case 2:
                processor->store(kPortBase + port * kPortBytes + offset / 8 * 8,
                                 std::uint64_t{word()} << 32U | word(), 8);
                break;
            default:
                store(port, static_cast<R>(offset), word());
                break;
        }
    }
    void babble() {
        const std::array fises{
            encode(RegisterD2h{draw(2) == 0, static_cast<std::uint8_t>(word()), 0, {}, 0, 0}),
            encode(RegisterD2h{true, 0x50, 0, {}, 0, 0}),
            encode(SetDeviceBits{false, true, static_cast<std::uint8_t>(word()), 0, word()}),
            encode(DmaSetup{draw(2) == 0, draw(2) == 0, draw(2) == 0, static_cast<std::uint8_t>(draw(32)),
                            draw(4) == 0 ? word() : 0, draw(4) == 0 ? word() : 8192}),
            encode(PioSetup{true,
                            draw(2) == 0,
                            0x58,
                            0,
                            {},
                            0,
                            0,
                            static_cast<std::uint8_t>(word()),
                            static_cast<std::uint16_t>(draw(2048) * 4)}),
            encode_dma_activate(),
            encode_data()};
        const FisHeader& fis = fises[draw(fises.size())];
        if (puppets[0]->link.pending() < 100) {
            puppets[0]->device.send(fis, babbled.data(),
                                    fis.type() == FisType::data ? (1 + draw(2048)) * 4 : 0);
        }
    }
    void step() {
        switch (draw(12)) {
            case 0:
            case 1:
            case 2:
                write_tables();
                break;
            case 3: {  // as a driver would do
                const std::uint32_t port = draw(2);
                write_tables();
                store(port, R::is, ~Word{0});
                store(port, R::serr, ~Word{0});
                if (draw(3) == 0) {
                    store(port, R::cmd, kSud | kFre);
                    store(port, R::sctl, draw(2) == 0 ? kDetReset : 0);
                    store(port, R::sctl, 0);
                    pause(2us);
                }
                store(port, R::clb, static_cast<Word>(kLists.begin + draw(4) * 0x400));
                store(port, R::cmd, kSud | kFre | (draw(8) != 0 ? kSt : 0));
                store(port, R::sact, draw(2) == 0 ? word() : 0);
                store(port, R::ci, word());
                pause(1ns * draw(60'000));
                break;
            }
            case 4:
                babble();
                break;
            case 5:
                pause(1ns * draw(40'000));
                break;
            case 6:
                processor->load(draw(kRegisterBytes / 8) * 8, 8);
                break;
            case 7:
                if (draw(10) == 0) {
                    processor->store(draw(kPortBase / 4) * 4, word());
                }
                break;
            default:
                write_register();
                break;
        }
    }
    void check_accesses() {
        for (const Memory::Access& access : memory->log) {
            const auto [write, address, bytes] = access;
            const bool refused = address >= std::uint64_t{1} << 32U;
            const bool data = kData.holds(address, bytes);
            const bool list = kLists.holds(address, bytes) &&
                              (write ? address % kHeaderBytes == kByteCountOffset && bytes == 4
                                     : address % kHeaderBytes == 0 && bytes == kHeaderBytes);
            const bool table = !write && kTables.holds(address, bytes);
            const bool received_fis =
                write && kReceived.holds(address, bytes) && address % 0x100 + bytes <= 0x100;
            ASSERT_TRUE(refused || data || list || table || received_fis)
                << (write ? "write of " : "read of ") << bytes << " at " << std::hex << address;
        }
        memory->log.clear();
    }
    /// Resets the adapter; afterwards everything works.
    void recover() {
        store(Global::ghc, kGhcHr);
        for (std::uint32_t port = 0; port < 3; ++port) {
            EXPECT_TRUE(wait_for([&] { return (load(port, R::cmd) & (kCr | kFr)) == 0; }));
        }
        check_accesses();
        for (const R upper : {R::clbu, R::fbu}) {
            store(0, upper, 0);
        }
        start(0);
        prepare(0, 0, command(Opcode::identify_device), {{buffer(0), 512, false}});
        memory->put(buffer(0), 0, 8);
        issue(0, 1);
        ASSERT_TRUE(ended(0, 1));
        IdentifyFacts facts;
        EXPECT_TRUE(parse_identify(std::span(memory->ram).subspan(buffer(0), 512), facts));
        EXPECT_TRUE(stop(0));
        EXPECT_TRUE(wait_for([&] { return drives[0]->device.slots_in_use() == 0; }));
        memory->log.clear();
    }

    std::mt19937_64 random;
    std::vector<std::byte> babbled = std::vector<std::byte>(kMaxDataFisBytes, std::byte{0xB5});
};

TEST_P(Noise, IsSurvived) {
    sc_core::sc_report_handler::set_actions("/ssd/sata", sc_core::SC_ERROR, sc_core::SC_DO_NOTHING);
    const ExpectReport device_is_told_nonsense("/ssd/sata");
    AhciConfig config;
    config.ports = 3;
    build(config, 1, 1);
    memory->time = 200ns;
    drives[0]->firmware.delay = 20us;
    go(
        [&] {
            for (std::uint32_t script = 0; script < kScripts && !HasFatalFailure(); ++script) {
                random.seed(GetParam() * 1000 + script);
                SCOPED_TRACE("script " + std::to_string(GetParam() * 1000 + script));
                for (std::uint32_t port = 0; port < 3; ++port) {
                    store(port, R::clb, static_cast<Word>(kLists.begin));
                    store(port, R::fb, static_cast<Word>(kReceived.begin));
                }
                for (std::uint32_t i = 0; i < 200; ++i) {
                    write_tables();
                }
                for (std::uint32_t i = 0; i < kSteps; ++i) {
                    step();
                }
                recover();
            }
        },
        1000s);
    EXPECT_GT(drives[0]->device.statistics().accepted, kScripts) << "some of it was no nonsense";
}

INSTANTIATE_TEST_SUITE_P(Seeds, Noise, testing::Range(1U, 6U));

}  // namespace
}  // namespace solidtlm::hw::ahci::test
