// SPDX-License-Identifier: Apache-2.0
#include "testbench/doors/guest/guest_board.h"

#include <algorithm>
#include <chrono>
#include <utility>

#include "hw/tlm/time.h"
#include "hw/untimed/untimed_hardware.h"
#include "testbench/doors/guest/ahci_function.h"
#include "testbench/doors/guest/nvme_function.h"

namespace solidtlm::testbench {
namespace {

using namespace std::chrono_literals;

constexpr hal::Ps kTimeStep = 20us;
constexpr std::chrono::milliseconds kPatience{1};

std::unique_ptr<PciFunction> make_function(platform::Ssd& drive) {
    if (drive.configuration().has_nvme()) {
        return std::make_unique<NvmeFunction>("function", drive.nvme());
    }
    return std::make_unique<AhciFunction>("function", drive.sata());
}

/// Writes an image except for its zero blocks, then flushes.
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
      drive_("drive", configuration),
      function_(make_function(drive_)),
      server_(std::move(socket), function_->identity(), *function_),
      memory_("memory", server_.memory()) {
    function_->bind(memory_);
    ImageFeed feed(image);
    drive_.age(feed);
    SC_HAS_PROCESS(GuestBoard);
    SC_THREAD(guest_thread);
}

void GuestBoard::guest_thread() {
    try {
        while (server_.serve(kPatience)) {
            wait(hw::to_sc_time(kTimeStep));
            server_.set_line(function_->line());
        }
    } catch (const std::exception& error) {
        fault_ = error.what();
    }
    sc_core::sc_stop();
}

}  // namespace solidtlm::testbench
