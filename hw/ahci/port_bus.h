// SPDX-License-Identifier: Apache-2.0
//
// What a port needs from its host bus adapter.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

#include "fw/hal/ledger.h"
#include "hw/sata/fis.h"
#include "hw/tlm/time.h"

namespace solidtlm::hw::ahci {

/// Purpose of an access to the host's memory.
enum class DmaKind : std::uint8_t { command_header, command_fis, prd, data, byte_count, received_fis };
constexpr std::size_t kDmaKinds = 6;
constexpr std::array<std::string_view, kDmaKinds> kDmaKindNames{
    "command_header", "command_fis", "prd", "data", "byte_count", "received_fis"};

struct DmaAccess {
    DmaKind kind = DmaKind::data;
    bool write = false;
    std::uint64_t address = 0;
    std::span<std::byte> bytes;  ///< must stay valid until the access has ended
};
enum class DmaResult : std::uint8_t {
    ok,
    refused,  ///< no memory is at this address
    failed,
};

class PortBus {
  public:
    /// One at a time; ends with Port::access_done().
    virtual void access(std::uint8_t port, const DmaAccess& access) = 0;
    /// One at a time; ends with Port::frame_sent().
    virtual void send(std::uint8_t port, const SataFrame& frame) = 0;
    /// Ledger of the command in a slot, while the host has it; null: the host keeps none.
    [[nodiscard]] virtual hal::Ledger* ledger(std::uint8_t port, std::uint8_t slot) const = 0;
    /// The port can take frames again after it had no room.
    virtual void take_frames(std::uint8_t port) = 0;
    /// True if a drive is connected.
    [[nodiscard]] virtual bool connected(std::uint8_t port) const = 0;
    /// Takes the link down; begin_phy() brings it up again and ends with Port::phy_ready().
    virtual void comreset(std::uint8_t port) = 0;
    virtual void begin_phy(std::uint8_t port) = 0;
    /// The result of Port::interrupts() may have changed.
    virtual void interrupt_changed() = 0;

  protected:
    ~PortBus() = default;
};

}  // namespace solidtlm::hw::ahci
