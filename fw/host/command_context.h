// SPDX-License-Identifier: Apache-2.0
//
// The dispatcher's record of a command that is being carried out. Internal to fw/host.
#pragma once

#include <array>
#include <memory>
#include <vector>

#include "fw/host/dispatcher.h"
#include "fw/host/needs.h"

namespace solidtlm::fw {

/// The part of a command that is gathered or received in one piece.
struct Dispatcher::Segment {
    explicit Segment(Translation& translation) : reader(translation.make_reader()) {}
    /// Adds a read of `read` from flash, whose data is sent.
    void fetch(const LogicalRead& read) {
        reads.push_back(read);
        send(read.dram, read.sectors);
    }
    /// Adds the data at `source` to the data to send.
    void send(DramAddress source, std::uint32_t sectors) {
        hal::HostTransfer::Piece* last = pieces.empty() ? nullptr : &pieces.back();
        if (last != nullptr && last->dram.value + last->bytes == source.value) {
            last->bytes += sectors * hal::kSectorBytes;
        } else {
            pieces.push_back(hal::HostTransfer::Piece{source, sectors * hal::kSectorBytes});
        }
    }
    std::unique_ptr<LogicalReader> reader;
    DramAddress window;  // where data from flash goes
    std::vector<LogicalRead> reads;
    std::vector<Slot> slots;              // read: pinned sources; write: slots that receive data
    std::vector<ReadCache::Slot> cached;  // read: pinned sources
    std::vector<hal::HostTransfer::Piece> pieces;
    hal::HostTransfer transfer;
    Ledger ledger;
    Join* join = nullptr;
    bool marks_parent = false;
};

/// The state of a command while it is carried out; reused.
struct Dispatcher::Context {
    Context(Dispatcher& owner, std::uint32_t index)
        : segments{Segment(owner.translation_), Segment(owner.translation_)},
          join(owner.services_.executor, "flash reads and transfers of the command"),
          durable_join(owner.services_.executor, "pages of the command on their way to flash") {
        for (std::uint32_t i = 0; i < 2; ++i) {
            segments[i].window =
                DramAddress{owner.dram_map_[kReadWindows].value +
                            (std::uint64_t{index} * 2 + i) * owner.services_.config.read_segment_bytes};
        }
    }
    hal::HostCommand* command = nullptr;
    Hazards::Claim claim;
    bool claimed = false;
    std::array<Segment, 2> segments;
    Join join;
    Ledger fork;  // copy of the command's ledger from the beginning of the present transfer
    Join durable_join;
    DurableWaiter durable;
};

}  // namespace solidtlm::fw
