// SPDX-License-Identifier: Apache-2.0
//
// One accepted command inside the device: what firmware sees of it, and how far its data phase has come.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "fw/hal/host.h"
#include "hw/sata/command_layer.h"
#include "hw/sata/transfer_queue.h"

namespace solidtlm::hw {

/// Who has to let go of a slot before it can be used again.
enum class SlotOwner : std::uint8_t {
    device,    ///< firmware does not know it yet: its own data phase runs, or it waits to be fetched
    firmware,  ///< fetched and not completed
};

/// The ledger that firmware and hardware mark is the slot's own: it is copied from the host's when the
/// command arrives and back when it completes, so that a command which was aborted and issued again by the
/// host is not marked by firmware that still works on its first life.
struct Slot : hal::HostCommand {
    hal::Ledger own_ledger;
    hal::Ledger* host_ledger = nullptr;  ///< may be null
    std::vector<hal::TrimRange> trim_ranges;
    std::vector<std::byte> internal_data;  ///< the 512-byte blocks of a trim
    hal::HealthReport report;              ///< firmware's, of report_health
    PagesAsked pages;                      ///< what the answer is made of
    TransferQueue transfers;
    std::uint32_t data_bytes = 0;  ///< of the command on the wire
    std::uint64_t moved = 0;       ///< read: handed to the link; write: received
    SlotOwner owner = SlotOwner::device;
    hal::HostStatus result = hal::HostStatus::ok;  ///< firmware's, when it has completed the command
    bool complete = true;      ///< firmware may have it; false while a trim's ranges are on their way
    bool internal = false;     ///< the data go to internal_data, not to DRAM
    bool phase_asked = false;  ///< has its place among the data phases
    bool setup_sent = false;   ///< DMA Setup handed to the link
    bool aborted = false;      ///< the host has been told; drop its data and its completion

    [[nodiscard]] bool is_read() const { return opcode == hal::HostOpcode::read; }

    /// As new, but for memory.
    void reset() {
        static_cast<hal::HostCommand&>(*this) = hal::HostCommand{};
        ledger = &own_ledger;
        health = &report;
        report = {};
        pages = {};
        host_ledger = nullptr;
        trim_ranges.clear();
        internal_data.clear();
        transfers.clear();
        data_bytes = 0;
        moved = 0;
        owner = SlotOwner::device;
        complete = true;
        internal = phase_asked = setup_sent = aborted = false;
    }
};

}  // namespace solidtlm::hw
