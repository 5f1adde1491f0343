// SPDX-License-Identifier: Apache-2.0
//
// An accepted command inside the device: firmware's view of it, and the progress of its data phase.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "fw/hal/host.h"
#include "hw/sata/command_layer.h"
#include "hw/sata/error_log.h"
#include "hw/tlm/transfer_queue.h"

namespace solidtlm::hw {

/// The part that has to release a slot before another command can use it.
enum class SlotOwner : std::uint8_t {
    device,    ///< firmware does not know it yet: its own data phase runs, or it waits to be fetched
    firmware,  ///< fetched and not completed
};

/// What a slot does that belongs to no command of the host.
enum class OwnWork : std::uint8_t { none, flush, self_test };

struct SlotProgress {
    CommandSeen seen;                 ///< for the error log
    std::optional<PowerAsked> power;  ///< the mode that follows
    OwnWork own = OwnWork::none;
    hal::Ledger* host_ledger = nullptr;  ///< may be null
    hal::HealthReport report;            ///< firmware's answer to report_health
    PagesAsked pages;                    ///< that the host asked for
    std::uint32_t data_bytes = 0;        ///< of the command on the wire
    std::uint32_t drq_bytes = 0;         ///< PIO: bytes of a DRQ block; 0: DMA
    std::uint64_t moved = 0;             ///< read: handed to the link; write: received
    SlotOwner owner = SlotOwner::device;
    hal::HostStatus result = hal::HostStatus::ok;  ///< firmware's, when it has completed the command
    bool complete = true;      ///< firmware may have it; false while a trim's ranges are on their way
    bool internal = false;     ///< the data go to internal_data, not to DRAM
    bool queued = false;       ///< NCQ
    bool phase_asked = false;  ///< the command has its place among the data phases
    bool setup_sent = false;   ///< DMA Setup handed to the link
    bool released = false;     ///< PIO read: firmware has completed it, so the last block may go
    bool aborted = false;      ///< the host has been told; drop its data and its completion
};

/// Its command slot is its NCQ tag, or ata::kNoTag. The ledger that firmware and hardware mark is the slot's
/// own: it is copied from the host's when the command arrives and back when it completes. If the host issues
/// an aborted command again, firmware that still works on the aborted one thus does not mark the host's
/// ledger.
struct Slot : hal::HostCommand, SlotProgress {
    hal::Ledger own_ledger;
    std::vector<hal::TrimRange> trim_ranges;
    std::vector<std::byte> internal_data;  ///< the 512-byte blocks of a trim
    TransferQueue transfers;

    [[nodiscard]] std::uint8_t tag() const { return static_cast<std::uint8_t>(slot); }
    [[nodiscard]] bool by_pio() const { return drq_bytes > 0; }
    /// PIO: bytes of the block that begins after `before` bytes of the command.
    [[nodiscard]] std::uint32_t block_bytes(std::uint64_t before) const {
        return static_cast<std::uint32_t>(std::min<std::uint64_t>(drq_bytes, data_bytes - before));
    }
    [[nodiscard]] bool is_read() const { return opcode == hal::HostOpcode::read; }

    /// Makes the slot new; it keeps its memory.
    void reset() {
        static_cast<hal::HostCommand&>(*this) = hal::HostCommand{};
        static_cast<SlotProgress&>(*this) = SlotProgress{};
        ledger = &own_ledger;
        health = &report;
        trim_ranges.clear();
        internal_data.clear();
        transfers.clear();
    }
};

}  // namespace solidtlm::hw
