// SPDX-License-Identifier: Apache-2.0
#include "fw/page_map/page_map.h"

#include <algorithm>

#include "fw/page_map/page_reader.h"
#include "fw/page_map/page_recovery.h"
#include "fw/page_map/sorted_destager.h"

namespace solidtlm::fw {

PageMap::PageMap(Services& services, const DramMap& dram_map, WriteBuffer& buffer)
    : pages_(services, dram_map, buffer) {
    if (pages_.dedup && pages_.dedup->system().sorts_writes()) {
        destager_ = std::make_unique<SortedDestager>(pages_);
    } else {
        destager_ = std::make_unique<Destager>(pages_);
    }
}

PageMap::~PageMap() = default;

std::unique_ptr<LogicalReader> PageMap::make_reader() {
    return std::make_unique<PageReader>(pages_);
}

void PageMap::start() {
    pages_.start();
    destager_->start();
}

std::optional<WriteStop> PageMap::write_stop() const {
    if (pages_.lost) {
        return WriteStop{"part of the flash has not answered since power came back", std::nullopt};
    }
    if (pages_.map->worn_out()) {
        return WriteStop{"no block of the map area is left that could be written",
                         pages_.map->worn_out_since()};
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
    return recover_pages(pages_, report);
}

void PageMap::save(hal::EmergencyFlash& flash) {
    if (pages_.log) {
        pages_.log->save(flash);
    }
}

Task<void> PageMap::trim(Lpn first, std::uint32_t count, Ledger* ledger) {
    // In slices, so that other work gets its turn on the core.
    constexpr std::uint32_t kUnitsPerSlice = 256;
    destager_->trim_begins();
    const bool noted = pages_.log && pages_.services.config.recovery.trims != TrimPersistence::lazy;
    const std::uint64_t number = noted ? pages_.log->begin_trim() : 0;
    std::vector<MapUpdate> updates;
    updates.reserve(std::min(count, kUnitsPerSlice));
    for (std::uint32_t done = 0; done < count;) {
        const std::uint32_t slice = std::min(kUnitsPerSlice, count - done);
        updates.clear();
        pages_.map->read_entries(Lpn{first.value + done}, slice);
        for (std::uint32_t i = 0; i < slice; ++i) {
            const Lpn lpn{first.value + done + i};
            if (!pages_.map->complete() || mapped(lpn)) {
                updates.push_back(MapUpdate{lpn, kUnmapped});
            }
        }
        co_await pages_.services.executor.spend(
            std::uint64_t{slice} * pages_.services.config.cycles.trim_unit, ledger);
        if (!updates.empty()) {
            Charge charge;
            co_await pages_.map->update(updates, *this, Cause::host, ledger, charge);
        }
        done += slice;
        co_await pages_.services.executor.yield(ledger);
    }
    if (noted) {
        pages_.log->end_trim(number, first, count);
    }
    destager_->trim_ends();
}

Task<bool> PageMap::persist_trims() {
    co_return !pages_.log || !pages_.log->pending() || co_await pages_.log->persist();
}

Task<bool> PageMap::holds(Lpn lpn, Ledger* ledger) {
    Ppa found = kUnmapped;
    Charge charge;
    co_await pages_.map->lookup(lpn, std::span(&found, 1), ledger, charge);
    co_await pages_.services.executor.spend(charge, 0, ledger);  // the cost of the look-up
    co_return found != kUnmapped;
}

void PageMap::applied(std::span<const MapUpdate> updates, Charge& /*charge*/) {
    for (const MapUpdate& update : updates) {
        pages_.lost_pages.erase(update.lpn);
        if (update.previous != kUnmapped) {
            pages_.drop(update.previous);
        }
    }
}

bool PageMap::at_rest() const {
    return pages_.allocator.host_in_flight() == 0 && pages_.at_rest();
}

void PageMap::reset_counters() {
    destager_->reset_counters();
    pages_.reset_counters();
}

void PageMap::tell(hal::Metrics& metrics) const {
    destager_->counters().tell(metrics, pages_.services.config.slc_cache.any());
    pages_.tell(metrics);
}

std::vector<std::string> PageMap::waits() const {
    std::vector<std::string> lines = Translation::waits();
    for (std::string& line : pages_.waits()) {
        lines.push_back(std::move(line));
    }
    return lines;
}

}  // namespace solidtlm::fw
