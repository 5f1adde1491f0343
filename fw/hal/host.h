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
    report_health,        ///< fills in HostCommand::health
};

enum class HostStatus : std::uint8_t {
    ok,
    uncorrectable,  ///< a sector that cannot be read
    aborted,
    write_fault,  ///< no space left that could be programmed
};

/// One range of a trim, already within the device.
struct TrimRange {
    Lba lba;
    std::uint32_t sectors = 0;
};

/// An accepted command. Owned by the front end; valid until complete().
struct HostCommand {
    HostOpcode opcode = HostOpcode::read;
    std::uint16_t slot = 0;  ///< what the host calls it: an NCQ tag (32: not queued), a command identifier
    std::uint32_t id = 0;    ///< order of acceptance, from 1; wraps
    bool fua = false;        ///< write: on media before completion. read: from media.
    bool enable = false;     ///< set_write_cache
    Lba lba;
    std::uint32_t sectors = 0;          ///< 1-65536
    std::span<const TrimRange> ranges;  ///< trim; zero-length entries already dropped
    HealthReport* health = nullptr;     ///< report_health: the front end's room for it
    Ledger* ledger = nullptr;           ///< never null; in Stage::command_queue when handed over
};

/// Moves part of a command's data between DRAM and the host. Parts of one command go in order, without gaps.
/// Owned by the caller and left alone until `done`.
struct HostTransfer {
    HostCommand* command = nullptr;
    std::uint32_t first_sector = 0;  ///< offset within the command
    std::uint32_t sectors = 0;
    /// Where the data lives, in order; every piece a multiple of 512 bytes.
    struct Piece {
        DramAddress dram;
        std::uint32_t bytes = 0;
    };
    std::span<const Piece> pieces;
    Ledger* ledger = nullptr;  ///< marked by the hardware; the command's own or a branch
    bool aborted =
        false;  ///< set before `done` when the command was aborted and the data did not move in full
    Completion done;
};

class Host {
  public:
    virtual ~Host() = default;
    /// The oldest accepted command not fetched yet, or null. Commands come in the order of acceptance.
    virtual HostCommand* fetch() = 0;
    /// `arrived` is called whenever a command is accepted while fetch() would have returned null before.
    virtual void on_arrival(Completion arrived) = 0;
    /// DRAM to host (command is a read) or host to DRAM (write). For a write, `done` means the data is in
    /// DRAM; for a read, that the last byte has left DRAM and link.
    virtual void transfer(HostTransfer& transfer) = 0;
    /// Ends the command: status to the host. The command must not be used any more.
    virtual void complete(HostCommand& command, HostStatus status) = 0;
};

}  // namespace solidtlm::hal
