// SPDX-License-Identifier: Apache-2.0
#include "fw/ftl/page_map/page_map.h"

#include <algorithm>

#include "fw/ftl/page_map/page_map_parts.h"

namespace solidtlm::fw {

PageMap::PageMap(Environment& environment, const DramMap& dram_map, WriteBuffer& buffer)
    : environment_(environment),
      buffer_(buffer),
      table_(environment.layout, environment.config.wear.dynamic),
      allocator_(environment, table_, buffer.dirty_signal()),
      map_(make_map_cache(environment, dram_map, allocator_)),
      shared_(environment.config.dedup.system == DedupSystem::none
                  ? nullptr
                  : std::make_unique<SharedPages>(virtual_blocks(environment.config))),
      log_(environment.layout.log_superblocks() == 0
               ? nullptr
               : std::make_unique<RecoveryLog>(environment,
                                               RecoveryLog::Parts{allocator_, *map_, *environment.pages,
                                                                  shared_.get(), dram_map.dedup_shared},
                                               dram_map.log_buffers)),
      dedup_(!shared_
                 ? nullptr
                 : std::make_unique<Dedup>(environment, dram_map,
                                           Sharing::Parts{*shared_, table_, *map_, buffer, *log_, *this})),
      collector_(environment,
                 GarbageCollector::Parts{table_, allocator_, *map_, buffer, log_.get(), shared_.get(),
                                         dedup_ ? &dedup_->system() : nullptr},
                 dram_map.gc_buffers),
      sorting_(!dedup_ || !dedup_->system().sorts_writes() ? nullptr : std::make_unique<Sorting>()) {
    if (sorting_) {
        sorting_->lanes.resize(buffer.lists());
    }
}

PageMap::~PageMap() = default;

std::unique_ptr<LogicalReader> PageMap::make_reader() {
    return std::make_unique<Reader>(*this);
}

void PageMap::start() {
    map_->start();
    if (log_) {
        log_->start();
    }
    probe_changed();
    collector_.start();
    if (dedup_) {
        dedup_->start();
    }
    environment_.executor.spawn(sorting_ ? destage_sorted() : destage());
}

bool PageMap::ready(std::uint32_t list) const {
    const std::uint32_t dirty = buffer_.dirty(list);
    if (dirty >= environment_.layout.units_per_superpage()) {
        return true;
    }
    // Partly filled superpages only when somebody waits and nothing under way will help.
    const std::uint32_t held = sorting_ ? sorting_->held : 0;
    const bool starving = buffer_.credits().has_waiters() && allocator_.host_in_flight() == held;
    return dirty > 0 && (buffer_.draining() || starving || read_only_);
}

std::optional<Pu> PageMap::reserve(std::uint32_t list) {
    if (environment_.config.allocation.mode == AllocationMode::dynamic || read_only_) {
        return allocator_.reserve_any();
    }
    return allocator_.reserve(Pu{list}) ? std::optional(Pu{list}) : std::nullopt;
}

std::optional<PageMap::Choice> PageMap::choose(Demand& demand) {
    demand = Demand{};
    const std::uint32_t lists = buffer_.lists();
    for (std::uint32_t i = 0; i < lists; ++i) {
        const std::uint32_t list = (next_list_ + i) % lists;
        if (!ready(list)) {
            continue;
        }
        demand.something_to_write = true;
        const std::optional<Pu> pu = reserve(list);
        if (pu) {
            next_list_ = (list + 1) % lists;
            return Choice{list, *pu};
        }
        const bool anywhere = lists == 1 || read_only_;
        demand.out_of_space |= anywhere ? allocator_.out_of_space() : allocator_.out_of_space(Pu{list});
    }
    return std::nullopt;
}

PageMap::Batch& PageMap::take_batch() {
    if (free_batches_.empty()) {
        batches_.push_back(std::make_unique<Batch>(*this));
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

Task<void> PageMap::destage() {
    while (true) {
        Demand demand;
        const std::optional<Choice> choice = choose(demand);
        if (choice) {
            buffer_.set_space_blocked(false);
            buffer_.set_stuck(false);
            Batch& batch = take_batch();
            buffer_.take(choice->list, environment_.layout.units_per_superpage(), batch.slots);
            collector_.kick(choice->pu);
            environment_.executor.spawn(write(batch, choice->pu));
            continue;
        }
        co_await await_space(demand);
    }
}

/// Nothing can be written now: waits until that may have changed. Where nothing under way will change it, the
/// drive takes no more writes, and what it has taken gets the space that collection had kept.
Task<void> PageMap::await_space(Demand demand) {
    buffer_.set_space_blocked(demand.something_to_write && demand.out_of_space);
    if (demand.something_to_write) {
        const bool stuck = allocator_.host_in_flight() == 0 && !collector_.active();
        trim_awaited_ = stuck && trims_ > 0;  // it may make superblocks empty
        if (stuck && !trim_awaited_) {
            if (!read_only_) {
                read_only_ = true;
                allocator_.spend_reserve(true);
                collector_.stand_down(true);
                co_return;
            }
            buffer_.set_stuck(true);
        }
    } else {
        write_again_if_possible();
    }
    co_await buffer_.dirty_signal().wait();
}

/// Something was trimmed: once all that the buffer held is on flash, and more than the reserve is free.
void PageMap::write_again_if_possible() {
    if (read_only_ && buffer_.unwritten() == 0 && allocator_.beyond_reserve()) {
        read_only_ = false;
        allocator_.spend_reserve(false);
        collector_.stand_down(false);
        buffer_.set_stuck(false);
    }
}

Task<void> PageMap::write(Batch& batch, Pu pu) {
    Executor& executor = environment_.executor;
    const CycleCosts& cycles = environment_.config.cycles;
    if (!batch.sorted) {
        batch.ledger.start(Stage::firmware_wait, executor.now());
        batch.ledger.set_flow(buffer_.flow(batch.slots.front()));
    }
    const bool awaited = std::any_of(batch.slots.begin(), batch.slots.end(),
                                     [this](Slot slot) { return buffer_.has_durable_waiter(slot); });
    Ledger* ledger = awaited ? &batch.ledger : nullptr;
    if (!batch.sorted) {
        co_await fill(batch, ledger);
    }
    co_await executor.spend(cycles.allocate + cycles.flash_issue, ledger);
    const std::optional<SuperpageAddress> at = allocator_.allocate_host(pu, batch.stream);
    bool ok = false;
    if (at) {
        batch.units.assign(environment_.layout.units_per_superpage(), UnitWrite{});
        for (std::size_t i = 0; i < batch.slots.size(); ++i) {
            // Trimmed meanwhile: must not look newer than what follows. Incomplete: must not be found at all.
            if (!buffer_.discarded(batch.slots[i]) && buffer_.complete(batch.slots[i])) {
                batch.units[i] = UnitWrite{buffer_.lpn(batch.slots[i]), buffer_.address(batch.slots[i])};
                map_->prefetch(batch.units[i].lpn);
            }
        }
        counters_.padded_units += batch.units.size() - batch.slots.size();
        const PageKind kind =
            batch.stream == Stream::nondetermined ? PageKind::nondetermined : PageKind::host;
        const SpareHeader header{allocator_.next_sequence(), kind,
                                 table_.info(at->pu, at->superblock).erases};
        batch.program.prepare(environment_, *at, batch.units, header, Cause::host);
        batch.program.op().ledger = ledger;
        batch.program.op().flow = batch.ledger.flow();
        FlashAwaiter programmed(environment_, batch.program.op());
        const hal::FlashStatus status = co_await programmed;
        ok = status == hal::FlashStatus::ok;
        executor.charge(cycles.flash_complete);
        if (ok) {
            co_await map_batch(batch, *at, ledger);
        } else {
            co_await executor.spend(0, ledger);
        }
        counters_.program_failures += ok ? 0 : 1;
        allocator_.program_done(*at, Stream::host, ok);
    }
    if (ledger != nullptr) {
        ledger->enter(Stage::firmware_wait, executor.now());
    }
    if (batch.sorted) {
        co_await release_followers(batch);
    }
    finish(batch, ok, ledger);
    collector_.kick(pu);
    free_batches_.push_back(&batch);
}

/// Brings in what the host has not written of the units.
Task<void> PageMap::fill(Batch& batch, Ledger* ledger) {
    batch.reader.set_flow(batch.ledger.flow());
    counters_.filled_units += batch.fill.prepare(batch.slots);
    co_await batch.fill.run(batch.slots, batch.reader, ledger);
}

void PageMap::finish(Batch& batch, bool ok, Ledger* ledger) {
    for (const Slot slot : batch.slots) {
        if (!buffer_.complete(slot)) {
            buffer_.fail(slot);
        } else if (ok) {
            buffer_.written(slot, ledger);
        } else {
            buffer_.requeue(slot);
        }
    }
}

Task<void> PageMap::map_batch(Batch& batch, SuperpageAddress at, Ledger* ledger) {
    batch.updates.clear();
    for (std::uint32_t i = 0; i < batch.slots.size(); ++i) {
        if (!buffer_.discarded(batch.slots[i]) && buffer_.complete(batch.slots[i])) {
            MapUpdate update{buffer_.lpn(batch.slots[i]), environment_.layout.ppa(at, i)};
            update.tag = batch.slots[i].value;
            batch.updates.push_back(update);
        }
    }
    co_await map_->update(batch.updates, *this, Cause::host, ledger);
    if (dedup_) {
        co_await environment_.executor.spend(0, ledger);  // what its tables took
    }
}

/// Not what was trimmed while the map was being read.
bool PageMap::wanted(const MapUpdate& update) const {
    return update.fresh == kUnmapped || !buffer_.discarded(Slot{update.tag});
}

void PageMap::applied(const MapUpdate& update) {
    if (update.fresh != kUnmapped) {
        table_.mark_valid(update.fresh);
        ++counters_.written_units;
        if (dedup_) {
            dedup_->programmed(Slot{update.tag}, update.lpn, update.fresh);
        }
    }
    if (update.previous != kUnmapped) {
        drop(update.previous);
    }
}

/// A logical page does not refer to `entry` any more.
void PageMap::drop(Ppa entry) {
    const Ppa place = place_of(entry);
    if (is_shared(entry) && !shared_->release(block_of(entry))) {
        return;
    }
    if (dedup_) {
        dedup_->system().forgotten(place);
    }
    invalidate(place);
}

void PageMap::invalidate(Ppa ppa) {
    table_.mark_invalid(ppa);
    collector_.kick(environment_.layout.superpage_of(ppa).pu);
}

Task<void> PageMap::trim(Lpn first, std::uint32_t count, Ledger* ledger) {
    // In pieces, so that other work gets its turn on the core.
    constexpr std::uint32_t kUnitsPerSlice = 256;
    ++trims_;
    const bool noted = log_ && environment_.config.recovery.trims != TrimPersistence::lazy;
    const std::uint64_t number = noted ? log_->begin_trim() : 0;
    std::vector<MapUpdate> updates;
    updates.reserve(std::min(count, kUnitsPerSlice));
    for (std::uint32_t done = 0; done < count;) {
        const std::uint32_t slice = std::min(kUnitsPerSlice, count - done);
        updates.clear();
        map_->read_entries(Lpn{first.value + done}, slice);
        for (std::uint32_t i = 0; i < slice; ++i) {
            const Lpn lpn{first.value + done + i};
            if (!map_->complete() || mapped(lpn)) {
                updates.push_back(MapUpdate{lpn, kUnmapped});
            }
        }
        co_await environment_.executor.spend(std::uint64_t{slice} * environment_.config.cycles.trim_unit,
                                             ledger);
        if (!updates.empty()) {
            co_await map_->update(updates, *this, Cause::host, ledger);
        }
        done += slice;
        co_await environment_.executor.yield(ledger);
    }
    if (noted) {
        log_->end_trim(number, first, count);
    }
    --trims_;
    if (trim_awaited_) {
        buffer_.dirty_signal().notify();
    }
}

Task<bool> PageMap::persist_trims() {
    co_return !log_ || !log_->pending() || co_await log_->persist();
}

Task<bool> PageMap::holds(Lpn lpn, Ledger* ledger) {
    Ppa found = kUnmapped;
    co_await map_->lookup(lpn, std::span(&found, 1), ledger);
    co_await environment_.executor.spend(0, ledger);  // what the look-up has charged
    co_return found != kUnmapped;
}

void PageMap::reset_counters() {
    if (log_) {
        log_->reset_counters();
    }
    counters_ = Counters{};
    collector_.reset_counters();
    if (dedup_) {
        dedup_->reset_counters();
    }
    map_->reset_counters();
}

std::map<std::string, double> PageMap::counters() const {
    const GcCounters& gc = collector_.counters();
    std::map<std::string, double> all{
        {"ftl.written_units", static_cast<double>(counters_.written_units)},
        {"ftl.padded_units", static_cast<double>(counters_.padded_units)},
        {"ftl.filled_units", static_cast<double>(counters_.filled_units)},
        {"ftl.program_failures", static_cast<double>(counters_.program_failures)},
        {"ftl.free_superblocks", static_cast<double>(table_.total_free())},
        {"ftl.retired_superblocks", static_cast<double>(table_.retired())},
        {"gc.victims", static_cast<double>(gc.victims)},
        {"gc.wear_victims", static_cast<double>(gc.wear_victims)},
        {"gc.moved_units", static_cast<double>(gc.moved_units)},
        {"gc.padded_units", static_cast<double>(gc.padded_units)},
        {"gc.copied_back_superpages", static_cast<double>(gc.copied_back_superpages)},
        {"gc.erased_superblocks", static_cast<double>(gc.erased)},
        {"gc.unreadable_units", static_cast<double>(gc.unreadable_units)},
        {"gc.empty_superpages", static_cast<double>(gc.empty_superpages)}};
    if (log_) {
        const LogCounters& log = log_->counters();
        all["log.trim_records"] = static_cast<double>(log.trim_records);
        if (dedup_) {
            all["log.dedup_records"] = static_cast<double>(log.dedup_records);
        }
        all["log.journal_pages"] = static_cast<double>(log.journal_pages);
        all["log.checkpoints"] = static_cast<double>(log.checkpoints);
        all["log.checkpoint_pages"] = static_cast<double>(log.checkpoint_pages);
        all["log.erased_blocks"] = static_cast<double>(log.erased_blocks);
    }
    return all;
}

std::vector<std::string> PageMap::waits() const {
    std::vector<std::string> lines = Translation::waits();
    Pu least{0};
    for (std::uint32_t i = 1; i < environment_.layout.pus(); ++i) {
        least = table_.free_count(Pu{i}) < table_.free_count(least) ? Pu{i} : least;
    }
    lines.push_back("flash: parallel unit " + std::to_string(least.value) + " has the fewest free, " +
                    std::to_string(table_.free_count(least)) + "; writes of the host wait at " +
                    std::to_string(environment_.config.gc.foreground_threshold));
    lines.push_back("flash: programs of the host under way: " + std::to_string(allocator_.host_in_flight()) +
                    "; collection " + (collector_.active() ? "at work" : "at rest"));
    return lines;
}

std::string PageMap::check() const {
    const MediaLayout& layout = environment_.layout;
    std::vector<std::uint32_t> references(shared_ ? shared_->capacity() : 0);
    std::vector<std::uint32_t> valid(std::size_t{layout.pus()} * layout.superblocks());
    for (std::uint32_t lpn = 0; lpn < layout.exported_units(); ++lpn) {
        const Ppa entry = map_->peek(Lpn{lpn});
        const Ppa ppa = place_of(entry);
        if (is_shared(entry)) {
            if (ppa == kUnmapped) {
                return "LPN " + std::to_string(lpn) + " refers to a virtual block that is not in use";
            }
            if (++references[block_of(entry).value] > 1) {
                continue;  // counted already
            }
        }
        if (ppa == kUnmapped) {
            continue;
        }
        if (!table_.is_valid(ppa)) {
            return "LPN " + std::to_string(lpn) + " points to a unit that is not marked valid";
        }
        ++valid[ppa.value / layout.units_per_superblock()];
    }
    for (std::uint32_t index = 0; index < valid.size(); ++index) {
        const Pu pu{index / layout.superblocks()};
        const Superblock superblock{index % layout.superblocks()};
        const SuperblockInfo& info = table_.info(pu, superblock);
        if (info.valid != valid[index]) {
            return "superblock " + std::to_string(superblock.value) + " of parallel unit " +
                   std::to_string(pu.value) + " counts " + std::to_string(info.valid) +
                   " valid units, the map " + std::to_string(valid[index]);
        }
        if (info.state == SuperblockState::free && info.valid != 0) {
            return "a free superblock holds valid units";
        }
    }
    for (std::uint32_t i = 0; i < references.size(); ++i) {
        if (references[i] != shared_->references(VirtualBlock{i})) {
            return "virtual block " + std::to_string(i) + " counts " +
                   std::to_string(shared_->references(VirtualBlock{i})) + " references, the map " +
                   std::to_string(references[i]);
        }
    }
    return map_->check();
}

}  // namespace solidtlm::fw
