// SPDX-License-Identifier: Apache-2.0
#include "fw/dedup/dedup.h"

#include "fw/dedup/needs.h"
#include "fw/dedup/sorted_destager.h"
#include "fw/drive/host_activity.h"
#include "fw/hal/check.h"

namespace solidtlm::fw {

Dedup::Dedup(PageMap& pages, const DramMap& dram_map)
    : pages_(pages),
      dram_map_(dram_map),
      shared_(pages.services.config.dedup.shared_pages()),
      sharing_(pages, shared_, dram_map[kSharedPages]),
      system_(dedup_system(pages.services.config.dedup.system.name)
                  .make(DedupTools{pages.services, pages.buffer, shared_, sharing_, counters_, dram_map})),
      wake_(pages.services.executor, "pages wait to be looked at") {}

std::unique_ptr<Destager> Dedup::make_destager() {
    if (system_->sorts_writes()) {
        return std::make_unique<SortedDestager>(pages_, *this);
    }
    return std::make_unique<Destager>(pages_);
}

Task<void> Dedup::work() {
    HostActivity& host = *pages_.services.activity;
    while (true) {
        if (system_->waiting() == 0) {
            co_await wake_.wait();
            continue;
        }
        co_await host.wait_idle();
        ++counters_.idle_periods;
        working_ = true;
        while (system_->waiting() > 0 && !host.busy()) {
            co_await system_->look_at_one();
        }
        working_ = false;
    }
}

Ppa Dedup::look_up(Ppa entry) {
    if (denotes(entry)) {
        sharing_.look_up(block_of(entry));
    }
    return place_of(entry);
}

Ppa Dedup::release(Ppa entry) {
    const Ppa place = place_of(entry);
    if (denotes(entry) && !shared_.release(block_of(entry))) {
        return kUnmapped;
    }
    system_->forgotten(place);
    return place;
}

void Dedup::programmed(Slot slot, Lpn lpn, Ppa place, Charge& charge) {
    system_->programmed(slot, lpn, place, charge);
    if (wake_.has_waiters() && system_->waiting() > 0) {
        wake_.notify();
    }
}

bool Dedup::rename(Ppa from, Lpn& name) const {
    const std::optional<VirtualBlock> block = denotes(name) ? std::nullopt : shared_.find(from);
    if (block) {
        name = name_of(*block);
    }
    return block.has_value();
}

/// Moving a shared page moves it for all logical pages. Has no effect if the last of them is gone meanwhile.
std::size_t Dedup::remap(std::span<MapUpdate> updates, MapListener& listener, Charge& charge) {
    std::size_t unshared = 0;
    for (MapUpdate update : updates) {
        if (!denotes(update.lpn)) {
            updates[unshared++] = update;
        } else if (const VirtualBlock block = block_of(update.lpn); shared_.place(block) == update.expected) {
            shared_.move(block, update.fresh);
            charge += pages_.services.executor.charge(pages_.services.config.cycles.map_update);
            update.previous = update.expected;
            listener.applied({&update, 1}, charge);
        }
    }
    return unshared;
}

void Dedup::moved(std::span<const MapUpdate> updates) {
    for (const MapUpdate& update : updates) {
        system_->moved(update.previous, update.fresh);
    }
}

bool Dedup::is_sound(const LogRecord& record) const {
    return is_sound_record(record, pages_.services.layout, shared_.capacity());
}

void Dedup::read_table(std::uint32_t first, std::span<Ppa> found, Charge& charge) const {
    constexpr std::uint32_t kPerLine = kDramLineBytes / DedupConfig::kSharedPageBytes;
    Executor& executor = pages_.services.executor;
    for (std::uint32_t i = 0; i < found.size(); ++i) {
        const std::uint32_t block = first + i;
        found[i] = shared_.place(VirtualBlock{block});
        if (i == 0 || block % kPerLine == 0) {
            const DramAddress at{dram_map_[kSharedPages].value +
                                 std::uint64_t{block / kPerLine} * kDramLineBytes};
            executor.add_access(
                pages_.services.dram->core_access(at, kDramLineBytes, false, executor.pending_stall()));
        }
    }
    charge += executor.charge(found.size() * pages_.services.config.cycles.unit_lookup);
}

FoundIndirection& Dedup::begin_search() {
    found_ = std::make_unique<FoundSharing>(shared_.capacity(), pages_.services.layout.exported_units());
    return *found_;
}

void Dedup::restore(const MediaScan& scan) {
    for (VirtualBlock block; block.value < shared_.capacity(); ++block) {
        if (const Ppa place = found_->place(block); place != kUnmapped) {
            shared_.restore(block, place);
            pages_.adopt(place);
        }
    }
    scan.each_entry([this](Lpn /*lpn*/, Ppa entry) {
        if (denotes(entry)) {
            shared_.refer(block_of(entry));
        }
    });
    for (const Lpn lpn : found_->implied()) {
        note_refer(*pages_.log, lpn, block_of(scan.newest(lpn)));
    }
    found_.reset();
}

std::string Dedup::check(const Uses& uses) const {
    for (std::uint32_t i = 0; i < shared_.capacity(); ++i) {
        const VirtualBlock block{i};
        const auto found = uses.find(entry_of(block).value);
        const std::uint32_t used = found == uses.end() ? 0 : found->second;
        if (shared_.references(block) != used) {
            return "virtual block " + std::to_string(i) + " counts " +
                   std::to_string(shared_.references(block)) + " references, the map " + std::to_string(used);
        }
    }
    return {};
}

DedupState Dedup::state() const {
    DedupState state;
    state.counters = counters_;
    state.counters.evicted = system_->forgotten_entries() - forgotten_before_;
    state.shared_pages = shared_.used();
    state.references = shared_.references();
    state.waiting = system_->waiting();
    state.table_entries = system_->table_entries();
    state.table_bytes =
        dram_map_.bytes(kSharedPages) + dram_map_.bytes(kDedupTable) + dram_map_.bytes(kUncheckedMarks);
    return state;
}

void Dedup::reset_counters() {
    counters_ = DedupCounters{};
    forgotten_before_ = system_->forgotten_entries();
}

}  // namespace solidtlm::fw
