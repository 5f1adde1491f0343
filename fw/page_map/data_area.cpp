// SPDX-License-Identifier: Apache-2.0
#include "fw/page_map/data_area.h"

#include <algorithm>

#include "fw/dedup/needs.h"
#include "fw/flash/needs.h"
#include "fw/log/needs.h"
#include "fw/translation/layer_metrics.h"

namespace solidtlm::fw {

DataArea::DataArea(Services& env, const DramMap& dram_map, WriteBuffer& write_buffer)
    : services(env),
      buffer(write_buffer),
      table(env.layout, env.config.wear.dynamic),
      allocator(env, table, write_buffer.destager_wakeup()),
      map(make_map_cache(env, dram_map, allocator)),
      shared(!env.config.dedup.any() ? nullptr : std::make_unique<SharedPages>(virtual_blocks(env.config))),
      log(env.layout.superblocks(kLogArea) == 0
              ? nullptr
              : std::make_unique<RecoveryLog>(env, RecoveryLog::Parts{allocator, *this, *env.pages},
                                              dram_map[kLogBuffers])),
      dedup(!shared ? nullptr
                    : std::make_unique<Dedup>(
                          env, dram_map, Sharing::Parts{*shared, table, *map, write_buffer, *log, *this})),
      collector(env, table, allocator, *this, dram_map[kMovedPages]),
      patrol(env.config.reliability.patrol > Ps{0} ? std::make_unique<Patrol>(env, table) : nullptr),
      shared_at_(dram_map[kSharedPages]) {
    if (env.config.reliability.reclaim_bits > 0) {
        env.health = this;
    }
    if (env.config.slc_cache.any()) {
        env.modes = &table;
    }
}

DataArea::~DataArea() = default;

void DataArea::start() {
    map->start();
    if (log) {
        log->start();
    }
    probe_changed();
    collector.start();
    if (patrol) {
        patrol->start();
    }
    if (dedup) {
        dedup->start();
    }
}

void DataArea::drop(Ppa entry) {
    const Ppa place = place_of(entry);
    if (is_shared(entry) && !shared->release(block_of(entry))) {
        return;
    }
    if (dedup) {
        dedup->system().forgotten(place);
    }
    table.mark_invalid(place);
    collector.kick(services.layout.pu_of(place));
}

void DataArea::adopt(Ppa place) {
    table.mark_valid(place);
    if (dedup) {
        dedup->system().found(place);
    }
}

bool DataArea::is_name(Lpn name) const {
    return is_shared(name) || name.value < services.layout.exported_units();
}

bool DataArea::check_names(std::span<Lpn> names) const {
    bool all = true;
    for (Lpn& name : names) {
        if (!is_name(name)) {
            name = kNoLpn;
            all = false;
        } else if (!is_shared(name)) {
            map->prefetch(name);
        }
    }
    return all;
}

/// True if the unit should be moved. A shared page gets the name of its virtual block.
bool DataArea::wanted(Ppa from, Lpn& name, bool noted) const {
    if (shared && !is_shared(name)) {
        if (const auto block = shared->find(from); block) {
            name = name_of(*block);
            return !noted;  // just became shared, which is not recorded on flash yet
        }
    }
    return !buffer.programming(name);  // a shared page may stay where it is: other logical pages refer to it
}

void DataArea::keep_wanted(std::span<MovedRun> runs, bool noted) const {
    if (!shared && !buffer.programming()) {
        return;  // all are wanted
    }
    for (MovedRun& run : runs) {
        MovedRun::for_each(run.keep, [&](std::uint32_t unit) {
            if (!wanted(run.place(unit), run.names[unit], noted)) {
                run.drop(unit);
            }
        });
    }
}

/// Before a shared page is programmed under the name of its virtual block, the share record must be on flash.
/// Otherwise, after a loss of power, the name might be taken for that of an earlier virtual block.
bool DataArea::must_note(std::span<const MovedRun> runs) const {
    bool shares = false;
    for (const MovedRun& run : shared && log->pending() ? runs : std::span<const MovedRun>()) {
        MovedRun::for_each(run.keep, [&](std::uint32_t unit) { shares |= is_shared(run.names[unit]); });
    }
    return shares;
}

/// Moving a shared page moves it for all logical pages. Has no effect if the last of them is gone meanwhile.
Task<void> DataArea::remap(std::span<MapUpdate> updates, MapListener& listener, Cause cause, Charge& charge) {
    if (!shared) {
        return map->update(updates, listener, cause, nullptr, charge);
    }
    std::size_t unshared = 0;
    for (MapUpdate update : updates) {
        if (!is_shared(update.lpn)) {
            updates[unshared++] = update;
        } else if (const VirtualBlock block = block_of(update.lpn); shared->place(block) == update.expected) {
            shared->move(block, update.fresh);
            charge += services.executor.charge(services.config.cycles.map_update);
            update.previous = update.expected;
            listener.applied({&update, 1}, charge);
        }
    }
    return map->update(updates.first(unshared), listener, cause, nullptr, charge);
}

void DataArea::moved(std::span<const MapUpdate> updates) {
    if (dedup) {
        for (const MapUpdate& update : updates) {
            dedup->system().moved(update.previous, update.fresh);
        }
    }
}

/// Records must be on flash before an erase: the newest copy of a trimmed page must not disappear before the
/// older ones, and no copy may disappear before it is recorded which page its logical page shares.
Task<bool> DataArea::may_erase() {
    const bool noted = !log || !log->pending() || co_await log->persist();
    co_return noted;
}

std::uint64_t DataArea::superpages_to_come() const {
    const MediaLayout& layout = services.layout;
    const std::uint64_t superpage = std::uint64_t{layout.units_per_superpage()} * layout.unit_bytes();
    return services.config.write_buffer.size_bytes / superpage + buffer.dirty().lists();
}

void DataArea::read_shared(VirtualBlock first, std::span<Ppa> found, Charge& charge) {
    constexpr std::uint32_t kPerLine = kDramLineBytes / kSharedPageBytes;
    Executor& executor = services.executor;
    for (std::uint32_t i = 0; i < found.size(); ++i) {
        const std::uint32_t block = first.value + i;
        found[i] = shared->place(VirtualBlock{block});
        if (i == 0 || block % kPerLine == 0) {
            const DramAddress at{shared_at_.value + std::uint64_t{block / kPerLine} * kDramLineBytes};
            executor.add_access(
                services.dram->core_access(at, kDramLineBytes, false, executor.pending_stall()));
        }
    }
    charge += executor.charge(found.size() * services.config.cycles.unit_lookup);
}

bool DataArea::at_rest() const {
    return collector.at_rest() && map->at_rest() && (!log || log->at_rest()) &&
           (!dedup || dedup->at_rest()) && (!patrol || patrol->at_rest());
}

void DataArea::serialize(hal::StateArchive& archive) {
    archive(table, allocator, *map, collector, lost_pages, lost);
    if (shared) {
        archive(*shared, *dedup);
    }
    if (log) {
        archive(*log);
    }
    if (patrol) {
        archive(*patrol);
    }
}

void DataArea::reset_counters() {
    if (log) {
        log->reset_counters();
    }
    collector.reset_counters();
    if (patrol) {
        patrol->reset_counters();
    }
    if (dedup) {
        dedup->reset_counters();
    }
    map->reset_counters();
}

void DataArea::tell(hal::Metrics& metrics) const {
    tell_space(metrics, table.free_blocks(), table.retired());
    collector.counters().tell(metrics);
    if (services.health != nullptr) {
        collector.counters().tell_reclaimed(metrics);
    }
    if (services.config.slc_cache.any()) {
        collector.counters().tell_folded(metrics);
        std::uint64_t free = 0;
        for (std::uint32_t pu = 0; pu < services.layout.pus(); ++pu) {
            free += allocator.free_for_cache(Pu{pu});
        }
        metrics.state("slc_cache.free_superblocks", "superblocks",
                      "the part of ftl.free_superblocks that is in the SLC cache", free);
    }
    if (patrol) {
        patrol->tell(metrics);
    }
    if (log) {
        log->counters().tell(metrics, dedup != nullptr);
    }
    map->tell(metrics);
    if (dedup) {
        dedup->state().tell(metrics);
    }
}

std::vector<std::string> DataArea::waits() const {
    Pu least{0};
    for (std::uint32_t i = 1; i < services.layout.pus(); ++i) {
        least = table.free_count(Pu{i}) < table.free_count(least) ? Pu{i} : least;
    }
    return {"flash: parallel unit " + std::to_string(least.value) + " has the fewest free, " +
                std::to_string(table.free_count(least)) + "; writes of the host wait at " +
                std::to_string(services.config.kept_superblocks()),
            "flash: programs of the host under way: " + std::to_string(allocator.host_in_flight()) +
                "; collection " + (collector.active() ? "at work" : "at rest")};
}

std::string DataArea::check() const {
    const MediaLayout& layout = services.layout;
    std::vector<std::uint32_t> references(shared ? shared->capacity() : 0);
    std::vector<std::uint32_t> valid(std::size_t{layout.pus()} * layout.superblocks());
    for (std::uint32_t lpn = 0; lpn < layout.exported_units(); ++lpn) {
        if (const std::uint32_t never = map->never_mapped(Lpn{lpn}); never > 0) {
            lpn += never - 1;
            continue;
        }
        const Ppa entry = map->peek(Lpn{lpn});
        const Ppa ppa = place_of(entry);
        if (is_shared(entry)) {
            if (ppa == kUnmapped) {
                return "LPN " + std::to_string(lpn) + " refers to a virtual block that is not in use";
            }
            if (++references[block_of(entry).value] > 1) {
                continue;  // already counted
            }
        }
        if (ppa == kUnmapped) {
            continue;
        }
        if (!table.is_valid(ppa)) {
            return "LPN " + std::to_string(lpn) + " points to a unit that is not marked valid";
        }
        ++valid[ppa.value / layout.units_per_superblock()];
    }
    for (std::uint32_t index = 0; index < valid.size(); ++index) {
        const Pu pu{index / layout.superblocks()};
        const Superblock superblock{index % layout.superblocks()};
        const BlockInfo& info = table.info(pu, superblock);
        if (info.valid != valid[index]) {
            return "superblock " + std::to_string(superblock.value) + " of parallel unit " +
                   std::to_string(pu.value) + " counts " + std::to_string(info.valid) +
                   " valid units, the map " + std::to_string(valid[index]);
        }
        if (info.state == BlockState::free && info.valid != 0) {
            return "a free superblock holds valid units";
        }
    }
    for (std::uint32_t i = 0; i < references.size(); ++i) {
        if (references[i] != shared->references(VirtualBlock{i})) {
            return "virtual block " + std::to_string(i) + " counts " +
                   std::to_string(shared->references(VirtualBlock{i})) + " references, the map " +
                   std::to_string(references[i]);
        }
    }
    return map->check();
}

}  // namespace solidtlm::fw
