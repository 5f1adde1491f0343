// SPDX-License-Identifier: Apache-2.0
//
// One port of the host bus adapter: its registers, and the engine that fetches commands, sends them, receives
// FISes and moves data (AHCI 1.3.1, sections 3.3, 5.3 and 6).
//
// The engine does one thing at a time (Step); what is received waits in two buffers, and where both are full
// the link withholds R_RDY. Received FISes go before new commands.
//
//            +------------ a FIS is there -----> post -> (setup_header) -+
//            |                                                           |
//   idle ----+-- Data FIS, DMA Activate -------> prd <-> data -> ... ----+--> idle
//            |                                                           |
//            +-- CI, not BSY, not DRQ --> header -> command_fis -> send -+
//
// Stopped (PxCMD.ST = 0) or halted by a fatal error it posts what comes and keeps PxTFD, but drops data. What
// is under way when it is stopped or reset is forgotten: its access or frame comes to an end, nothing
// follows.
//
// Nothing that a driver writes to a register or to memory is a fault of the model. See docs/ahci.md for what
// the standard leaves open.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "hw/ahci/port_bus.h"
#include "hw/ahci/prd_walk.h"
#include "hw/ahci/registers.h"
#include "hw/sata/fis.h"

namespace solidtlm::hw::ahci {

class Port {
  public:
    Port(PortBus& bus, std::uint8_t index, bool staggered_spin_up);

    // Registers (port_registers.cpp)
    [[nodiscard]] Word read(PortRegister which) const;
    /// Bits outside of `mask` are not written.
    void write(PortRegister which, Word value, Word mask);
    /// PxIS and PxIE have a bit in common.
    [[nodiscard]] bool interrupts() const { return (interrupt_status() & ie_) != 0; }
    /// Power comes, or GHC.HR is written: registers as at the beginning, but for PxCLB and PxFB.
    void reset();

    // From the bus
    void access_done(DmaResult result);
    /// `arrived`: the device has it; false: it was lost in a COMRESET.
    void frame_sent(bool arrived);
    /// Takes a frame that is to arrive (frame_arrived()), with its content. False: there is no room for
    /// another one until PortBus::take_frames(). REQUIRES: room for this one.
    bool take_frame(std::span<const std::uint8_t> header, std::span<const std::byte> content);
    void frame_arrived();
    /// `speed`: 1, 2 or 3.
    void phy_ready(std::uint8_t speed);

  private:
    enum class Step : std::uint8_t {
        idle,
        header,        // of the command that is next
        command_fis,   // of it
        send,          // of it
        post,          // a received FIS
        setup_header,  // of the command that a DMA Setup names
        prd,
        data,
        send_data,
        byte_count,
        forgotten,  // an access or a frame whose end nobody waits for
    };
    static constexpr std::uint8_t kNoSlot = 32;
    /// A command's data, and how far they are.
    struct Transfer {
        std::uint8_t slot = kNoSlot;
        bool queued = false;
        bool to_memory = false;   // queued: as DMA Setup says
        std::uint32_t left = 0;   // queued: likewise
        std::uint32_t moved = 0;  // PRDBC
        PrdWalk prds;
    };
    struct Frame {
        std::vector<std::uint8_t> header;
        std::vector<std::byte> content;
        Ps arrived{0};
        bool looked_at = false;  // the signature that came while nobody took FISes
    };
    struct PioPhase {
        bool active = false;
        bool interrupt = false;
        std::uint8_t end_status = 0;
        std::uint16_t bytes = 0;
    };

    // Engine (port.cpp)
    void go_on();
    void begin_access(Step step, const DmaAccess& access);
    void bus_error(DmaResult result);
    void begin_command();
    void header_fetched();
    void command_fetched();
    void command_sent();
    void end_command();
    void start();
    void stop();
    void forget();
    void halt(Word cause);
    void protocol_error();
    void raise(Word cause);
    [[nodiscard]] bool running() const { return (cmd_ & kSt) != 0 && !halted_; }
    [[nodiscard]] bool may_issue() const;
    [[nodiscard]] std::uint64_t header_address(std::uint8_t slot) const;
    /// What a header says of its command's data.
    void begin_transfer(Transfer& transfer, std::uint8_t slot, std::uint32_t offset) const;

    // Received FISes (port_frames.cpp)
    /// False: the first frame has to wait.
    bool serve_frame();
    void post(Frame& frame, std::uint32_t offset);
    void posted();
    void drop_frame();
    void register_received(const Frame& frame);
    void bits_received(const Frame& frame);
    void setup_received(const Frame& frame);
    void setup_fetched();
    void pio_received(const Frame& frame);
    void mark_end(std::uint8_t slot, const Frame& frame) const;
    void set_status(std::uint8_t status, std::uint8_t error);
    void end_if_released();

    // Data (port_data.cpp)
    void begin_store();
    void begin_gather();
    void walk();
    void data_moved();
    void all_moved();
    void data_sent();
    void end_data();
    [[nodiscard]] Transfer* open_transfer();
    [[nodiscard]] bool not_wanted(const Transfer* transfer) const;

    // Link (port_link.cpp)
    void begin_link();
    void go_down(Word det);
    void write_control(Word value);

    // Registers
    void write_command(Word value);
    [[nodiscard]] Word interrupt_status() const;

    PortBus& bus_;
    const std::uint8_t index_;
    const bool staggered_spin_up_;

    std::uint64_t clb_ = 0;
    std::uint64_t fb_ = 0;
    Word is_ = 0;  // but for what mirrors serr_
    Word ie_ = 0;
    Word cmd_ = 0;  // ST, SUD, FRE, ATAPI, CCS
    std::uint8_t status_ = kNoDeviceStatus;
    std::uint8_t error_ = 0;
    Word sig_ = kNoSignature;
    Word ssts_ = 0;
    Word sctl_ = 0;
    Word serr_ = 0;
    Word sact_ = 0;
    Word ci_ = 0;

    Step step_ = Step::idle;
    bool awaits_signature_ = false;
    bool halted_ = false;          // by a fatal error, until ST = 0
    bool given_up_ = false;        // the device may still move data of commands from before ST = 0
    std::uint8_t slot_ = kNoSlot;  // of the command that the device has and has not answered
    std::uint8_t last_slot_ = kSlots - 1;
    Transfer plain_;   // of that command
    Transfer queued_;  // of the DMA Setup that was last; without slot: none
    PioPhase pio_;

    std::array<std::byte, kHeaderBytes> header_{};
    std::array<std::byte, kCommandFisBytes> command_fis_{};
    std::array<std::byte, kPrdBytes> prd_{};
    std::array<std::byte, 4> byte_count_{};

    static constexpr std::size_t kFrames = 2;
    std::array<Frame, kFrames> frames_;
    std::size_t first_frame_ = 0;
    std::size_t taken_ = 0;    // of frames_
    std::size_t arrived_ = 0;  // of these
    bool serving_ = false;     // the first one: its buffer is in use
    bool full_ = false;        // the link was told so

    bool gathers_ = false;  // data go to the device
    Ps activated_{0};       // when it wanted them
    std::uint32_t wanted_ = 0;
    std::uint32_t done_ = 0;
    std::vector<std::byte> outgoing_;
};

}  // namespace solidtlm::hw::ahci
