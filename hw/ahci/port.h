// SPDX-License-Identifier: Apache-2.0
//
// One port of the host bus adapter: its registers, and the engine that fetches commands, sends them, receives
// FISes (FisReceiver) and moves data (DataPhase; AHCI 1.3.1, sections 3.3, 5.3 and 6).
//
// The engine does one step at a time. Received frames wait in two buffers; when both are full, the link
// withholds R_RDY. Received FISes go before new commands.
//
//            +------------ a FIS is there -----> post -> (setup_header) -+
//            |                                                           |
//   idle ----+-- Data FIS, DMA Activate -------> prd <-> data -> ... ----+--> idle
//            |                                                           |
//            +-- CI, not BSY, not DRQ --> header -> command_fis -> send -+
//
// A port that is stopped (PxCMD.ST = 0) or halted by a fatal error posts received FISes and updates PxTFD,
// but drops data. If it is stopped or reset, the access or frame under way ends, but no further step follows.
//
// Values that a driver writes to registers or memory never make the model fail. docs/ahci.md lists the
// choices that the standard leaves open.
#pragma once

#include <array>
#include <cstdint>
#include <span>

#include "hw/ahci/data_phase.h"
#include "hw/ahci/fis_receiver.h"
#include "hw/ahci/port_state.h"

namespace solidtlm::hw::ahci {

class Port {
  public:
    Port(PortBus& bus, std::uint8_t index, bool staggered_spin_up);

    // Registers (port_registers.cpp).
    [[nodiscard]] Word read(PortRegister which) const;
    /// Writes only the bits of `mask`.
    void write(PortRegister which, Word value, Word mask);
    /// True if PxIS and PxIE have a bit in common.
    [[nodiscard]] bool interrupts() const { return (state_.interrupt_status() & state_.ie) != 0; }
    /// Power-on, or a write of GHC.HR: all registers but PxCLB and PxFB get their initial values.
    void reset();

    // Called by the bus.
    void access_done(DmaResult result);
    /// `arrived`: the device has received the frame; false: a COMRESET destroyed it.
    void frame_sent(bool arrived);
    /// Accepts a frame, with its content, that will arrive later (frame_arrived()). False if there is no room
    /// for a further one until PortBus::take_frames(). REQUIRES: room for this one.
    bool take_frame(std::span<const std::uint8_t> header, std::span<const std::byte> content);
    void frame_arrived();
    /// `speed`: 1, 2 or 3.
    void phy_ready(std::uint8_t speed);

  private:
    // Engine and commands (port.cpp).
    void go_on();
    void bus_error(DmaResult result);
    [[nodiscard]] bool may_issue() const;
    void begin_command();
    void header_fetched();
    void command_fetched();
    void command_sent();
    void start();
    void stop();

    // Link (port_link.cpp).
    void begin_link();
    void go_down(Word det);
    void write_control(Word value);

    // Registers (port_registers.cpp).
    void write_command(Word value);

    PortState state_;
    DataPhase data_;
    FisReceiver receiver_;
    const bool staggered_spin_up_;
    std::uint8_t last_slot_ = kSlots - 1;  // the last slot checked
    std::array<std::byte, kCommandFisBytes> command_fis_{};
};

}  // namespace solidtlm::hw::ahci
