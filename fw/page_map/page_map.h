// SPDX-License-Identifier: Apache-2.0
//
// Page mapping: every mapping unit may lie anywhere. This class makes every change of the references to a
// page, and owns what works on the pages in use: map, block table, allocation, collection, recovery log.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "fw/buffer/write_buffer.h"
#include "fw/flash/allocator.h"
#include "fw/flash/superblock_table.h"
#include "fw/gc/collector.h"
#include "fw/log/recovery_log.h"
#include "fw/map_cache/map_cache.h"
#include "fw/page_map/lay_down.h"
#include "fw/page_map/page_indirection.h"
#include "fw/page_map/page_map_order.h"
#include "fw/page_map/patrol.h"
#include "fw/translation/lost_pages.h"
#include "fw/translation/translation.h"

namespace solidtlm::fw {

class PageMap : public Translation,
                private MapListener,
                private Relocator,
                private CheckpointSource,
                private ReadHealth {
  public:
    using MakeIndirection = std::unique_ptr<PageIndirection> (*)(PageMap& pages, const DramMap& dram_map);
    /// `make`: null if every entry of the map is a place.
    PageMap(Services& services, const DramMap& dram_map, WriteBuffer& buffer, MakeIndirection make = nullptr);
    ~PageMap() override;

    std::unique_ptr<LogicalReader> make_reader() override;
    void start() override;
    [[nodiscard]] bool recoverable() const override { return true; }
    Task<void> recover(BootReport& report) override;
    void lay_down(AgedFlash& flash, hal::FlashImage& image) override { fw::lay_down(*this, flash, image); }
    Task<void> trim(Lpn first, std::uint32_t count, Ledger* ledger) override;
    Task<bool> persist_trims() override { return persist(); }
    void save(hal::EmergencyFlash& flash) override;
    Task<bool> holds(Lpn lpn, Ledger* ledger) override;
    void prefetch(Lpn lpn) const override { map->prefetch(lpn); }
    [[nodiscard]] std::optional<WriteStop> write_stop() const override;
    [[nodiscard]] bool lost_writes() const override { return lost_pages.size() > 0; }
    [[nodiscard]] bool lost() const override { return silent_planes; }
    [[nodiscard]] bool mapped(Lpn lpn) const override { return map->peek(lpn) != kUnmapped; }
    [[nodiscard]] Ppa locate(Lpn lpn) const override { return place_of(map->peek(lpn)); }
    [[nodiscard]] bool at_rest() const override;
    void serialize(hal::StateArchive& archive) override;
    void probe_changed() override { table.set_probe(services.probe); }
    void reset_counters() override;
    [[nodiscard]] std::uint64_t free_superblocks() const override { return table.free_blocks(); }
    [[nodiscard]] FlashWear wear() const override { return {table.total_erases(), table.retired()}; }
    void tell(hal::Metrics& metrics) const override;
    [[nodiscard]] std::vector<Lpn> unwritten_references() const override {
        return indirection ? indirection->unwritten_references() : std::vector<Lpn>{};
    }
    [[nodiscard]] bool log_pending() const override { return log && log->pending(); }
    [[nodiscard]] std::vector<std::string> waits() const override;
    [[nodiscard]] std::string check() const override;

    /// True if a map entry, or the name in a spare area, is a number of the indirection.
    template <class Name>
    [[nodiscard]] bool is_indirect(Name name) const {
        return indirection && indirection->denotes(name);
    }
    /// The place of the page that a map entry denotes; kUnmapped if there is none.
    [[nodiscard]] Ppa place_of(Ppa entry) const { return indirection ? indirection->place_of(entry) : entry; }
    /// A logical page no longer refers to `entry`, which denotes a page.
    void drop(Ppa entry);
    /// The pages of `updates` have new data, or none: they are lost no longer, and drop what they referred
    /// to.
    void replaced(std::span<const MapUpdate> updates);
    /// After a loss of power: the page at `place` is in use.
    void adopt(Ppa place);

    Services& services;
    WriteBuffer& buffer;
    SuperblockTable table;
    Allocator allocator;
    const std::unique_ptr<MapCache> map;
    const std::unique_ptr<PageIndirection> indirection;  ///< null: every entry is a place
    const std::unique_ptr<RecoveryLog> log;              ///< null without a recovery log
    GarbageCollector collector;
    LostPages lost_pages;
    bool silent_planes = false;            ///< see lost()
    const std::unique_ptr<Patrol> patrol;  ///< null: no pages are read in idle time

  private:
    // MapListener, for TRIM.
    [[nodiscard]] bool wanted(const MapUpdate& /*update*/) const override { return true; }
    void applied(std::span<const MapUpdate> updates, Charge& charge) override;
    // Relocator.
    bool check_names(std::span<Lpn> names) const override;
    void keep_wanted(std::span<MovedRun> runs, bool noted) const override;
    [[nodiscard]] bool must_note(std::span<const MovedRun> runs) const override;
    Task<bool> note() override { return log->persist(); }
    [[nodiscard]] bool wants_order() const override { return map->wants_order(); }
    Task<void> remap(std::span<MapUpdate> updates, MapListener& listener, Cause cause,
                     Charge& charge) override;
    void moved(std::span<const MapUpdate> updates) override;
    Task<bool> may_erase() override { return persist(); }
    [[nodiscard]] std::uint64_t superpages_to_come() const override;
    // ReadHealth.
    void weak(const SuperpageAddress& at) override { collector.move_soon(at); }
    // CheckpointSource.
    Task<void> read_map(Lpn first, std::span<Ppa> found, Charge& charge) override {
        return map->lookup(first, found, nullptr, charge);
    }

    void move_restored();
    Task<bool> persist();
    [[nodiscard]] bool movable(Ppa from, Lpn& name, bool noted) const;

    std::unique_ptr<Destager> destager_;
};

}  // namespace solidtlm::fw
