// SPDX-License-Identifier: Apache-2.0
//
// What an indirection (fw/log/indirection.h) is to the page map: it knows which page an entry denotes and for
// how long, and is told what becomes of pages.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <unordered_map>
#include <vector>

#include "fw/buffer/write_buffer.h"
#include "fw/flash/map_update.h"
#include "fw/hal/metrics.h"
#include "fw/hal/state_archive.h"
#include "fw/log/media_scan.h"

namespace solidtlm::fw {

class Destager;

class PageIndirection : public Indirection {
  public:
    /// Starts the background work.
    virtual void start() = 0;
    virtual std::unique_ptr<Destager> make_destager() = 0;
    /// True if the destager uses both streams of the host.
    [[nodiscard]] virtual bool sets_apart() const = 0;

    /// The place of the page that `entry` denotes; kUnmapped if there is none.
    [[nodiscard]] virtual Ppa place_of(Ppa entry) const = 0;
    /// As place_of(), and the core's next spend() includes finding it.
    virtual Ppa look_up(Ppa entry) = 0;
    /// A logical page no longer refers to `entry`, which denotes a page. Its place if no other one does;
    /// otherwise kUnmapped.
    virtual Ppa release(Ppa entry) = 0;

    /// The page in `slot` was programmed, and `lpn` lies at `place` now. Adds the core's cost to `charge`.
    virtual void programmed(Slot slot, Lpn lpn, Ppa place, Charge& charge) = 0;
    /// The page at `from`, which carries `name`, is to be moved. True if its name has changed since, which
    /// records say that may not be on flash: `name` becomes the present one.
    virtual bool rename(Ppa from, Lpn& name) const = 0;
    /// Of `updates`, carries out those of its numbers, and calls `listener` for those that were applied.
    /// Returns how many are left, at the front.
    virtual std::size_t remap(std::span<MapUpdate> updates, MapListener& listener, Charge& charge) = 0;
    /// Collection has moved pages, and the map has changed.
    virtual void moved(std::span<const MapUpdate> updates) = 0;

    /// After a loss of power: the receiver of what a scan finds, until restore().
    virtual FoundIndirection& begin_search() = 0;
    /// Takes over what was found.
    virtual void restore(const MediaScan& scan) = 0;
    /// After a loss of power: an entry of the map is `place`.
    virtual void found(Ppa place) = 0;

    /// Translation::unwritten_references().
    [[nodiscard]] virtual std::vector<Lpn> unwritten_references() const = 0;
    [[nodiscard]] virtual bool at_rest() const = 0;
    virtual void serialize(hal::StateArchive& archive) = 0;
    virtual void reset_counters() = 0;
    virtual void tell(hal::Metrics& metrics) const = 0;
    /// By number: how many entries of the map are this number.
    using Uses = std::unordered_map<std::uint32_t, std::uint32_t>;
    /// Translation::check(), with the `uses` that the map has.
    [[nodiscard]] virtual std::string check(const Uses& uses) const = 0;
};

}  // namespace solidtlm::fw
