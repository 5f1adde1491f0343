// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <bit>
#include <cstring>

#include "fw/host/command_context.h"
#include "fw/host/dispatcher.h"

namespace solidtlm::fw {

using hal::HostCommand;
using hal::HostStatus;

/// Says for each sector where it comes from: write buffer or flash. Returns the units touched.
std::uint32_t Dispatcher::prepare_read(Context& context, Segment& segment, std::uint32_t first,
                                       std::uint32_t sectors) {
    const std::uint32_t per_unit = environment_.layout.sectors_per_unit();
    const std::uint64_t lba = context.command->lba.value + first;
    segment.reads.clear();
    segment.slots.clear();
    segment.pieces.clear();
    std::uint32_t units = 0;
    for (std::uint32_t done = 0; done < sectors; ++units) {
        const Lpn lpn{static_cast<std::uint32_t>((lba + done) / per_unit)};
        const auto begin = static_cast<std::uint32_t>((lba + done) % per_unit);
        const std::uint32_t end = std::min(per_unit, begin + sectors - done);
        const Slot slot = buffer_.find(lpn);
        const SectorMask buffered = slot != kNoSlot ? buffer_[slot].valid : 0;
        bool pinned = false;
        for (std::uint32_t at = begin; at < end;) {
            const SectorMask rest = buffered >> at;
            const bool hit = (rest & 1) != 0;
            const auto run = static_cast<std::uint32_t>(hit ? std::countr_one(rest) : std::countr_zero(rest));
            const std::uint32_t count = std::min(run, end - at);
            DramAddress source{segment.window.value + std::uint64_t{done + at - begin} * hal::kSectorBytes};
            if (hit) {
                source = DramAddress{buffer_.address(slot).value + std::uint64_t{at} * hal::kSectorBytes};
                pinned = true;
            } else {
                segment.reads.push_back(LogicalRead{lpn, source, at, count});
            }
            hal::HostTransfer::Piece* last = segment.pieces.empty() ? nullptr : &segment.pieces.back();
            if (last != nullptr && last->dram.value + last->bytes == source.value) {
                last->bytes += count * hal::kSectorBytes;
            } else {
                segment.pieces.push_back(hal::HostTransfer::Piece{source, count * hal::kSectorBytes});
            }
            at += count;
        }
        if (pinned) {
            buffer_.pin(slot);
            segment.slots.push_back(slot);
            ++counters_.read_buffer_hits;
        }
        done += end - begin;
    }
    counters_.read_units += units;
    return units;
}

void Dispatcher::zero_unmapped(Segment& segment) {
    const std::size_t stride = hal::content_stride(environment_.config.content);
    for (const LogicalRead& read : segment.reads) {
        if (read.mapped) {
            continue;
        }
        ++counters_.read_unwritten;
        if (stride != 0) {
            std::memset(environment_.dram->content(read.dram), 0, read.sectors * stride);
        }
    }
}

/// Leaves of a segment, which begins with the command's sector `first`, what comes before the first page that
/// could not be read. Returns its sectors.
std::uint32_t Dispatcher::cut_before_error(const HostCommand& command, Segment& segment,
                                           std::uint32_t first) const {
    const auto failed = std::ranges::find_if(segment.reads, &LogicalRead::unreadable);
    const std::uint64_t lba =
        std::uint64_t{failed->lpn.value} * environment_.layout.sectors_per_unit() + failed->first_sector;
    const auto sectors = static_cast<std::uint32_t>(lba - command.lba.value - first);
    std::uint32_t left = sectors * hal::kSectorBytes;
    for (hal::HostTransfer::Piece& piece : segment.pieces) {
        piece.bytes = std::min(piece.bytes, left);
        left -= piece.bytes;
    }
    std::erase_if(segment.pieces, [](const hal::HostTransfer::Piece& piece) { return piece.bytes == 0; });
    return sectors;
}

/// Segment by segment: while one goes to the host, the next is read from flash.
Task<HostStatus> Dispatcher::read(Context& context) {
    HostCommand& command = *context.command;
    Executor& executor = environment_.executor;
    const CycleCosts& cycles = environment_.config.cycles;
    Ledger* ledger = command.ledger;
    HostStatus status = HostStatus::ok;
    if (translation_.lost()) {
        co_return HostStatus::uncorrectable;
    }
    if (!marked_.empty()) {
        co_await executor.spend((context.claim.last - context.claim.first + 1) * cycles.mark_unit, ledger);
    }
    if (command.fua) {
        const bool flushed = co_await buffer_.durability().flush(ledger);
        status = flushed ? HostStatus::ok : HostStatus::write_fault;
    }
    Segment* sending = nullptr;
    std::uint32_t index = 0;
    for (std::uint32_t first = 0; first < command.sectors && status == HostStatus::ok; ++index) {
        Segment& segment = context.segments[index % 2];
        const std::uint64_t lba = command.lba.value + first;
        std::uint32_t end = segment_end(command, first, environment_.config.read_segment_bytes);
        end = first + static_cast<std::uint32_t>(marked_.readable(lba, end - first));
        if (end == first) {
            status = HostStatus::uncorrectable;
            break;
        }
        const bool last_segment = end == command.sectors || marked_.readable(command.lba.value + end, 1) == 0;
        const std::uint32_t units = prepare_read(context, segment, first, end - first);
        Charge charge = executor.charge(std::uint64_t{units} * cycles.buffer_lookup);
        std::size_t operations = 0;
        if (segment.reads.empty()) {
            co_await executor.spend(charge, 0, ledger);
        } else {
            co_await segment.reader->begin_read(segment.reads, context.join, ledger, sending == nullptr,
                                                charge);
            operations = segment.reader->operations();
            zero_unmapped(segment);
        }
        const bool anything_left = context.join.pending() > 0;  // else the trunk itself was last
        const Ledger* last = co_await context.join.wait();
        if (last != nullptr && anything_left) {
            if (sending != nullptr && last == &sending->ledger) {
                *ledger = context.fork;  // the transfer took longer than what was done meanwhile: follow it
            }
            ledger->join(*last, Stage::firmware_wait);
        }
        if (sending != nullptr) {
            for (const Slot slot : sending->slots) {
                buffer_.unpin(slot);
            }
            if (sending->transfer.aborted) {
                status = HostStatus::aborted;
            }
        }
        if (operations > 0 && !segment.reader->collect(segment.reads)) {
            const std::uint32_t good =
                status == HostStatus::ok ? cut_before_error(command, segment, first) : 0;
            status = HostStatus::uncorrectable;
            if (good > 0) {  // the host is told the first sector that does not reach it
                co_await executor.spend(operations * cycles.flash_complete + cycles.transfer_issue, ledger);
                begin_transfer(context, segment, first, good, true);
            }
        }
        sending = &segment;
        if (status != HostStatus::ok) {
            break;
        }
        co_await executor.spend(operations * cycles.flash_complete + cycles.transfer_issue, ledger);
        context.fork = *ledger;
        begin_transfer(context, segment, first, end - first, last_segment);
        first = end;
    }
    co_await context.join.wait();
    if (sending != nullptr) {
        for (const Slot slot : sending->slots) {
            buffer_.unpin(slot);
        }
        if (status == HostStatus::ok && sending->transfer.aborted) {
            status = HostStatus::aborted;
        }
    }
    counters_.aborted_transfers += status == HostStatus::aborted ? 1 : 0;
    co_return status;
}

}  // namespace solidtlm::fw
