// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <bit>

#include "fw/host/command_context.h"
#include "fw/host/dispatcher.h"

namespace solidtlm::fw {

using hal::HostCommand;
using hal::HostStatus;

/// Decides for each sector whether it comes from write buffer, read cache or flash. Returns the cycles for
/// looking the units up.
std::uint64_t Dispatcher::prepare_read(Context& context, Segment& segment, std::uint32_t first,
                                       std::uint32_t sectors) {
    const std::uint32_t per_unit = services_.layout.sectors_per_unit();
    const std::uint64_t lba = context.command->lba.value + first;
    segment.reads.clear();
    segment.slots.clear();
    segment.cached.clear();
    segment.pieces.clear();
    LogicalRead rest{Lpn{static_cast<std::uint32_t>(lba / per_unit)}, segment.window,
                     static_cast<std::uint32_t>(lba % per_unit), sectors};
    const std::uint32_t units = rest.units(per_unit);
    std::uint64_t cycles = std::uint64_t{units} * services_.config.cycles.buffer_lookup;
    while (rest.sectors > 0) {
        const std::uint32_t absent = buffer_.absent(rest.lpn, rest.units(per_unit));
        if (absent > 0 && looks_ahead(*context.command)) {
            take_cached(segment, rest.take_units(absent, per_unit));
            cycles += std::uint64_t{absent} * services_.config.cycles.read_cache_search;
        } else if (absent > 0) {
            segment.fetch(rest.take_units(absent, per_unit));
        } else {
            take_buffered(segment, rest.take_units(1, per_unit));
        }
    }
    counters_.read_units += units;
    return cycles;
}

/// `unit`: sectors of a single unit; the buffer may hold only some of them.
void Dispatcher::take_buffered(Segment& segment, const LogicalRead& unit) {
    const Slot slot = buffer_.find(unit.lpn);
    const std::uint32_t end = unit.first_sector + unit.sectors;
    bool pinned = false;
    for (std::uint32_t at = unit.first_sector; at < end;) {
        const SectorMask rest = buffer_[slot].valid >> at;
        const bool hit = (rest & 1) != 0;
        const auto run = static_cast<std::uint32_t>(hit ? std::countr_one(rest) : std::countr_zero(rest));
        const std::uint32_t count = std::min(run, end - at);
        if (hit) {
            segment.send(DramAddress{buffer_.address(slot).value + std::uint64_t{at} * hal::kSectorBytes},
                         count);
            pinned = true;
        } else {
            const std::uint64_t offset = std::uint64_t{at - unit.first_sector} * hal::kSectorBytes;
            segment.fetch(LogicalRead{unit.lpn, DramAddress{unit.dram.value + offset}, at, count});
        }
        at += count;
    }
    if (pinned) {
        buffer_.pin(slot);
        segment.slots.push_back(slot);
        ++counters_.read_buffer_hits;
    }
}

/// `rest`: units that are not in the write buffer; some may have been read ahead.
void Dispatcher::take_cached(Segment& segment, LogicalRead rest) {
    const std::uint32_t per_unit = services_.layout.sectors_per_unit();
    while (rest.sectors > 0) {
        if (const std::uint32_t absent = read_cache_->absent(rest.lpn, rest.units(per_unit)); absent > 0) {
            segment.fetch(rest.take_units(absent, per_unit));
            continue;
        }
        const ReadCache::Slot slot = read_cache_->pin(rest.lpn);
        const LogicalRead unit = rest.take_units(1, per_unit);
        segment.send(DramAddress{read_cache_->address(slot).value +
                                 std::uint64_t{unit.first_sector} * hal::kSectorBytes},
                     unit.sectors);
        segment.cached.push_back(slot);
    }
}

/// The segment has been sent: releases its sources.
void Dispatcher::unpin(Segment& segment) {
    for (const Slot slot : segment.slots) {
        buffer_.unpin(slot);
    }
    for (const ReadCache::Slot slot : segment.cached) {
        read_cache_->unpin(slot);
    }
}

/// These units were written or trimmed: drops their data from the read cache. Returns the cost of looking
/// them up.
Charge Dispatcher::forget_cached(std::uint64_t first_unit, std::uint64_t units) {
    const std::uint64_t searched = read_cache_
                                       ? read_cache_->forget(Lpn{static_cast<std::uint32_t>(first_unit)},
                                                             static_cast<std::uint32_t>(units))
                                       : 0;
    return services_.executor.charge(searched * services_.config.cycles.read_cache_search);
}

/// Keeps only the part of a segment that precedes the first unreadable page. `first`: sector of the command
/// at which the segment begins. Returns the number of sectors kept.
std::uint32_t Dispatcher::cut_before_error(const HostCommand& command, Segment& segment,
                                           std::uint32_t first) const {
    const LogicalRead& failed = segment.reader->unreadable().front();
    const std::uint64_t lba =
        std::uint64_t{failed.lpn.value} * services_.layout.sectors_per_unit() + failed.first_sector;
    const auto sectors = static_cast<std::uint32_t>(lba - command.lba.value - first);
    std::uint32_t left = sectors * hal::kSectorBytes;
    for (hal::HostTransfer::Piece& piece : segment.pieces) {
        piece.bytes = std::min(piece.bytes, left);
        left -= piece.bytes;
    }
    std::erase_if(segment.pieces, [](const hal::HostTransfer::Piece& piece) { return piece.bytes == 0; });
    return sectors;
}

/// Works segment by segment: while one is sent to the host, the next is read from flash.
Task<HostStatus> Dispatcher::read(Context& context) {
    HostCommand& command = *context.command;
    Executor& executor = services_.executor;
    const CycleCosts& cycles = services_.config.cycles;
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
    if (looks_ahead(command)) {
        read_cache_->read(command.lba.value, command.sectors);
        co_await executor.spend(cycles.stream_search, ledger);
    }
    Segment* sending = nullptr;
    std::uint32_t index = 0;
    for (std::uint32_t first = 0; first < command.sectors && status == HostStatus::ok; ++index) {
        Segment& segment = context.segments[index % 2];
        const std::uint64_t lba = command.lba.value + first;
        std::uint32_t end = segment_end(command, first, services_.config.read_segment_bytes);
        end = first + static_cast<std::uint32_t>(marked_.readable(lba, end - first));
        if (end == first) {
            status = HostStatus::uncorrectable;
            break;
        }
        const bool last_segment = end == command.sectors || marked_.readable(command.lba.value + end, 1) == 0;
        if (looks_ahead(command)) {
            const std::uint32_t per_unit = services_.layout.sectors_per_unit();
            const Lpn unit{static_cast<std::uint32_t>(lba / per_unit)};
            const auto last = static_cast<std::uint32_t>((lba + end - first - 1) / per_unit);
            co_await read_cache_->settled(unit, last - unit.value + 1, ledger);
        }
        Charge charge = executor.charge(prepare_read(context, segment, first, end - first));
        std::size_t operations = 0;
        if (segment.reads.empty()) {
            co_await executor.spend(charge, 0, ledger);
        } else {
            co_await segment.reader->begin_read(segment.reads, context.join, ledger, sending == nullptr,
                                                charge);
            operations = segment.reader->operations();
            counters_.read_unwritten += segment.reader->unmapped();
        }
        const bool anything_left = context.join.pending() > 0;  // otherwise the trunk itself was last
        const Ledger* last = co_await context.join.wait();
        if (!anything_left && sending != nullptr) {
            co_await executor.yield(ledger);  // nothing was waited for, perhaps in no segment of the command
        }
        if (last != nullptr && anything_left) {
            if (sending != nullptr && last == &sending->ledger) {
                *ledger = context.fork;  // the transfer took longer than the reads: follow it
            }
            ledger->join(*last, Stage::firmware_wait);
        }
        if (sending != nullptr) {
            unpin(*sending);
            if (sending->transfer.aborted) {
                status = HostStatus::aborted;
            }
        }
        if (operations > 0 && !segment.reader->unreadable().empty()) {
            const std::uint32_t good =
                status == HostStatus::ok ? cut_before_error(command, segment, first) : 0;
            status = HostStatus::uncorrectable;
            if (good > 0) {  // so that the device names the first sector that did not reach the host
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
        unpin(*sending);
        if (status == HostStatus::ok && sending->transfer.aborted) {
            status = HostStatus::aborted;
        }
    }
    counters_.aborted_transfers += status == HostStatus::aborted ? 1 : 0;
    co_return status;
}

/// Reads a window at a time from flash, and drops the data (ACS-3, READ VERIFY SECTOR(S)): what the write
/// buffer holds is written first, as for a read with FUA.
Task<HostStatus> Dispatcher::verify(Context& context) {
    HostCommand& command = *context.command;
    Executor& executor = services_.executor;
    const CycleCosts& cycles = services_.config.cycles;
    Ledger* ledger = command.ledger;
    if (translation_.lost()) {
        co_return HostStatus::uncorrectable;
    }
    if (!marked_.empty()) {
        co_await executor.spend((context.claim.last - context.claim.first + 1) * cycles.mark_unit, ledger);
    }
    if (!co_await buffer_.durability().flush(ledger)) {
        co_return HostStatus::write_fault;
    }
    Segment& segment = context.segments[0];
    while (command.verified < command.sectors) {
        const std::uint32_t first = command.verified;
        const std::uint32_t end = segment_end(command, first, services_.config.read_segment_bytes);
        const auto sectors =
            static_cast<std::uint32_t>(marked_.readable(command.lba.value + first, end - first));
        if (sectors == 0) {
            co_return HostStatus::uncorrectable;
        }
        Charge charge = executor.charge(prepare_read(context, segment, first, sectors));
        bool anything_left = false;
        if (segment.reads.empty()) {
            co_await executor.spend(charge, 0, ledger);
        } else {
            co_await segment.reader->begin_read(segment.reads, context.join, ledger, true, charge);
            counters_.read_unwritten += segment.reader->unmapped();
            anything_left = context.join.pending() > 0;  // otherwise the trunk itself was last
            const Ledger* last = co_await context.join.wait();
            if (last != nullptr && anything_left) {
                ledger->join(*last, Stage::firmware_wait);
            }
            co_await executor.spend(segment.reader->operations() * cycles.flash_complete, ledger);
        }
        if (!anything_left) {
            co_await executor.yield(ledger);  // nothing was waited for, perhaps in no part of the command
        }
        unpin(segment);
        if (!segment.reads.empty() && !segment.reader->unreadable().empty()) {
            command.verified += cut_before_error(command, segment, first);
            co_return HostStatus::uncorrectable;
        }
        command.verified += sectors;
    }
    co_return HostStatus::ok;
}

}  // namespace solidtlm::fw
