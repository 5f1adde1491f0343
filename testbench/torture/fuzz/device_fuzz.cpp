// SPDX-License-Identifier: Apache-2.0
//
// Sends the SATA device any frames that a host may send: an input is a list of steps. Firmware and DRAM are
// doubles.
//
// However the host behaves, the device answers a reset with its signature, accepts commands afterwards, and
// drops the old ones. If the host follows the protocol, every command ends.
#include <algorithm>
#include <cstdint>
#include <memory>
#include <string_view>
#include <systemc>
#include <vector>

#include "fw/hal/check.h"
#include "hw/sata/ata.h"
#include "hw/sata/test_doubles.h"
#include "testbench/torture/fuzz/fuzz_target.h"

namespace solidtlm::fuzz {
namespace {

using hw::FisType;
using hw::RegisterH2d;
using hw::ata::Opcode;

constexpr std::uint64_t kSectors = 2048;
constexpr std::uint32_t kMostDataBytes = 64U << 10;  ///< buffer of the host per command
constexpr int kMostSteps = 100;
/// Longer than any operation that the steps can request.
constexpr hal::Ps kBound{10'000'000'000'000};

/// Set when the device reports that the host broke the protocol.
bool host_erred = false;

void take_report(const sc_core::sc_report& report, const sc_core::sc_actions& actions) {
    if (report.get_severity() == sc_core::SC_ERROR &&
        std::string_view(report.get_msg_type()) == "/ssd/sata") {
        host_erred = true;
        return;
    }
    SOLIDTLM_CHECK(report.get_severity() < sc_core::SC_WARNING, report.what());
    sc_core::sc_report_handler::default_handler(report, actions);
}

RegisterH2d plain(Opcode opcode, std::uint16_t count) {
    RegisterH2d fis;
    fis.command = static_cast<std::uint8_t>(opcode);
    fis.device = hw::ata::kDeviceLba;
    fis.count = count;
    return fis;
}

class Bench {
  public:
    Bench() {
        sc_core::sc_report_handler::set_handler(take_report);
        host_.one_at_a_time = false;
        checkers_.join(host_.link_init, link_.host.target);
        checkers_.join(link_.host.init, host_.link_target);
        checkers_.join(device_.link.init, link_.device.target);
        checkers_.join(link_.device.init, device_.link.target);
        checkers_.join(device_.dram_init, dram_.host_target);
        sc_core::sc_start(sc_core::SC_ZERO_TIME);
        come_to_rest();
    }

    void run(Input input) {
        set_up(input);
        for (int steps = 0; !input.empty() && steps < kMostSteps; ++steps) {
            step(input);
        }
        come_to_rest();
        if (!host_erred && host_.outgoing.empty() && !in_reset_ && !owes_data()) {
            SOLIDTLM_CHECK(device_.outstanding() == 0, "every command ends if the host has sent its data");
        }
        expect_reset();
        expect_work();
        cut_power();
    }

  private:
    static hw::SataConfig configuration() {
        hw::SataConfig config;
        config.exported_sectors = kSectors;
        return config;
    }

    void set_up(Input& input) {
        const std::uint8_t times = input.byte();
        firmware_.delay = hal::Ps{(times & 0x0F) * 3'000'000};  // up to 45 us
        firmware_.between_parts = hal::Ps{(times >> 4) * 1'000'000};
        const std::uint8_t sizes = input.byte();
        firmware_.part_sectors = 1 + (sizes & 0x0F) * 5;
        firmware_.piece_sectors = 1 + (sizes >> 4);
        dram_.accept_only = (input.byte() & 1) != 0;
        dram_.wait = hal::Ps{input.byte() * 10'000};
        firmware_.fail_after_sectors = 0;
        firmware_.failures.clear();
        host_erred = false;
        in_reset_ = false;
    }

    void step(Input& input) {
        const std::uint8_t what = input.byte();
        switch (what % 8) {
            case 0:
                return wait(hal::Ps{input.number<std::uint16_t>() * 10'000});
            case 1:
                return write_control(input.byte());
            case 2:
                return host_.send(hw::encode_data(), content_.data(), data_bytes(input));
            case 3:
                return provide_bytes(input);
            case 4:
                return disturb(input);
            default:
                return command(what, input);
        }
    }

    void command(std::uint8_t what, Input& input) {
        RegisterH2d fis;
        fis.command = input.byte();
        fis.features = input.number<std::uint16_t>();
        fis.count = input.number<std::uint16_t>();
        if (const auto opcode = static_cast<Opcode>(fis.command);
            opcode == Opcode::idle || opcode == Opcode::standby) {
            fis.count %= 2;  // a Standby timer of 5 s, or none
        }
        fis.lba = hal::Lba{input.number<std::uint16_t>()};
        fis.device = hw::ata::kDeviceLba;
        if ((what & 0x80) != 0) {  // write all registers
            fis.lba.value |= std::uint64_t{input.number<std::uint32_t>()} << 16;
            fis.device = input.byte();
            fis.icc = input.byte();
            fis.control = input.byte();
            fis.auxiliary = input.number<std::uint32_t>();
        }
        if ((what & 0x40) != 0) {  // send the data of a write, with the length from the command
            const bool queued = fis.command >= 0x60 && fis.command <= 0x65;
            const std::uint32_t bytes = (queued ? fis.features : fis.count) * hal::kSectorBytes;
            host_.provide(std::min(bytes, kMostDataBytes), (1 + input.byte() % 16) * hal::kSectorBytes);
        }
        host_.send(hw::encode(fis));
    }

    void write_control(std::uint8_t control) {
        RegisterH2d fis;
        fis.is_command = false;
        fis.control = control;
        in_reset_ = (control & hw::ata::kSoftReset) != 0;
        host_.send(hw::encode(fis));
    }

    /// Length of a Data FIS in whole dwords, whether the device asked for data or not.
    static std::uint32_t data_bytes(Input& input) {
        return input.number<std::uint16_t>() % (hw::kMaxDataFisBytes / 4 + 1) * 4;
    }

    /// Provides a block of ranges for a TRIM. It holds up to 64; the first ones are filled in.
    void provide_bytes(Input& input) {
        std::vector<std::byte> block(hal::kSectorBytes);
        const std::size_t ranges = input.byte() % 4;
        for (std::size_t i = 0; i < ranges * 8; ++i) {
            block[i] = std::byte{input.byte()};
        }
        host_.provide(std::move(block));
    }

    void disturb(Input& input) {
        const std::uint8_t what = input.byte();
        switch (what % 4) {
            case 0:
                firmware_.failures[input.byte()] = static_cast<hal::HostStatus>(1 + what / 4 % 3);
                firmware_.fail_once = (what & 0x80) != 0;
                firmware_.fail_after_sectors = input.byte() % 32;
                return;
            case 1:
                return device_.comreset();
            case 2:
                return cut_power();
            default: {  // send any FIS
                hw::FisHeader fis = hw::encode_dma_activate();
                const std::uint8_t type = input.byte();
                fis.length = hw::fis_header_bytes(type);
                if (fis.length > 0) {
                    fis.bytes[0] = type;
                    host_.send(fis);
                }
                return;
            }
        }
    }

    static void wait(hal::Ps time) {
        if (time > hal::Ps{0}) {
            sc_core::sc_start(hw::to_sc_time(time));
        }
    }
    static void come_to_rest() {
        if (sc_core::sc_pending_activity()) {
            sc_core::sc_start(hw::to_sc_time(kBound), sc_core::SC_EXIT_ON_STARVATION);
        }
        SOLIDTLM_CHECK(!sc_core::sc_pending_activity(), "the device becomes idle");
    }

    /// The device requested more data than the host had.
    [[nodiscard]] bool owes_data() const {
        const auto asks = std::count_if(host_.frames.begin(), host_.frames.end(), [](const auto& frame) {
            const FisType type = frame.header.type();
            return type == FisType::dma_activate || type == FisType::dma_setup ||
                   (type == FisType::pio_setup &&
                    !hw::decode<hw::PioSetup>(frame.header.bytes.data()).device_to_host);
        });
        return asks > static_cast<std::ptrdiff_t>(host_.sending.size());
    }

    void expect_reset() {
        write_control(hw::ata::kSoftReset);
        come_to_rest();
        host_.frames.clear();
        host_.outgoing.clear();
        write_control(0);
        come_to_rest();
        const auto answer = host_.frames.empty()
                                ? hw::RegisterD2h{}
                                : hw::decode<hw::RegisterD2h>(host_.frames.back().header.bytes.data());
        SOLIDTLM_CHECK(host_.types() == std::vector{FisType::register_d2h} &&
                           answer.status == hw::ata::kStatusOk && answer.error == 1,
                       "a reset ends with the signature");
        SOLIDTLM_CHECK(device_.outstanding() == 0 && device_.slots_in_use() == 0 && link_.pending() == 0,
                       "a reset ends everything");
    }

    /// Checks that the device identifies itself and reads.
    void expect_work() {
        firmware_.failures.clear();
        host_.frames.clear();
        host_.send(hw::encode(plain(Opcode::identify_device, 0)));
        come_to_rest();
        SOLIDTLM_CHECK((host_.types() == std::vector{FisType::pio_setup, FisType::data}),
                       "IDENTIFY DEVICE is answered after a reset");
        host_.frames.clear();
        host_.send(hw::encode(plain(Opcode::read_dma_ext, 8)));
        come_to_rest();
        SOLIDTLM_CHECK((host_.frames.size() >= 2 && host_.types().back() == FisType::register_d2h &&
                        hw::decode<hw::RegisterD2h>(host_.frames.back().header.bytes.data()).status ==
                            hw::ata::kStatusOk),
                       "a read ends well after a reset");
    }

    void cut_power() {
        device_.power_cut();
        link_.power_cut();
        dram_.power_cut();
        firmware_.power_cut();
        checkers_.power_cut();
        host_.outgoing.clear();
        host_.sending.clear();
        host_.frames.clear();
        host_.sent_at.clear();
        firmware_.seen.clear();
        in_reset_ = false;
        firmware_.attach();
        device_.power_on();
        come_to_rest();
        host_.frames.clear();
    }

    hw::SataConfig config_ = configuration();
    hw::SataLink link_{"link", config_};
    hw::SataDevice device_{"device", config_};
    hw::test::ScriptHost host_{"host", config_.content};
    hw::test::FakeDram dram_{"dram", config_.content, kSectors};
    hw::test::FakeFirmware firmware_{"firmware", device_};
    hw::ProtocolCheckers checkers_;
    std::vector<std::byte> content_ = std::vector<std::byte>(hw::kMaxDataFisBytes);
    bool in_reset_ = false;
};

}  // namespace
}  // namespace solidtlm::fuzz

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    // SystemC elaborates once per process, so the bench is never destroyed.
    static auto& bench = *new solidtlm::fuzz::Bench;  // NOLINT(cppcoreguidelines-owning-memory)
    bench.run(solidtlm::fuzz::Input(data, size));
    return 0;
}

/// The SystemC library needs this symbol; main() comes from libFuzzer or run_seeds.cpp.
int sc_main(int, char**) {  // NOLINT(readability-identifier-naming)
    return 0;
}
