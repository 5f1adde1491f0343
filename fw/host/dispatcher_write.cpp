// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "fw/host/command_context.h"
#include "fw/host/dispatcher.h"

namespace solidtlm::fw {

using hal::HostCommand;
using hal::HostStatus;

Semaphore::Awaiter Dispatcher::acquire_slots(std::uint32_t count, Ledger* ledger) {
    if (buffer_.credits().slots().available() < count) {
        buffer_.dirty_signal().notify();  // destaging looks whether anybody waits
    }
    return buffer_.credits().slots().acquire(count, ledger);
}

/// The last of the core's work may be left in `charge`.
Task<HostStatus> Dispatcher::write(Context& context, Charge& charge) {
    HostCommand& command = *context.command;
    const bool durable = command.fua || !write_back_;
    context.durable.join = durable ? &context.durable_join : nullptr;
    context.durable.failed = false;
    co_await buffer_.credits().gate().acquire(1, command.ledger);
    Credits gate(buffer_.credits().gate(), 1);
    for (std::uint32_t first = 0; first < command.sectors;) {
        const std::uint32_t end = segment_end(command, first, environment_.config.write_segment_bytes);
        const bool arrived = co_await write_segment(context, first, end - first,
                                                    end == command.sectors ? &gate : nullptr, charge);
        if (!arrived) {
            gate.release();
            if (durable) {
                co_await buffer_.durability().wait(context.durable, command.ledger);
            }
            co_return translation_.read_only() ? HostStatus::write_fault : HostStatus::aborted;
        }
        first = end;
        if (first < command.sectors || durable) {  // otherwise together with the completion of the command
            co_await environment_.executor.spend(charge, 0, command.ledger);
        }
    }
    if (durable) {
        const bool written = co_await buffer_.durability().wait(context.durable, command.ledger);
        co_return written ? HostStatus::ok : HostStatus::write_fault;
    }
    co_return HostStatus::ok;
}

/// Receives part of a write into the buffer. False if the data did not arrive. `gate` (may be null) opens
/// once the transfer has begun.
Task<bool> Dispatcher::write_segment(Context& context, std::uint32_t first, std::uint32_t sectors,
                                     Credits* gate, Charge& charge) {
    const std::uint32_t per_unit = environment_.layout.sectors_per_unit();
    const std::uint64_t lba = context.command->lba.value + first;
    const auto units = static_cast<std::uint32_t>((lba + sectors - 1) / per_unit - lba / per_unit + 1);
    Segment& segment = context.segments[0];
    segment.slots.clear();
    segment.pieces.clear();
    buffer_.credits().gate_on_link(false);
    co_await acquire_slots(units, context.command->ledger);
    if (translation_.read_only()) {
        buffer_.credits().give_back(units);
        co_return false;
    }
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
    co_await environment_.executor.spend(std::uint64_t{units} * cycles.buffer_lookup + cycles.transfer_issue,
                                         context.command->ledger);
    begin_transfer(context, segment, first, sectors, true);
    if (gate != nullptr) {
        gate->release();
    } else {
        buffer_.credits().gate_on_link(true);
    }
    co_await context.join.wait();
    const bool arrived = !segment.transfer.aborted;
    counters_.aborted_transfers += arrived ? 0 : 1;
    if (arrived) {
        charge += commit(context, segment, lba, sectors);
    } else {
        for (const Slot slot : segment.slots) {
            buffer_.abandon(slot);
        }
    }
    co_return arrived;
}

Charge Dispatcher::commit(Context& context, Segment& segment, std::uint64_t first_lba,
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
        buffer_.set_flow(slot, context.command->id);
        buffer_.memory().charge_copy(slot, buffer_.commit(slot, lpn, mask, durable));
        done += count;
    }
    Charge charge = charge_marks(segment.slots.size());
    marked_.clear(first_lba, sectors);
    charge += environment_.executor.charge(segment.slots.size() * environment_.config.cycles.buffer_insert);
    return charge;
}

}  // namespace solidtlm::fw
