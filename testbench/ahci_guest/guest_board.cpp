// SPDX-License-Identifier: Apache-2.0
#include "testbench/ahci_guest/guest_board.h"

#include <algorithm>
#include <array>
#include <chrono>
#include <utility>

#include "hw/tlm/little_endian.h"
#include "hw/tlm/time.h"
#include "hw/untimed/untimed_hardware.h"

namespace solidtlm::testbench {
namespace {

using namespace std::chrono_literals;

constexpr hal::Ps kTimeStep = 20us;
constexpr std::chrono::milliseconds kPatience{1};

constexpr unsigned kAbar = 5;
constexpr pci_proxy::PciIdentity kIdentity{.vendor = 0x1B36,  // Red Hat: virtual devices of QEMU
                                           .device = 0x0101,
                                           .class_code = 0x010601,  // AHCI 1.3.1, 2.1.5
                                           .revision = 1,
                                           .bar_bytes = {0, 0, 0, 0, 0, 8192}};

/// Writes an image, but for what is zero, and flushes.
class ImageFeed : public hw::UntimedFeed {
  public:
    explicit ImageFeed(std::span<const std::byte> image) : image_(image) {}

    bool next(hal::HostCommand& command, const hw::UntimedStatistics& /*so_far*/) override {
        constexpr std::size_t kPieceBytes = std::size_t{128} * hal::kSectorBytes;
        while (at_ < image_.size()) {
            const std::size_t begin = at_;
            const std::span piece = image_.subspan(begin, std::min(kPieceBytes, image_.size() - begin));
            at_ += piece.size();
            if (std::ranges::any_of(piece, [](std::byte byte) { return byte != std::byte{0}; })) {
                command.opcode = hal::HostOpcode::write;
                command.lba = hal::Lba{begin / hal::kSectorBytes};
                command.sectors =
                    static_cast<std::uint32_t>((piece.size() + hal::kSectorBytes - 1) / hal::kSectorBytes);
                return true;
            }
        }
        command.opcode = hal::HostOpcode::flush;
        return !std::exchange(flushed_, true);
    }
    void content(const hal::HostCommand& command, std::uint32_t first,
                 std::span<std::byte> sectors) override {
        const std::span rest = image_.subspan((command.lba.value + first) * hal::kSectorBytes);
        const std::span there = rest.first(std::min(rest.size(), sectors.size()));
        std::ranges::fill(std::ranges::copy(there, sectors.begin()).out, sectors.end(), std::byte{0});
    }

  private:
    std::span<const std::byte> image_;
    std::size_t at_ = 0;
    bool flushed_ = false;
};

}  // namespace

GuestBoard::GuestBoard(const sc_core::sc_module_name& name, const platform::Configuration& configuration,
                       std::span<const std::byte> image, Descriptor socket)
    : sc_module(name),
      server_(std::move(socket), kIdentity, *this),
      memory_("memory", server_.memory()),
      hba_("hba", hw::AhciConfig{}),
      drive_("drive", configuration) {
    processor_init_.bind(hba_.register_target);
    hba_.dma_init.bind(memory_.target);
    hba_.interrupt.bind(line_);
    drive_.sata().bind_host(hba_.link_init[0], hba_.link_target[0]);
    ImageFeed feed(image);
    drive_.age(feed);
    SC_HAS_PROCESS(GuestBoard);
    SC_THREAD(guest_thread);
}

void GuestBoard::guest_thread() {
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

std::uint64_t GuestBoard::read(unsigned bar, std::uint64_t offset, unsigned bytes) {
    std::array<std::byte, sizeof(std::uint64_t)> data{};
    const std::span wanted = std::span(data).first(bytes);
    return bar == kAbar && access(tlm::TLM_READ_COMMAND, offset, wanted) ? hw::get_little_endian(wanted)
                                                                         : ~std::uint64_t{0};
}

void GuestBoard::write(unsigned bar, std::uint64_t offset, std::uint64_t value, unsigned bytes) {
    std::array<std::byte, sizeof(std::uint64_t)> data{};
    const std::span wanted = std::span(data).first(bytes);
    hw::put_little_endian(wanted, value);
    if (bar == kAbar) {
        (void)access(tlm::TLM_WRITE_COMMAND, offset, wanted);
    }
}

void GuestBoard::reset() {
    write(kAbar, static_cast<std::uint64_t>(hw::ahci::Global::ghc), hw::ahci::kGhcHr, sizeof(hw::ahci::Word));
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

}  // namespace solidtlm::testbench
