// SPDX-License-Identifier: Apache-2.0
#include "fw/page_map/destager.h"

#include <algorithm>
#include <utility>

#include "fw/flash/backup_flash.h"
#include "fw/hal/check.h"
#include "fw/translation/layer_metrics.h"

namespace solidtlm::fw {

void DestageCounters::tell(hal::Metrics& metrics, const SlcCacheConfig& cache) const {
    tell_destaging(metrics, written_units, padded_units, filled_units, program_failures);
    if (cache.any()) {
        metrics.counter("slc_cache.written_units", "units",
                        "the part of ftl.written_units that went to the SLC cache", cached_units);
        metrics.counter("slc_cache.bypassed_units", "units",
                        "the part of ftl.written_units that bypassed the SLC cache",
                        written_units - cached_units);
    }
    if (cache.by_length()) {
        metrics.counter("slc_cache.long_units", "units",
                        "the part of slc_cache.bypassed_units whose writes were too long for the SLC cache",
                        long_units);
    }
}

Destager::Destager(PageMap& pages) : pages_(pages), order_(pages.services.config, pages.services.layout) {}

void Destager::trim_ends() {
    --trims_;
    if (trim_awaited_) {
        pages_.buffer.destager_wakeup().notify();
    }
}

Task<void> Destager::destage() {
    /// A list that has something to write now, why, and the superpage reserved for it.
    struct Choice {
        std::uint32_t list;
        hal::Reason reason;
        Allocator::Reservation reservation;
    };
    while (true) {
        Demand demand;
        auto choice = choose(demand, [this](std::uint32_t list, hal::Reason reason) {
            auto reserved = reserve(list, reason == hal::Reason::full && !fills_any(list));
            return reserved ? std::optional(Choice{list, reason, std::move(*reserved)}) : std::nullopt;
        });
        if (choice) {
            Batch& batch = take_batch();
            batch.reason = choice->reason;
            pages_.buffer.take(choice->list, choice->reservation.units(), batch.slots);
            write(batch, std::move(choice->reservation));
            continue;
        }
        if (!look_again(demand)) {
            co_await pages_.buffer.destager_wakeup().wait();
        }
    }
}

std::optional<hal::Reason> Destager::ready(std::uint32_t list) const {
    const std::uint32_t dirty = pages_.buffer.dirty().count(list);
    const MediaLayout& layout = pages_.services.layout;
    if (fills_any(list) || (dirty >= layout.shape(true).units && small_room(list))) {
        return hal::Reason::full;
    }
    return dirty > 0 ? reason_for_part() : std::nullopt;
}

std::optional<hal::Reason> Destager::reason_for_part() const {
    return pages_.buffer.reason_for_part(read_only_, pages_.allocator.host_in_flight() != held());
}

std::optional<Allocator::Reservation> Destager::reserve(std::uint32_t list, bool small) {
    const Allocator::Data data = small ? Allocator::Data::small : data_of(list);
    return goes_anywhere() ? pages_.allocator.reserve_any(data)
                           : pages_.allocator.reserve(order_.home_of(list), data);
}

bool Destager::fills_any(std::uint32_t list) const {
    return pages_.buffer.dirty().count(list) >= pages_.services.layout.units_per_superpage();
}

bool Destager::small_room(std::uint32_t list) const {
    return !order_.past_cache(list) && (goes_anywhere() ? pages_.allocator.small_room()
                                                        : pages_.allocator.small_room(order_.home_of(list)));
}

/// If no operation under way will free space, the drive takes no more writes, and the data already in the
/// buffer gets the space that collection has reserved.
bool Destager::look_again(Demand demand) {
    WriteBuffer& buffer = pages_.buffer;
    buffer.set_space_blocked(demand.something_to_write && demand.out_of_space);
    if (!demand.something_to_write) {
        write_again_if_possible();
        return false;
    }
    pages_.collector.revisit_deferred_victims();
    const bool stuck = pages_.allocator.host_in_flight() == 0 && !pages_.collector.active();
    trim_awaited_ = stuck && trims_ > 0;  // the TRIM may empty superblocks
    if (!stuck || trim_awaited_) {
        return false;
    }
    if (read_only_) {
        buffer.set_stuck(true);
        return false;
    }
    if (pages_.collector.erase_empty()) {
        return false;
    }
    if (pages_.allocator.open_both_modes()) {
        return true;
    }
    read_only_since_ = pages_.services.executor.now();
    set_read_only(true);
    return true;
}

void Destager::set_read_only(bool read_only) {
    read_only_ = read_only;
    pages_.services.decided({.deed = read_only ? hal::Deed::read_only : hal::Deed::writable,
                             .reason = read_only ? hal::Reason::space : hal::Reason::trim});
    pages_.allocator.spend_reserve(read_only);
    pages_.collector.stand_down(read_only);
}

/// After a TRIM, the drive takes writes again when the buffer's contents are on flash and more than the
/// reserve is free.
void Destager::write_again_if_possible() {
    const BackupFlash* backup = pages_.services.backup;
    if (read_only_ && pages_.buffer.durability().unwritten() == 0 && pages_.allocator.beyond_reserve() &&
        (backup == nullptr || !backup->worn_out())) {
        read_only_since_.reset();
        set_read_only(false);
        pages_.buffer.set_stuck(false);
    }
}

Destager::Batch& Destager::take_batch() {
    if (free_batches_.empty()) {
        // The batches that are being programmed or filled in, all with reservations, and the group that is
        // being sorted.
        const Services& services = pages_.services;
        SOLIDTLM_CHECK(batches_.size() <=
                           std::size_t{services.layout.pus()} * services.config.allocation.programs_per_die,
                       "no more superpages are written than parallel units take");
        batches_.push_back(std::make_unique<Batch>(pages_));
        free_batches_.push_back(batches_.back().get());
    }
    Batch& batch = *free_batches_.back();
    free_batches_.pop_back();
    batch.slots.clear();
    batch.updates.clear();
    batch.stream = Stream::host;
    batch.sorted = false;
    return batch;
}

bool Destager::awaited(const Batch& batch) const {
    return std::any_of(batch.slots.begin(), batch.slots.end(),
                       [this](Slot slot) { return pages_.buffer[slot].durable != nullptr; });
}

void Destager::write(Batch& batch, Allocator::Reservation reservation) {
    pages_.collector.kick(reservation.pu());
    pages_.services.executor.spawn(run(batch, std::move(reservation)));
}

Task<void> Destager::run(Batch& batch, Allocator::Reservation reservation) {
    Executor& executor = pages_.services.executor;
    const CycleCosts& cycles = pages_.services.config.cycles;
    if (!batch.sorted) {
        batch.ledger.start(Stage::firmware_wait, executor.now());
        batch.ledger.set_command_id(pages_.buffer[batch.slots.front()].command_id);
    }
    Ledger* ledger = awaited(batch) ? &batch.ledger : nullptr;
    if (!batch.sorted) {
        co_await fill(batch, ledger);
    }
    co_await executor.spend(cycles.allocate + cycles.flash_issue, ledger);
    const std::optional<SuperpageAddress> at = reservation.place(batch.stream);
    bool ok = false;
    if (at) {
        if (pages_.services.probe != nullptr) {
            tell(batch, *at);
        }
        prepare(batch, *at, ledger);
        FlashAwaiter programmed(pages_.services, batch.program.op());
        const hal::FlashStatus status = co_await programmed;
        ok = status == hal::FlashStatus::ok;
        Charge charge = executor.charge(cycles.flash_complete);
        if (ok) {
            co_await map_batch(batch, *at, ledger, charge);
            if (pages_.indirection) {
                co_await executor.spend(charge, 0, ledger);  // the cost of the tables
            }
        } else {
            co_await executor.spend(charge, 0, ledger);
        }
        counters_.program_failures += status == hal::FlashStatus::program_failed ? 1 : 0;
        reservation.settle(status);
        if (!ok) {
            pages_.collector.move_soon(*at);
        }
    }
    if (ledger != nullptr) {
        ledger->enter(Stage::firmware_wait, executor.now());
    }
    if (batch.sorted) {
        co_await ended(batch);
    }
    finish(batch, ok, ledger);
    pages_.collector.kick(reservation.pu());
    pages_.collector.revisit_deferred_victims();
    if (pages_.patrol) {
        pages_.patrol->written();
    }
    give_back(batch);
}

void Destager::tell(const Batch& batch, const SuperpageAddress& at) const {
    pages_.services.decided({.deed = hal::Deed::destage,
                             .reason = batch.reason,
                             .unit = at.pu.value,
                             .block = at.superblock.value,
                             .page = at.page,
                             .count = static_cast<std::uint32_t>(batch.slots.size()),
                             .erases = pages_.table.info(at.pu, at.superblock).erases,
                             .free = pages_.table.free_count(at.pu)});
}

Task<void> Destager::fill(Batch& batch, Ledger* ledger) {
    batch.reader.set_command_id(batch.ledger.command_id());
    counters_.filled_units += batch.fill.prepare(batch.slots);
    return batch.fill.run(batch.slots, batch.reader, ledger);
}

void Destager::prepare(Batch& batch, SuperpageAddress at, Ledger* ledger) {
    const WriteBuffer& buffer = pages_.buffer;
    const BlockInfo& info = pages_.table.info(at.pu, at.superblock);
    batch.units.assign(pages_.services.layout.shape(info.slc).units, UnitWrite{});
    UnitWrite* write = batch.units.data();
    for (const Slot slot : batch.slots) {
        // A unit trimmed meanwhile is written as padding, because its LPN would make it look newer than later
        // data. An incomplete unit is written as padding so that a boot does not find it.
        const BufferedUnit& unit = buffer[slot];
        if (!unit.discarded && buffer.complete(slot)) {
            *write = {unit.lpn, buffer.address(slot)};
            pages_.map->prefetch(unit.lpn);
        }
        ++write;
    }
    counters_.padded_units += batch.units.size() - batch.slots.size();
    const SpareHeader header{pages_.allocator.next_sequence(), traits_of(batch.stream).kind, info.erases};
    batch.program.prepare(pages_.services, at, batch.units, header, Cause::host);
    batch.program.op().ledger = ledger;
    batch.program.op().command_id = batch.ledger.command_id();
}

Task<void> Destager::map_batch(Batch& batch, SuperpageAddress at, Ledger* ledger, Charge& charge) {
    const WriteBuffer& buffer = pages_.buffer;
    batch.updates.clear();
    batch.updates.reserve(batch.slots.size());
    Ppa fresh = pages_.services.layout.ppa(at, 0);
    for (const Slot slot : batch.slots) {
        const BufferedUnit& unit = buffer[slot];
        if (!unit.discarded && buffer.complete(slot)) {
            MapUpdate& update = batch.updates.emplace_back();
            update.lpn = unit.lpn;
            update.fresh = fresh;
            update.tag = slot.value;
        }
        ++fresh;
    }
    return pages_.map->update(batch.updates, *this, Cause::host, ledger, charge);
}

/// False for units that were trimmed while the map was being read.
bool Destager::wanted(const MapUpdate& update) const {
    return !pages_.buffer[Slot{update.tag}].discarded;
}

void Destager::applied(std::span<const MapUpdate> updates, Charge& charge) {
    counters_.written_units += updates.size();
    const MediaLayout& layout = pages_.services.layout;
    if (!updates.empty() && pages_.services.config.slc_cache.any()) {
        const MapUpdate& first = updates.front();
        const bool cached = pages_.table.info(layout.superblock_index(first.fresh)).slc;
        const bool is_long = pages_.buffer[Slot{first.tag}].past_cache;  // then the whole superpage is
        counters_.cached_units += cached ? updates.size() : 0;
        counters_.long_units += !cached && is_long ? updates.size() : 0;
    }
    pages_.table.mark_valid(updates);
    for (const MapUpdate& update : updates) {
        if (!pages_.is_indirect(update.previous) && update.previous != kUnmapped) {
            pages_.table.prefetch(update.previous);
        }
    }
    if (!pages_.indirection) {
        pages_.replaced(updates);
        return;
    }
    for (const MapUpdate& update : updates) {
        pages_.indirection->programmed(Slot{update.tag}, update.lpn, update.fresh, charge);
        pages_.replaced(std::span(&update, 1));
    }
}

void Destager::fail(Slot slot) {
    const Lpn lpn = pages_.buffer[slot].lpn;
    if (pages_.buffer.fail(slot)) {
        pages_.lost_pages.insert(lpn);  // the older data of the page is out of date
    }
}

void Destager::finish(Batch& batch, bool ok, Ledger* ledger) {
    const auto complete = [this](Slot slot) { return pages_.buffer.complete(slot); };
    if (ok && std::ranges::all_of(batch.slots, complete)) {
        pages_.buffer.written(batch.slots, ledger);
        return;
    }
    for (const Slot slot : batch.slots) {
        if (!complete(slot)) {
            fail(slot);
        } else if (ok) {
            pages_.buffer.written(slot, ledger);
        } else {
            pages_.buffer.requeue(slot);
        }
    }
}

}  // namespace solidtlm::fw
