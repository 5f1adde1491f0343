// SPDX-License-Identifier: Apache-2.0
#include "testbench/ahci_guest/guest_board.h"

#include <algorithm>
#include <array>
#include <chrono>
#include <utility>

#include "fw/hal/check.h"
#include "hw/ahci/little_endian.h"
#include "hw/sata/ata.h"
#include "hw/sata/fis.h"
#include "hw/tlm/time.h"

namespace solidtlm::testbench {
namespace {

using hw::ahci::PortRegister;
using hw::ahci::Word;
using namespace std::chrono_literals;

constexpr hal::Ps kTimeStep = 20us;
constexpr std::chrono::milliseconds kPatience{1};

constexpr unsigned kAbar = 5;
constexpr pci_proxy::PciIdentity kIdentity{.vendor = 0x1B36,  // Red Hat: virtual devices of QEMU
                                           .device = 0x0101,
                                           .class_code = 0x010601,  // AHCI 1.3.1, 2.1.5
                                           .revision = 1,
                                           .bar_bytes = {0, 0, 0, 0, 0, 8192}};

// The board's own memory, while the image is written.
constexpr std::uint64_t kList = 0;
constexpr std::uint64_t kReceived = 0x400;
constexpr std::uint64_t kTable = 0x800;
constexpr std::uint64_t kData = 0x1000;
constexpr std::size_t kDataBytes = std::size_t{128} * hal::kSectorBytes;

Word low(std::uint64_t address) {
    return static_cast<Word>(GuestRam::kOwnAddress + address);
}
Word high() {
    return static_cast<Word>(GuestRam::kOwnAddress >> 32U);
}

}  // namespace

GuestBoard::GuestBoard(const sc_core::sc_module_name& name, const platform::Configuration& configuration,
                       std::vector<std::byte> image, Descriptor socket)
    : sc_module(name),
      image_(std::move(image)),
      server_(std::move(socket), kIdentity, *this),
      memory_("memory", server_.memory(), kData + kDataBytes),
      hba_("hba", hw::AhciConfig{}),
      drive_("drive", configuration) {
    processor_init_.bind(hba_.register_target);
    hba_.dma_init.bind(memory_.target);
    hba_.interrupt.bind(line_);
    drive_.bind_host(hba_.link_init[0], hba_.link_target[0]);
    SC_HAS_PROCESS(GuestBoard);
    SC_THREAD(guest_thread);
}

void GuestBoard::guest_thread() {
    write_image();
    try {
        while (server_.serve(kPatience)) {
            wait(hw::to_sc_time(kTimeStep));
            server_.set_line(line_.read());
        }
    } catch (const std::exception& error) {
        fault_ = error.what();
    }
    sc_core::sc_stop();
}

/// As a driver would, through the adapter, which is then reset.
void GuestBoard::write_image() {
    store(PortRegister::clb, low(kList));
    store(PortRegister::clbu, high());
    store(PortRegister::fb, low(kReceived));
    store(PortRegister::fbu, high());
    store(PortRegister::cmd, load(PortRegister::cmd) | hw::ahci::kFre);
    wait_for(PortRegister::tfd, hw::ata::kBusy | hw::ata::kDrq, 0);
    store(PortRegister::serr, ~Word{0});
    store(PortRegister::cmd, load(PortRegister::cmd) | hw::ahci::kSt);
    for (std::size_t at = 0; at < image_.size(); at += kDataBytes) {
        const std::span data = std::span(image_).subspan(at, std::min(kDataBytes, image_.size() - at));
        if (std::ranges::any_of(data, [](std::byte byte) { return byte != std::byte{0}; })) {
            write_sectors(at / hal::kSectorBytes, data);
        }
    }
    reset();
}

void GuestBoard::write_sectors(std::uint64_t lba, std::span<const std::byte> data) {
    using hw::ahci::put_little_endian;
    const std::span<std::byte> own = memory_.own();
    std::ranges::fill(own, std::byte{0});
    std::ranges::copy(data, own.begin() + kData);
    hw::RegisterH2d fis;
    fis.command = static_cast<std::uint8_t>(hw::ata::Opcode::write_dma_ext);
    fis.lba = hal::Lba{lba};
    fis.device = hw::ata::kDeviceLba;
    fis.count = static_cast<std::uint16_t>((data.size() + hal::kSectorBytes - 1) / hal::kSectorBytes);
    const hw::FisHeader header = encode(fis);
    std::ranges::copy(std::as_bytes(std::span(header.bytes)).first(header.length), own.begin() + kTable);
    constexpr Word kWrite = 1U << 6U;
    put_little_endian(own.subspan(kList, 4),
                      hw::ahci::kCommandFisBytes / sizeof(Word) | kWrite | Word{1} << hw::ahci::kPrdtlShift);
    put_little_endian(own.subspan(kList + 8, 8), GuestRam::kOwnAddress + kTable);
    const std::uint64_t entry = kTable + hw::ahci::kPrdtOffset;
    put_little_endian(own.subspan(entry, 8), GuestRam::kOwnAddress + kData);
    put_little_endian(own.subspan(entry + 12, 4), fis.count * hal::kSectorBytes - 1);
    store(PortRegister::ci, 1);
    wait_for(PortRegister::ci, 1, 0);
}

void GuestBoard::wait_for(PortRegister which, Word mask, Word value) {
    while ((load(which) & mask) != value) {
        wait(hw::to_sc_time(kTimeStep));
    }
}

std::uint64_t GuestBoard::read(unsigned bar, std::uint64_t offset, unsigned bytes) {
    std::array<std::byte, sizeof(std::uint64_t)> data{};
    const std::span wanted = std::span(data).first(bytes);
    return bar == kAbar && access(tlm::TLM_READ_COMMAND, offset, wanted) ? hw::ahci::get_little_endian(wanted)
                                                                         : ~std::uint64_t{0};
}

void GuestBoard::write(unsigned bar, std::uint64_t offset, std::uint64_t value, unsigned bytes) {
    std::array<std::byte, sizeof(std::uint64_t)> data{};
    const std::span wanted = std::span(data).first(bytes);
    hw::ahci::put_little_endian(wanted, value);
    if (bar == kAbar) {
        (void)access(tlm::TLM_WRITE_COMMAND, offset, wanted);
    }
}

void GuestBoard::reset() {
    write(kAbar, static_cast<std::uint64_t>(hw::ahci::Global::ghc), hw::ahci::kGhcHr, sizeof(Word));
}

bool GuestBoard::access(tlm::tlm_command command, std::uint64_t offset, std::span<std::byte> data) {
    tlm::tlm_generic_payload payload;
    payload.set_command(command);
    payload.set_address(offset);
    payload.set_data_ptr(reinterpret_cast<unsigned char*>(data.data()));
    payload.set_data_length(static_cast<unsigned>(data.size()));
    payload.set_streaming_width(static_cast<unsigned>(data.size()));
    sc_core::sc_time delay = sc_core::SC_ZERO_TIME;
    processor_init_->b_transport(payload, delay);
    wait(delay);
    return payload.is_response_ok();
}

Word GuestBoard::load(PortRegister which) {
    return static_cast<Word>(
        read(kAbar, hw::ahci::kPortBase + static_cast<std::uint64_t>(which), sizeof(Word)));
}

void GuestBoard::store(PortRegister which, Word value) {
    write(kAbar, hw::ahci::kPortBase + static_cast<std::uint64_t>(which), value, sizeof value);
}

}  // namespace solidtlm::testbench
