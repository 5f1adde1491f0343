// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "fw/host/command_context.h"
#include "fw/host/dispatcher.h"
#include "fw/runtime/alarms.h"

namespace solidtlm::fw {

using hal::HostCommand;
using hal::HostStatus;

Semaphore::Awaiter Dispatcher::acquire_slots(std::uint32_t count, Ledger* ledger) {
    if (buffer_.credits().slots().available() < count) {
        buffer_.destager_wakeup().notify();  // the destager then checks whether writes wait for slots
    }
    return buffer_.credits().slots().acquire(count, ledger);
}

/// May leave the last part of the core's work in `charge`.
Task<HostStatus> Dispatcher::write(Context& context, Charge& charge) {
    HostCommand& command = *context.command;
    Segment& segment = context.segments[0];
    Executor& executor = services_.executor;
    const CycleCosts& cycles = services_.config.cycles;
    const bool durable = command.fua || !write_back_;
    context.durable.join = durable ? &context.durable_join : nullptr;
    context.durable.failed = false;
    co_await buffer_.credits().gate().acquire(1, command.ledger);
    Credits gate(buffer_.credits().gate(), 1);
    bool arrived = true;
    for (std::uint32_t first = 0; first < command.sectors;) {
        const std::uint32_t end = segment_end(command, first, services_.config.write_segment_bytes);
        const std::uint32_t per_unit = services_.layout.sectors_per_unit();
        const std::uint64_t lba = command.lba.value + first;
        const auto units =
            static_cast<std::uint32_t>((command.lba.value + end - 1) / per_unit - lba / per_unit + 1);
        buffer_.credits().gate_on_link(false);
        co_await acquire_slots(units, command.ledger);
        if (const Ps turn = buffer_.credits().turn(units); turn > executor.now()) {
            if (command.ledger != nullptr) {
                command.ledger->enter(buffer_.credits().stall_stage(), executor.now());
            }
            co_await services_.alarms->until(turn);
        }
        if (translation_.read_only()) {
            buffer_.credits().give_back(units);
            arrived = false;
            break;
        }
        receive(segment, lba, end - first);
        co_await executor.spend(std::uint64_t{units} * cycles.buffer_lookup + cycles.transfer_issue,
                                command.ledger);
        begin_transfer(context, segment, first, end - first, true);
        if (end == command.sectors) {
            gate.release();
        } else {
            buffer_.credits().gate_on_link(true);
        }
        co_await context.join.wait();
        arrived = !segment.transfer.aborted;
        if (!arrived) {
            ++counters_.aborted_transfers;
            for (const Slot slot : segment.slots) {
                buffer_.abandon(slot);
            }
            break;
        }
        charge += commit(context, segment, lba, end - first);
        first = end;
        if (first < command.sectors || durable) {  // otherwise with the completion of the command
            co_await executor.spend(charge, 0, command.ledger);
        }
    }
    gate.release();
    const bool written = !durable || co_await buffer_.durability().wait(context.durable, command.ledger);
    if (!arrived) {
        co_return translation_.read_only() ? HostStatus::write_fault : HostStatus::aborted;
    }
    co_return written ? HostStatus::ok : HostStatus::write_fault;
}

/// Takes slots for the data from `lba` on.
void Dispatcher::receive(Segment& segment, std::uint64_t lba, std::uint32_t sectors) {
    const std::uint32_t per_unit = services_.layout.sectors_per_unit();
    auto begin = static_cast<std::uint32_t>(lba % per_unit);
    segment.slots.clear();
    segment.pieces.clear();
    while (sectors > 0) {
        const std::uint32_t count = std::min(per_unit - begin, sectors);
        const Slot slot = buffer_.receive();
        segment.slots.push_back(slot);
        const DramAddress target{buffer_.address(slot).value + std::uint64_t{begin} * hal::kSectorBytes};
        segment.pieces.push_back(hal::HostTransfer::Piece{target, count * hal::kSectorBytes});
        sectors -= count;
        begin = 0;
    }
}

Charge Dispatcher::commit(Context& context, Segment& segment, std::uint64_t first_lba,
                          std::uint32_t sectors) {
    const std::uint32_t per_unit = services_.layout.sectors_per_unit();
    DurableWaiter* durable = context.durable.join != nullptr ? &context.durable : nullptr;
    if (durable != nullptr) {
        durable->join->add(static_cast<std::uint32_t>(segment.slots.size()));
    }
    const HostCommand& command = *context.command;
    const bool past_cache =
        services_.config.slc_cache.goes_past(std::uint64_t{command.sectors} * hal::kSectorBytes);
    Lpn lpn{static_cast<std::uint32_t>(first_lba / per_unit)};
    auto begin = static_cast<std::uint32_t>(first_lba % per_unit);
    std::uint32_t left = sectors;
    for (std::span<const Slot> rest = segment.slots; !rest.empty();) {
        const std::uint32_t count = std::min(per_unit - begin, left);
        const SectorMask mask = count == 64 ? ~SectorMask{0} : ((SectorMask{1} << count) - 1) << begin;
        const std::uint32_t units = count == per_unit ? left / per_unit : 1;  // whole units form a run
        const std::span<const Slot> run = rest.first(units);
        for (const Slot slot : run) {
            buffer_.set_command(slot, command.id, past_cache);
        }
        buffer_.memory().charge_copy(run.front(), buffer_.commit(run, lpn, mask, durable));  // of a partial
                                                                                             // unit
        rest = rest.subspan(units);
        left -= units * count;
        begin = 0;
        lpn.value += units;
    }
    Charge charge = charge_marks(segment.slots.size());
    marked_.clear(first_lba, sectors);
    charge += services_.executor.charge(segment.slots.size() * services_.config.cycles.buffer_insert);
    charge += forget_cached(first_lba / per_unit, segment.slots.size());
    return charge;
}

}  // namespace solidtlm::fw
