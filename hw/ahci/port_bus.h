// SPDX-License-Identifier: Apache-2.0
//
// What a port needs of the host bus adapter around it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "hw/sata/fis.h"

namespace solidtlm::hw::ahci {

/// What an access to the host's memory is for.
enum class DmaKind : std::uint8_t { command_header, command_fis, prd, data, byte_count, received_fis };
constexpr std::size_t kDmaKinds = 6;

struct DmaAccess {
    DmaKind kind = DmaKind::data;
    bool write = false;
    std::uint64_t address = 0;
    std::span<std::byte> bytes;  ///< stay valid until it has ended
};
enum class DmaResult : std::uint8_t {
    ok,
    refused,  ///< nobody is at this address
    failed,
};

class PortBus {
  public:
    /// One at a time; ends with Port::access_done().
    virtual void access(std::uint8_t port, const DmaAccess& access) = 0;
    /// One at a time; ends with Port::frame_sent(). `content` stays valid until then.
    virtual void send(std::uint8_t port, const FisHeader& header, std::span<std::byte> content) = 0;
    /// The port takes frames again after it had no room.
    virtual void take_frames(std::uint8_t port) = 0;
    /// A drive is connected.
    [[nodiscard]] virtual bool connected(std::uint8_t port) const = 0;
    /// The link is down until begin_phy() has ended with Port::phy_ready().
    virtual void comreset(std::uint8_t port) = 0;
    virtual void begin_phy(std::uint8_t port) = 0;
    /// Port::interrupts() may say something else than before.
    virtual void interrupt_changed() = 0;

  protected:
    ~PortBus() = default;
};

}  // namespace solidtlm::hw::ahci
