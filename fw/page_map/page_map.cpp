// SPDX-License-Identifier: Apache-2.0
#include "fw/page_map/page_map.h"

#include <algorithm>

#include "fw/flash/backup_flash.h"
#include "fw/flash/block_modes.h"
#include "fw/flash/needs.h"
#include "fw/log/needs.h"
#include "fw/page_map/destager.h"
#include "fw/page_map/page_reader.h"
#include "fw/page_map/page_recovery.h"
#include "fw/translation/layer_metrics.h"
#include "fw/translation/trim_slice.h"

namespace solidtlm::fw {

PageMap::PageMap(Services& env, const DramMap& dram_map, WriteBuffer& write_buffer, MakeIndirection make)
    : services(env),
      buffer(write_buffer),
      table(env.layout, env.config.wear.dynamic),
      allocator(env, table, write_buffer.destager_wakeup()),
      map(make_map_cache(env, dram_map, allocator)),
      indirection(make == nullptr ? nullptr : make(*this, dram_map)),
      log(env.layout.superblocks(kLogArea) == 0
              ? nullptr
              : std::make_unique<RecoveryLog>(
                    env, RecoveryLog::Parts{allocator, *this, *env.pages, indirection.get()},
                    dram_map[kLogBuffers])),
      collector(env, table, allocator, *this, dram_map[kMovedPages]),
      patrol(env.config.reliability.patrol > Ps{0} ? std::make_unique<Patrol>(env, table) : nullptr),
      destager_(indirection ? indirection->make_destager() : std::make_unique<Destager>(*this)) {
    if (env.config.reliability.reclaim_bits > 0) {
        env.health = this;
    }
    if (data_has_modes(env.config)) {
        env.modes = &table;
    }
}

PageMap::~PageMap() = default;

std::unique_ptr<LogicalReader> PageMap::make_reader() {
    return std::make_unique<PageReader>(*this);
}

void PageMap::start() {
    map->start();
    if (log) {
        log->start();
    }
    probe_changed();
    collector.start();
    move_restored();
    if (patrol) {
        patrol->start();
    }
    if (indirection) {
        indirection->start();
    }
    destager_->start();
}

/// What only a copy has takes room that other copies need.
void PageMap::move_restored() {
    for (std::uint32_t pu = 0; services.backup != nullptr && pu < services.layout.pus(); ++pu) {
        for (const SuperpageAddress& at : services.backup->restored(Pu{pu})) {
            collector.move_soon(at);
        }
    }
}

std::optional<WriteStop> PageMap::write_stop() const {
    if (silent_planes) {
        return WriteStop{"part of the flash has not answered since power came back", std::nullopt};
    }
    if (map->worn_out()) {
        return WriteStop{"no block of the map area is left that could be written", map->worn_out_since()};
    }
    if (services.backup != nullptr && services.backup->worn_out()) {
        return WriteStop{"no superblock is left for copies of lower pages",
                         services.backup->worn_out_since()};
    }
    if (destager_->read_only()) {
        return WriteStop{
            "no superblock is free beyond what the write buffer may need, nor will collection "
            "free one",
            destager_->read_only_since()};
    }
    return std::nullopt;
}

Task<void> PageMap::recover(BootReport& report) {
    return recover_pages(*this, report);
}

void PageMap::save(hal::EmergencyFlash& flash) {
    if (log) {
        log->save(flash);
    }
}

Task<void> PageMap::trim(Lpn first, std::uint32_t count, Ledger* ledger) {
    destager_->trim_begins();
    const bool noted = log && services.config.recovery.trims != TrimPersistence::lazy;
    std::uint64_t number = 0;
    if (noted) {
        if (!log->may_begin_trim()) {
            co_await log->wait_for_trim(ledger);
        }
        number = log->begin_trim();
    }
    std::vector<MapUpdate> updates;
    updates.reserve(std::min(count, kTrimSlice));
    for (std::uint32_t done = 0; done < count;) {
        const std::uint32_t slice = std::min(kTrimSlice, count - done);
        updates.clear();
        map->read_entries(Lpn{first.value + done}, slice);
        for (std::uint32_t i = 0; i < slice; ++i) {
            const Lpn lpn{first.value + done + i};
            if (!map->complete() || mapped(lpn)) {
                updates.push_back(MapUpdate{lpn, kUnmapped});
            }
        }
        co_await services.executor.spend(std::uint64_t{slice} * services.config.cycles.trim_unit, ledger);
        if (!updates.empty()) {
            Charge charge;
            co_await map->update(updates, *this, Cause::host, ledger, charge);
        }
        done += slice;
        co_await services.executor.yield(ledger);
    }
    if (noted) {
        log->end_trim(number, first, count);
    }
    destager_->trim_ends();
}

void PageMap::applied(std::span<const MapUpdate> updates, Charge& /*charge*/) {
    replaced(updates);
}

/// After TRIMs; and before an erase: the newest copy of a trimmed page must not disappear before the older
/// ones, and no copy may disappear before it is recorded which page its logical page refers to.
Task<bool> PageMap::persist() {
    const bool noted = !log || !log->pending() || co_await log->persist();
    co_return noted;
}

Task<bool> PageMap::holds(Lpn lpn, Ledger* ledger) {
    Ppa found = kUnmapped;
    Charge charge;
    co_await map->lookup(lpn, std::span(&found, 1), ledger, charge);
    co_await services.executor.spend(charge, 0, ledger);  // the cost of the look-up
    co_return found != kUnmapped;
}

bool PageMap::at_rest() const {
    return allocator.host_in_flight() == 0 && collector.at_rest() && map->at_rest() &&
           (!log || log->at_rest()) && (!indirection || indirection->at_rest()) &&
           (!patrol || patrol->at_rest());
}

void PageMap::serialize(hal::StateArchive& archive) {
    archive(table, allocator, *map, collector, lost_pages, silent_planes);
    if (indirection) {
        archive(*indirection);
    }
    if (log) {
        archive(*log);
    }
    if (patrol) {
        archive(*patrol);
    }
    archive(*destager_);
}

void PageMap::reset_counters() {
    destager_->reset_counters();
    if (log) {
        log->reset_counters();
    }
    collector.reset_counters();
    if (patrol) {
        patrol->reset_counters();
    }
    if (indirection) {
        indirection->reset_counters();
    }
    map->reset_counters();
}

void PageMap::tell(hal::Metrics& metrics) const {
    destager_->counters().tell(metrics, services.config.slc_cache);
    tell_space(metrics, table.free_blocks(), table.retired());
    collector.tell(metrics);
    if (patrol) {
        patrol->tell(metrics);
    }
    if (log) {
        log->tell(metrics);
    }
    map->tell(metrics);
    if (indirection) {
        indirection->tell(metrics);
    }
}

std::vector<std::string> PageMap::waits() const {
    std::vector<std::string> lines = Translation::waits();
    Pu least{0};
    for (std::uint32_t i = 1; i < services.layout.pus(); ++i) {
        least = table.free_count(Pu{i}) < table.free_count(least) ? Pu{i} : least;
    }
    lines.push_back("flash: parallel unit " + std::to_string(least.value) + " has the fewest free, " +
                    std::to_string(table.free_count(least)) + "; writes of the host wait at " +
                    std::to_string(services.config.kept_superblocks()));
    lines.push_back("flash: programs of the host under way: " + std::to_string(allocator.host_in_flight()) +
                    "; collection " + (collector.active() ? "at work" : "at rest"));
    return lines;
}

}  // namespace solidtlm::fw
