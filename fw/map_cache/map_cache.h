// SPDX-License-Identifier: Apache-2.0
//
// Where the page map finds its entries: the whole table in DRAM (full_table), or a cache of a part of it
// (cached_map). While a miss of the cache reads flash, other work goes on.
#pragma once

#include <memory>
#include <optional>
#include <span>
#include <string>

#include "fw/drive/dram_map.h"
#include "fw/drive/services.h"
#include "fw/flash/map_update.h"
#include "fw/hal/state_archive.h"
#include "fw/log/boot_report.h"
#include "fw/log/media_scan.h"
#include "fw/map_cache/map_area.h"
#include "fw/map_cache/map_counters.h"
#include "fw/runtime/task.h"

namespace solidtlm::fw {

class MapCache {
  public:
    virtual ~MapCache() = default;

    /// Starts the background work.
    virtual void start() = 0;
    /// Called after a loss of power, before start(): sets the map to the result of `scan`.
    virtual Task<void> restore(const MediaScan& scan, BootReport& report) = 0;
    virtual void serialize(hal::StateArchive& archive) = 0;

    /// Translates found.size() logical pages from `first` on; kUnmapped for pages without data. No other
    /// coroutine runs between the look-up of the last entry and completion. While lookup() waits, entries
    /// found earlier may change: see MapWatch. Spends `charge`, or leaves the last part of the core's work in
    /// it.
    virtual Task<void> lookup(Lpn first, std::span<Ppa> found, Ledger* ledger, Charge& charge) = 0;

    /// Applies `updates`, those of the host in order. Each update is applied and reported to `listener` in
    /// one step; other coroutines may run between two updates. Spends `charge`, or leaves the last part of
    /// the core's work in it.
    virtual Task<void> update(std::span<MapUpdate> updates, MapListener& listener, Cause cause,
                              Ledger* ledger, Charge& charge) = 0;

    /// The core's next spend() includes reading the entries of `count` logical pages from `first` on from
    /// DRAM. Has no effect if they may not be in DRAM: update() then searches for each.
    virtual void read_entries(Lpn /*first*/, std::uint32_t /*count*/) {}

    /// `lpn` will soon be looked up or changed. Affects only the speed of the model.
    virtual void prefetch(Lpn lpn) const = 0;

    /// The present translation; costs no time. For checks.
    [[nodiscard]] virtual Ppa peek(Lpn lpn) const = 0;
    /// How many logical pages from `lpn` on are known, without checking each, never to have been mapped. For
    /// checks of large drives.
    [[nodiscard]] virtual std::uint32_t never_mapped(Lpn /*lpn*/) const { return 0; }
    /// True if the whole map is in DRAM, so that the firmware itself could do what peek() does.
    [[nodiscard]] virtual bool complete() const = 0;
    /// Data collection should write units in the order of their LPNs.
    [[nodiscard]] virtual bool wants_order() const = 0;
    /// True if no flash operation of the map is under way or about to start.
    [[nodiscard]] virtual bool at_rest() const = 0;
    /// Changes of the map can no longer be written to flash.
    [[nodiscard]] virtual bool worn_out() const = 0;
    /// When worn_out() became true. None if it is false, or was true already when the state was loaded.
    [[nodiscard]] virtual std::optional<Ps> worn_out_since() const { return std::nullopt; }
    /// Reports its counters; none if the whole map is in DRAM.
    virtual void tell(hal::Metrics& metrics) const = 0;
    virtual void reset_counters() = 0;
    /// A description of the first contradiction, or an empty string.
    [[nodiscard]] virtual std::string check() const = 0;

  protected:
    friend class MapWatch;
    class MapWatch* watches_ = nullptr;  // results of look-ups that wait for further entries
};

/// Keeps the results of several lookups up to date during its lifetime: the map reports every changed entry
/// to it.
class MapWatch {
  public:
    /// `found[i]` belongs to `lpns[i]`. `lpns` is ascending; both arrays must stay in place.
    MapWatch(MapCache& map, std::span<const Lpn> lpns, std::span<Ppa> found)
        : map_(map), lpns_(lpns), found_(found), next_(map.watches_) {
        if (next_ != nullptr) {
            next_->previous_ = this;
        }
        map.watches_ = this;
    }
    MapWatch(const MapWatch&) = delete;
    MapWatch& operator=(const MapWatch&) = delete;
    ~MapWatch() {
        (previous_ == nullptr ? map_.watches_ : previous_->next_) = next_;
        if (next_ != nullptr) {
            next_->previous_ = previous_;
        }
    }
    void changed(Lpn lpn, Ppa to) {
        for (std::size_t i = 0; i < lpns_.size(); ++i) {
            if (lpns_[i] == lpn) {
                found_[i] = to;
            }
        }
    }
    [[nodiscard]] MapWatch* next() const { return next_; }

  private:
    MapCache& map_;
    std::span<const Lpn> lpns_;
    std::span<Ppa> found_;
    MapWatch* next_;
    MapWatch* previous_ = nullptr;
};

/// The whole table in DRAM, 4 bytes per entry; no misses.
std::unique_ptr<MapCache> make_full_table(Services& services, const DramMap& dram_map);

/// The map that map_cache.policy names.
std::unique_ptr<MapCache> make_map_cache(Services& services, const DramMap& dram_map, Allocator& allocator);

}  // namespace solidtlm::fw
