// SPDX-License-Identifier: Apache-2.0
//
// The state that all parts of a port share: its registers, its current step, and the state of the device.
#pragma once

#include <array>
#include <cstdint>

#include "hw/ahci/port_bus.h"
#include "hw/ahci/prd_walk.h"
#include "hw/ahci/received_frames.h"
#include "hw/ahci/registers.h"

namespace solidtlm::hw::ahci {

/// The steps of a port's engine, one at a time.
enum class Step : std::uint8_t {
    idle,
    header,        // fetches the header of the next command
    command_fis,   // fetches its command FIS
    send,          // sends the command FIS
    post,          // posts a received FIS
    setup_header,  // fetches the header of the command that a DMA Setup names
    prd,
    data,
    send_data,
    byte_count,
    forgotten,  // waits for an access or frame whose result is ignored
};

constexpr std::uint8_t kNoSlot = 32;

/// The data transfer of a command, and its progress.
struct Transfer {
    std::uint8_t slot = kNoSlot;
    bool queued = false;
    bool to_memory = false;   ///< queued: set by DMA Setup
    std::uint32_t left = 0;   ///< queued: set by DMA Setup
    std::uint32_t moved = 0;  ///< PRDBC
    PrdWalk prds;
};

struct PioPhase {
    bool active = false;
    bool interrupt = false;
    std::uint8_t end_status = 0;
    std::uint16_t bytes = 0;
};

struct PortState {
    PortState(PortBus& the_bus, std::uint8_t number) : bus(the_bus), index(number) {}

    PortBus& bus;
    const std::uint8_t index;

    // Registers.
    std::uint64_t clb = 0;
    std::uint64_t fb = 0;
    Word is = 0;  ///< PxIS without the bits that mirror PxSERR
    Word ie = 0;
    Word cmd = 0;  ///< ST, SUD, FRE, ATAPI, CCS
    std::uint8_t status = kNoDeviceStatus;
    std::uint8_t error = 0;
    Word sig = kNoSignature;
    Word ssts = 0;
    Word sctl = 0;
    Word serr = 0;
    Word sact = 0;
    Word ci = 0;

    Step step = Step::idle;
    bool awaits_signature = false;
    bool halted = false;          ///< after a fatal error, until ST = 0
    bool given_up = false;        ///< the device may still move data of commands from before ST = 0
    std::uint8_t slot = kNoSlot;  ///< of the command that the device has not answered yet
    Transfer plain;               ///< data of that command
    Transfer queued;              ///< data of the last DMA Setup; kNoSlot: none
    PioPhase pio;
    bool gathers = false;  ///< data goes to the device
    Ps activated{0};       ///< when the device requested the data

    std::array<std::byte, kHeaderBytes> header{};  ///< the last header fetched
    ReceivedFrames frames;

    [[nodiscard]] bool running() const { return (cmd & kSt) != 0 && !halted; }
    [[nodiscard]] bool device_present() const { return (ssts & kDetMask) == kDetPresent; }
    /// PxIS, including the bits that mirror PxSERR.
    [[nodiscard]] Word interrupt_status() const;
    void raise(Word cause);
    /// A fatal error (6.1): no command begins until ST = 0.
    void halt(Word cause);
    void protocol_error();
    void set_status(std::uint8_t new_status, std::uint8_t new_error);

    /// Begins an access for step `what`. There is one at a time.
    void begin_access(Step what, const DmaAccess& access);
    void fetch_header(Step what, std::uint8_t of_slot);
    /// The access or frame under way will end, but its result is ignored.
    void forget();
    /// Drops the first frame, which has been handled.
    void drop_frame();

    [[nodiscard]] std::uint64_t header_address(std::uint8_t of_slot) const;
    /// Flags of the fetched header.
    [[nodiscard]] Word header_flags() const;
    [[nodiscard]] std::uint64_t command_table() const;
    /// A transfer as the fetched header describes it, from byte `offset` on.
    [[nodiscard]] Transfer transfer_of(std::uint8_t of_slot, std::uint32_t offset) const;

    /// The device has taken the command, or has ended it.
    void end_command();
    /// Ends a non-queued command, or the acceptance of a queued one, if the device is not busy (RegFIS:Entry,
    /// PIO:Update). A command that has failed keeps its bit in CI.
    void end_if_released();
};

}  // namespace solidtlm::hw::ahci
