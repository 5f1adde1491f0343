// SPDX-License-Identifier: Apache-2.0
//
// The host interface as firmware sees it: a queue of accepted commands, data transfers, completions. The
// front end (hw/sata) has already checked each command against the rules of its protocol.
#pragma once

#include <cstdint>
#include <span>

#include "fw/hal/completion.h"
#include "fw/hal/health.h"
#include "fw/hal/ledger.h"
#include "fw/hal/types.h"

namespace solidtlm::hal {

enum class HostOpcode : std::uint8_t {
    read,
    write,
    flush,
    trim,
    set_write_cache,
    write_uncorrectable,  ///< the sectors read as uncorrectable until they are written or trimmed
    verify,               ///< reads from media, without a transfer; see HostCommand::verified
    report_health,        ///< fills in HostCommand::health
};

enum class HostStatus : std::uint8_t {
    ok,
    uncorrectable,  ///< a sector cannot be read
    aborted,
    write_fault,  ///< no programmable space is left
};

/// One range of a TRIM, which lies within the device.
struct TrimRange {
    Lba lba;
    std::uint32_t sectors = 0;
};

/// An accepted command. The front end owns it; valid until complete().
struct HostCommand {
    HostOpcode opcode = HostOpcode::read;
    std::uint16_t slot = 0;  ///< the host's number: NCQ tag (32: not queued) or command identifier
    std::uint32_t id = 0;    ///< order of acceptance, from 1; wraps
    bool fua = false;        ///< write: to media before completion. read, verify: from media.
    bool enable = false;     ///< set_write_cache
    Lba lba;
    std::uint32_t sectors = 0;          ///< 1-65536
    std::span<const TrimRange> ranges;  ///< trim; without zero-length entries
    std::uint32_t verified = 0;         ///< verify: sectors before the first unreadable one; set by firmware
    HealthReport* health = nullptr;     ///< report_health: the report to fill in, owned by the front end
    Ledger* ledger = nullptr;           ///< never null; in Stage::command_queue when handed over
};

/// Moves part of a command's data between DRAM and the host. The parts of a command go in order, without
/// gaps. The caller owns it and leaves it unchanged until `done`.
struct HostTransfer {
    HostCommand* command = nullptr;
    std::uint32_t first_sector = 0;  ///< offset within the command
    std::uint32_t sectors = 0;
    /// Where the data lies in DRAM, in order; every piece is a multiple of 512 bytes.
    struct Piece {
        DramAddress dram;
        std::uint32_t bytes = 0;
    };
    std::span<const Piece> pieces;
    Ledger* ledger = nullptr;  ///< marked by the hardware; the command's ledger or a branch of it
    bool aborted = false;      ///< set before `done` if the command was aborted and not all data moved
    Completion done;
};

class Host {
  public:
    virtual ~Host() = default;
    /// Returns the oldest accepted command that has not been fetched yet, or null. Commands come in the order
    /// of acceptance.
    virtual HostCommand* fetch() = 0;
    /// Calls `arrived` whenever a command is accepted and fetch() would have returned null before.
    virtual void on_arrival(Completion arrived) = 0;
    /// Moves data from DRAM to the host (read) or from the host to DRAM (write). `done` means for a write
    /// that the data is in DRAM; for a read, that the last byte has left DRAM and link.
    virtual void transfer(HostTransfer& transfer) = 0;
    /// Ends the command: the host gets its status. The command must not be used afterwards.
    virtual void complete(HostCommand& command, HostStatus status) = 0;
};

}  // namespace solidtlm::hal
