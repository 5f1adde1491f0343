// SPDX-License-Identifier: Apache-2.0
#include "fw/host/dispatcher.h"

#include <algorithm>
#include <bit>
#include <cstring>

namespace solidtlm::fw {

using hal::HostCommand;
using hal::HostOpcode;
using hal::HostStatus;

/// A part of a command that is gathered, or received, at once.
struct Dispatcher::Segment {
    explicit Segment(Translation& translation) : reader(translation.make_reader()) {}
    std::unique_ptr<LogicalReader> reader;
    DramAddress window;  // where what is read from flash goes
    std::vector<LogicalRead> reads;
    std::vector<Slot> slots;  // read: pinned sources; write: being received
    std::vector<hal::HostTransfer::Piece> pieces;
    hal::HostTransfer transfer;
    Ledger ledger;
    Join* join = nullptr;
    bool on_trunk = false;
};

/// What a command needs while it runs; reused.
struct Dispatcher::Context {
    Context(Dispatcher& owner, std::uint32_t index)
        : segments{Segment(owner.translation_), Segment(owner.translation_)},
          join(owner.environment_.executor),
          durable_join(owner.environment_.executor) {
        for (std::uint32_t i = 0; i < 2; ++i) {
            segments[i].window =
                DramAddress{owner.dram_map_.read_windows.value +
                            (std::uint64_t{index} * 2 + i) * owner.environment_.config.read_segment_bytes};
        }
    }
    HostCommand* command = nullptr;
    Hazards::Claim claim;
    bool claimed = false;
    std::array<Segment, 2> segments;
    Join join;
    Ledger fork;  // the command's ledger when the transfer under way began
    Join durable_join;
    DurableWaiter durable;
};

Dispatcher::Dispatcher(Environment& environment, hal::Host& host, const DramMap& dram_map,
                       WriteBuffer& buffer, Translation& translation)
    : environment_(environment),
      host_(host),
      dram_map_(dram_map),
      buffer_(buffer),
      translation_(translation),
      hazards_(environment.executor),
      arrival_(environment.executor),
      write_gate_(environment.executor, 1),
      write_back_(environment.config.write_buffer.policy == WriteCachePolicy::write_back) {
    for (std::uint32_t i = 0; i < DramMap::kCommandSlots; ++i) {
        contexts_.push_back(std::make_unique<Context>(*this, i));
        free_contexts_.push_back(contexts_.back().get());
    }
}

Dispatcher::~Dispatcher() = default;

void Dispatcher::start() {
    host_.on_arrival(
        hal::Completion{[](void* context) { static_cast<Dispatcher*>(context)->arrival_.notify(); }, this});
    environment_.executor.spawn(fetch_loop());
}

/// The device never has more than kCommandSlots commands accepted and not completed.
Dispatcher::Context& Dispatcher::take_context() {
    Context& context = *free_contexts_.back();
    free_contexts_.pop_back();
    return context;
}

Task<void> Dispatcher::fetch_loop() {
    while (true) {
        HostCommand* command = host_.fetch();
        if (command == nullptr) {
            co_await arrival_.wait();
            continue;
        }
        ++counters_.commands;
        Context& context = take_context();
        context.command = command;
        claim(context);
        co_await environment_.executor.spend(environment_.config.cycles.command_fetch, command->ledger);
        const bool blocked = context.claimed && context.claim.blockers > 0;
        command->ledger->enter(blocked ? Stage::command_queue : Stage::firmware_wait,
                               environment_.executor.now());
        environment_.executor.spawn(run(context));
    }
}

void Dispatcher::claim(Context& context) {
    const HostCommand& command = *context.command;
    const std::uint32_t per_unit = environment_.layout.sectors_per_unit();
    std::uint64_t first = command.lba.value;
    std::uint64_t end = first + command.sectors;
    switch (command.opcode) {
        case HostOpcode::read:
        case HostOpcode::write:
            break;
        case HostOpcode::trim:
            first = ~std::uint64_t{0};
            end = 0;
            for (const hal::TrimRange& range : command.ranges) {
                first = std::min(first, range.lba.value);
                end = std::max(end, range.lba.value + range.sectors);
            }
            break;
        case HostOpcode::flush:
        case HostOpcode::set_write_cache:
            end = first;
            break;
    }
    context.claimed = first < end;
    if (context.claimed) {
        context.claim.first = first / per_unit;
        context.claim.last = (end - 1) / per_unit;
        context.claim.exclusive = command.opcode != HostOpcode::read;
        context.claim.ledger = command.ledger;
        hazards_.add(context.claim);
    }
}

Task<void> Dispatcher::run(Context& context) {
    HostCommand& command = *context.command;
    HostStatus status = HostStatus::ok;
    if (context.claimed) {
        co_await hazards_.wait(context.claim);
    }
    switch (command.opcode) {
        case HostOpcode::read:
            status = co_await read(context);
            break;
        case HostOpcode::write:
            status = co_await write(context);
            break;
        case HostOpcode::trim:
            status = co_await trim(context);
            break;
        case HostOpcode::flush: {
            const bool flushed = co_await buffer_.flush(command.ledger);
            status = flushed ? HostStatus::ok : HostStatus::write_fault;
            break;
        }
        case HostOpcode::set_write_cache: {
            const bool flushed = command.enable || co_await buffer_.flush(command.ledger);
            status = flushed ? HostStatus::ok : HostStatus::write_fault;
            write_back_ =
                command.enable && environment_.config.write_buffer.policy == WriteCachePolicy::write_back;
            break;
        }
    }
    co_await environment_.executor.spend(environment_.config.cycles.command_complete, command.ledger);
    if (context.claimed) {
        hazards_.remove(context.claim);
    }
    host_.complete(command, status);
    free_contexts_.push_back(&context);
}

/// End of the segment that begins at sector `first` of the command: a unit boundary, or the command's end.
std::uint32_t Dispatcher::segment_end(const HostCommand& command, std::uint32_t first,
                                      std::uint32_t segment_bytes) const {
    const std::uint32_t per_unit = environment_.layout.sectors_per_unit();
    const std::uint64_t limit = command.lba.value + first + segment_bytes / hal::kSectorBytes;
    const std::uint64_t end = limit / per_unit * per_unit - command.lba.value;
    return static_cast<std::uint32_t>(std::min<std::uint64_t>(end, command.sectors));
}

void Dispatcher::begin_transfer(Context& context, Segment& segment, std::uint32_t first,
                                std::uint32_t sectors, bool on_trunk) {
    context.join.add();
    segment.join = &context.join;
    segment.on_trunk = on_trunk;
    if (!on_trunk) {
        segment.ledger.start(Stage::firmware_execute, environment_.executor.now());
    }
    segment.transfer.command = context.command;
    segment.transfer.first_sector = first;
    segment.transfer.sectors = sectors;
    segment.transfer.pieces = segment.pieces;
    segment.transfer.ledger = on_trunk ? context.command->ledger : &segment.ledger;
    segment.transfer.aborted = false;
    segment.transfer.done = hal::Completion{[](void* self) {
                                                auto* done = static_cast<Segment*>(self);
                                                done->join->done(done->on_trunk ? nullptr : &done->ledger);
                                            },
                                            &segment};
    host_.transfer(segment.transfer);
}

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
        const SectorMask buffered = slot != kNoSlot ? buffer_.valid(slot) : 0;
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
                segment.reads.push_back(LogicalRead{lpn, source, at, count, false});
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
        if (!read.mapped && stride != 0) {
            std::memset(environment_.dram.content(read.dram), 0, read.sectors * stride);
        }
    }
}

/// Segment by segment: while one goes to the host, the next is read from flash.
Task<HostStatus> Dispatcher::read(Context& context) {
    HostCommand& command = *context.command;
    Executor& executor = environment_.executor;
    const CycleCosts& cycles = environment_.config.cycles;
    Ledger* ledger = command.ledger;
    HostStatus status = HostStatus::ok;
    if (command.fua) {
        const bool flushed = co_await buffer_.flush(ledger);
        status = flushed ? HostStatus::ok : HostStatus::write_fault;
    }
    Segment* sending = nullptr;
    std::uint32_t index = 0;
    for (std::uint32_t first = 0; first < command.sectors && status == HostStatus::ok; ++index) {
        Segment& segment = context.segments[index % 2];
        const std::uint32_t end = segment_end(command, first, environment_.config.read_segment_bytes);
        const std::uint32_t units = prepare_read(context, segment, first, end - first);
        co_await executor.spend(std::uint64_t{units} * cycles.buffer_lookup, ledger);
        std::size_t operations = 0;
        if (!segment.reads.empty()) {
            co_await segment.reader->begin_read(segment.reads, context.join, ledger, sending == nullptr);
            operations = segment.reader->operations();
            zero_unmapped(segment);
        }
        const Ledger* last = co_await context.join.wait();
        if (last != nullptr) {
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
        if (operations > 0 && !segment.reader->ok()) {
            status = HostStatus::uncorrectable;
        }
        sending = &segment;
        if (status != HostStatus::ok) {
            break;
        }
        co_await executor.spend(operations * cycles.flash_complete + cycles.transfer_issue, ledger);
        context.fork = *ledger;
        begin_transfer(context, segment, first, end - first, end == command.sectors);
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

Task<void> Dispatcher::acquire_slots(std::uint32_t count, Ledger* ledger) {
    if (buffer_.credits().available() < count) {
        buffer_.dirty_signal().notify();  // destaging looks whether anybody waits
    }
    co_await buffer_.credits().acquire(count, ledger);
}

Task<HostStatus> Dispatcher::write(Context& context) {
    HostCommand& command = *context.command;
    const bool durable = command.fua || !write_back_;
    context.durable = DurableWaiter{};
    context.durable.join = durable ? &context.durable_join : nullptr;
    co_await write_gate_.acquire(1, command.ledger);
    Credits gate(write_gate_, 1);
    for (std::uint32_t first = 0; first < command.sectors;) {
        const std::uint32_t end = segment_end(command, first, environment_.config.write_segment_bytes);
        const bool arrived =
            co_await write_segment(context, first, end - first, end == command.sectors ? &gate : nullptr);
        if (!arrived) {
            gate.release();
            if (durable) {
                co_await buffer_.wait_durable(context.durable, command.ledger);
            }
            co_return translation_.read_only() ? HostStatus::write_fault : HostStatus::aborted;
        }
        first = end;
    }
    if (durable) {
        const bool written = co_await buffer_.wait_durable(context.durable, command.ledger);
        co_return written ? HostStatus::ok : HostStatus::write_fault;
    }
    co_return HostStatus::ok;
}

/// Receives part of a write into the buffer. False if the data did not arrive. `gate` (may be null) opens
/// once the transfer has begun.
Task<bool> Dispatcher::write_segment(Context& context, std::uint32_t first, std::uint32_t sectors,
                                     Credits* gate) {
    const std::uint32_t per_unit = environment_.layout.sectors_per_unit();
    const std::uint64_t lba = context.command->lba.value + first;
    const auto units = static_cast<std::uint32_t>((lba + sectors - 1) / per_unit - lba / per_unit + 1);
    Segment& segment = context.segments[0];
    segment.slots.clear();
    segment.pieces.clear();
    co_await acquire_slots(units, context.command->ledger);
    for (std::uint32_t done = 0; done < sectors;) {
        const auto begin = static_cast<std::uint32_t>((lba + done) % per_unit);
        const std::uint32_t count = std::min(per_unit - begin, sectors - done);
        const Slot slot = buffer_.receive();
        segment.slots.push_back(slot);
        const DramAddress target{buffer_.address(slot).value + std::uint64_t{begin} * hal::kSectorBytes};
        segment.pieces.push_back(hal::HostTransfer::Piece{target, count * hal::kSectorBytes});
        done += count;
    }
    const CycleCosts& cycles = environment_.config.cycles;
    bool arrived = false;
    if (!translation_.read_only()) {
        co_await environment_.executor.spend(
            std::uint64_t{units} * cycles.buffer_lookup + cycles.transfer_issue, context.command->ledger);
        begin_transfer(context, segment, first, sectors, true);
        if (gate != nullptr) {
            gate->release();
        }
        co_await context.join.wait();
        arrived = !segment.transfer.aborted;
        counters_.aborted_transfers += arrived ? 0 : 1;
    }
    if (arrived) {
        co_await commit(context, segment, lba, sectors);
    } else {
        for (const Slot slot : segment.slots) {
            buffer_.abandon(slot);
        }
    }
    co_return arrived;
}

Task<void> Dispatcher::commit(Context& context, Segment& segment, std::uint64_t first_lba,
                              std::uint32_t sectors) {
    const std::uint32_t per_unit = environment_.layout.sectors_per_unit();
    DurableWaiter* durable = context.durable.join != nullptr ? &context.durable : nullptr;
    if (durable != nullptr) {
        durable->join->add(static_cast<std::uint32_t>(segment.slots.size()));
    }
    std::uint32_t done = 0;
    for (const Slot slot : segment.slots) {
        const Lpn lpn{static_cast<std::uint32_t>((first_lba + done) / per_unit)};
        const auto begin = static_cast<std::uint32_t>((first_lba + done) % per_unit);
        const std::uint32_t count = std::min(per_unit - begin, sectors - done);
        const SectorMask mask = count == 64 ? ~SectorMask{0} : ((SectorMask{1} << count) - 1) << begin;
        charge_copy(slot, buffer_.commit(slot, lpn, mask, durable));
        done += count;
    }
    co_await environment_.executor.spend(segment.slots.size() * environment_.config.cycles.buffer_insert,
                                         context.command->ledger);
}

/// Sectors taken over from an older version of a unit: the core reads and writes them.
void Dispatcher::charge_copy(Slot slot, std::uint32_t sectors) {
    if (sectors == 0) {
        return;
    }
    Executor& executor = environment_.executor;
    for (const bool write : {false, true}) {
        executor.add_access(environment_.dram.core_access(buffer_.address(slot), sectors * hal::kSectorBytes,
                                                          write, executor.pending_stall()));
    }
}

Task<HostStatus> Dispatcher::trim(Context& context) {
    HostCommand& command = *context.command;
    const std::uint32_t per_unit = environment_.layout.sectors_per_unit();
    for (const hal::TrimRange& range : command.ranges) {
        co_await environment_.executor.spend(environment_.config.cycles.trim_range, command.ledger);
        const std::uint64_t first = range.lba.value;
        const std::uint64_t end = first + range.sectors;
        const std::uint64_t first_whole = (first + per_unit - 1) / per_unit;
        // The device's last unit counts as whole when the range reaches the end of the device.
        const bool to_the_end = end == environment_.config.exported_sectors;
        const std::uint64_t end_whole = to_the_end ? (end + per_unit - 1) / per_unit : end / per_unit;
        bool ok = true;
        if (first_whole > end_whole) {  // inside one unit
            ok = co_await trim_partial(first, range.sectors, command.ledger);
        } else {
            const auto head = static_cast<std::uint32_t>(
                std::min<std::uint64_t>(first_whole * per_unit - first, range.sectors));
            if (head > 0) {
                ok = co_await trim_partial(first, head, command.ledger);
            }
            co_await trim_units(first_whole, end_whole - first_whole, command.ledger);
            if (!to_the_end && end % per_unit != 0 && ok) {
                const auto tail = static_cast<std::uint32_t>(end % per_unit);
                ok = co_await trim_partial(end - tail, tail, command.ledger);
            }
        }
        if (!ok) {
            co_return HostStatus::write_fault;
        }
    }
    co_return HostStatus::ok;
}

Task<void> Dispatcher::trim_units(std::uint64_t first_unit, std::uint64_t units, Ledger* ledger) {
    for (std::uint64_t unit = first_unit; unit < first_unit + units; ++unit) {
        buffer_.discard(Lpn{static_cast<std::uint32_t>(unit)});
    }
    if (units > 0) {
        counters_.trimmed_units += units;
        co_await translation_.trim(Lpn{static_cast<std::uint32_t>(first_unit)},
                                   static_cast<std::uint32_t>(units), ledger);
    }
}

/// Sectors of a unit that is only partly trimmed: zeros through the write buffer, or left as they are.
Task<bool> Dispatcher::trim_partial(std::uint64_t lba, std::uint32_t sectors, Ledger* ledger) {
    const std::uint32_t per_unit = environment_.layout.sectors_per_unit();
    const Lpn lpn{static_cast<std::uint32_t>(lba / per_unit)};
    const bool holds_data = buffer_.find(lpn) != kNoSlot || translation_.mapped(lpn);
    if (!environment_.config.zero_partial_trim || !holds_data) {
        co_return true;
    }
    co_await acquire_slots(1, ledger);
    const Slot slot = buffer_.receive();
    if (translation_.read_only()) {
        buffer_.abandon(slot);
        co_return false;
    }
    const auto begin = static_cast<std::uint32_t>(lba % per_unit);
    const std::size_t stride = hal::content_stride(environment_.config.content);
    const DramAddress at{buffer_.address(slot).value + std::uint64_t{begin} * hal::kSectorBytes};
    if (stride != 0) {
        std::memset(environment_.dram.content(at), 0, sectors * stride);
    }
    const SectorMask mask = ((SectorMask{1} << sectors) - 1) << begin;  // less than a whole unit
    ++counters_.trimmed_partial_units;
    charge_copy(slot, buffer_.commit(slot, lpn, mask, nullptr));
    co_await environment_.executor.spend(environment_.config.cycles.buffer_insert, ledger);
    co_return true;
}

}  // namespace solidtlm::fw
