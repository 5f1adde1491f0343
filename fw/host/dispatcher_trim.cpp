// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cstring>

#include "fw/host/command_context.h"
#include "fw/host/dispatcher.h"

namespace solidtlm::fw {

using hal::HostCommand;
using hal::HostStatus;

Task<HostStatus> Dispatcher::trim(Context& context) {
    HostCommand& command = *context.command;
    const std::uint32_t per_unit = services_.layout.sectors_per_unit();
    const CycleCosts& cycles = services_.config.cycles;
    std::uint64_t fixed = cycles.trim_command;  // charged together with the first range
    for (const hal::TrimRange& range : command.ranges) {
        co_await services_.executor.spend(fixed + cycles.trim_range, command.ledger);
        fixed = 0;
        const std::uint64_t first = range.lba.value;
        const std::uint64_t end = first + range.sectors;
        const std::uint64_t first_whole = (first + per_unit - 1) / per_unit;
        // If the range reaches the end of the device, the device's last unit counts as whole.
        const bool to_the_end = end == services_.config.exported_sectors;
        const std::uint64_t end_whole = to_the_end ? (end + per_unit - 1) / per_unit : end / per_unit;
        bool ok = true;
        if (first_whole > end_whole) {  // the range lies inside one unit
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
        if (first_whole >= end_whole) {  // otherwise translation_.trim() has let others go first
            co_await services_.executor.yield(command.ledger);
        }
    }
    // The zeros for partly covered units are in the write buffer.
    const bool immediate = services_.config.recovery.trims == TrimPersistence::immediate;
    bool durable = (write_back_ && !immediate) || co_await buffer_.durability().flush(command.ledger);
    if (immediate) {
        durable = co_await persist_trims(command.ledger) && durable;
    }
    co_return durable ? HostStatus::ok : HostStatus::write_fault;
}

Task<bool> Dispatcher::persist_trims(Ledger* ledger) {
    if (services_.config.recovery.trims == TrimPersistence::lazy) {
        co_return true;
    }
    ledger->enter(Stage::write_buffer_stall, services_.executor.now());
    const bool persisted = co_await translation_.persist_trims();
    ledger->enter(Stage::firmware_wait, services_.executor.now());
    co_return persisted;
}

Task<void> Dispatcher::trim_units(std::uint64_t first_unit, std::uint64_t units, Ledger* ledger) {
    // Looks each unit up in the write buffer, or each slot in use if these are fewer.
    const std::uint64_t searched = std::min<std::uint64_t>(units, buffer_.durability().unwritten());
    Charge charge = charge_marks(std::min<std::uint64_t>(units, marked_.units()));
    co_await services_.executor.spend(charge, searched * services_.config.cycles.buffer_lookup, ledger);
    const std::uint32_t per_unit = services_.layout.sectors_per_unit();
    marked_.clear(first_unit * per_unit, units * per_unit);
    for (std::uint64_t unit = first_unit; unit < first_unit + units; ++unit) {
        buffer_.discard(Lpn{static_cast<std::uint32_t>(unit)});
    }
    if (units > 0) {
        counters_.trimmed_units += units;
        co_await translation_.trim(Lpn{static_cast<std::uint32_t>(first_unit)},
                                   static_cast<std::uint32_t>(units), ledger);
        if (read_cache_) {  // data read ahead before is out of date
            Charge forgetting = forget_cached(first_unit, units);
            co_await services_.executor.spend(forgetting, 0, ledger);
        }
    }
}

/// Sectors of a unit that is only partly trimmed: writes zeros through the write buffer, or leaves the data.
Task<bool> Dispatcher::trim_partial(std::uint64_t lba, std::uint32_t sectors, Ledger* ledger) {
    const std::uint32_t per_unit = services_.layout.sectors_per_unit();
    const Lpn lpn{static_cast<std::uint32_t>(lba / per_unit)};
    if (!services_.config.zero_partial_trim) {
        co_return true;
    }
    Charge charge = charge_marks(1);
    co_await services_.executor.spend(charge, services_.config.cycles.buffer_lookup, ledger);
    if (buffer_.find(lpn) == kNoSlot && !co_await translation_.holds(lpn, ledger)) {
        marked_.clear(lba, sectors);
        co_return true;
    }
    co_await acquire_slots(1, ledger);
    if (translation_.read_only()) {
        buffer_.credits().give_back(1);
        co_return false;
    }
    const Slot slot = buffer_.receive();
    const auto begin = static_cast<std::uint32_t>(lba % per_unit);
    const std::size_t stride = hal::content_stride(services_.config.content);
    const DramAddress at{buffer_.address(slot).value + std::uint64_t{begin} * hal::kSectorBytes};
    if (stride != 0) {
        std::memset(services_.dram->content(at), 0, sectors * stride);
    }
    Executor& executor = services_.executor;
    executor.add_access(
        services_.dram->core_access(at, sectors * hal::kSectorBytes, true, executor.pending_stall()));
    const SectorMask mask = ((SectorMask{1} << sectors) - 1) << begin;  // less than a whole unit
    ++counters_.trimmed_partial_units;
    marked_.clear(lba, sectors);
    buffer_.memory().charge_copy(slot, buffer_.commit(slot, lpn, mask, nullptr));
    Charge forgetting = forget_cached(lpn.value, 1);
    co_await executor.spend(forgetting, services_.config.cycles.buffer_insert, ledger);
    co_return true;
}

}  // namespace solidtlm::fw
