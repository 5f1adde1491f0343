// SPDX-License-Identifier: Apache-2.0
//
// The pages on flash that are in use: map, valid counts, sharing of pages, moves by collection and records of
// the recovery log. This class makes every change of the references to a page.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "fw/buffer/write_buffer.h"
#include "fw/dedup/dedup.h"
#include "fw/flash/allocator.h"
#include "fw/flash/superblock_table.h"
#include "fw/gc/collector.h"
#include "fw/log/recovery_log.h"
#include "fw/map_cache/map_cache.h"
#include "fw/page_map/patrol.h"
#include "fw/translation/lost_pages.h"

namespace solidtlm::fw {

class DataArea : private PageOwner, private Relocator, private CheckpointSource, private ReadHealth {
  public:
    DataArea(Services& services, const DramMap& dram_map, WriteBuffer& write_buffer);
    DataArea(const DataArea&) = delete;
    DataArea& operator=(const DataArea&) = delete;
    ~DataArea() override;

    /// Starts the background work.
    void start();
    /// True if a map entry, or the name in a spare area, denotes a page that several logical pages share.
    template <class Name>
    [[nodiscard]] bool is_shared(Name name) const {
        return shared && fw::is_shared(name, shared->capacity());
    }
    /// The place of the page that a map entry denotes; kUnmapped if there is none.
    [[nodiscard]] Ppa place_of(Ppa entry) const {
        return is_shared(entry) ? shared->place(block_of(entry)) : entry;
    }
    /// A logical page no longer refers to `entry`.
    void drop(Ppa entry) override;
    /// After a loss of power: the page at `place` is in use.
    void adopt(Ppa place);

    /// True if no page is being moved, erased, recorded or checked, or about to be.
    [[nodiscard]] bool at_rest() const;
    void serialize(hal::StateArchive& archive);
    void probe_changed() { table.set_probe(services.probe); }
    void reset_counters();
    void tell(hal::Metrics& metrics) const;
    /// Describes what collection does and waits for.
    [[nodiscard]] std::vector<std::string> waits() const;
    /// Checks that map, valid counts and references agree; returns a description of the first disagreement,
    /// or an empty string.
    [[nodiscard]] std::string check() const;

    Services& services;
    WriteBuffer& buffer;
    SuperblockTable table;
    Allocator allocator;
    const std::unique_ptr<MapCache> map;
    const std::unique_ptr<SharedPages> shared;  ///< null without deduplication
    const std::unique_ptr<RecoveryLog> log;     ///< null without a recovery log
    const std::unique_ptr<Dedup> dedup;         ///< null without deduplication
    GarbageCollector collector;
    LostPages lost_pages;
    bool lost = false;                     ///< see Translation::lost()
    const std::unique_ptr<Patrol> patrol;  ///< null: no pages are read in idle time

  private:
    // PageOwner.
    [[nodiscard]] bool being_moved(Ppa place) const override { return collector.programming(place); }
    // Relocator.
    bool check_names(std::span<Lpn> names) const override;
    void keep_wanted(std::span<MovedRun> runs, bool noted) const override;
    [[nodiscard]] bool must_note(std::span<const MovedRun> runs) const override;
    Task<bool> note() override { return log->persist(); }
    [[nodiscard]] bool wants_order() const override { return map->wants_order(); }
    Task<void> remap(std::span<MapUpdate> updates, MapListener& listener, Cause cause,
                     Charge& charge) override;
    void moved(std::span<const MapUpdate> updates) override;
    Task<bool> may_erase() override;
    [[nodiscard]] std::uint64_t superpages_to_come() const override;
    // ReadHealth.
    void weak(const SuperpageAddress& at) override { collector.move_soon(at); }
    // CheckpointSource.
    Task<void> read_map(Lpn first, std::span<Ppa> found, Charge& charge) override {
        return map->lookup(first, found, nullptr, charge);
    }
    void read_shared(VirtualBlock first, std::span<Ppa> found, Charge& charge) override;

    [[nodiscard]] bool is_name(Lpn name) const;
    [[nodiscard]] bool wanted(Ppa from, Lpn& name, bool noted) const;

    DramAddress shared_at_;
};

}  // namespace solidtlm::fw
