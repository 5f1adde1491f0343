// SPDX-License-Identifier: Apache-2.0
//
// Where the page map finds its entries. One policy a file: the whole table in DRAM (full_table), or part of
// it.
#pragma once

#include <memory>
#include <span>

#include "fw/dram_map.h"
#include "fw/environment.h"
#include "fw/runtime/task.h"

namespace solidtlm::fw {

/// One change of the map.
struct MapUpdate {
    Lpn lpn;
    Ppa fresh;                 ///< new place, or kUnmapped
    Ppa expected = kAnyPpa;    ///< apply only if this is the present one
    Ppa previous = kUnmapped;  ///< out: the place before
    bool applied = false;      ///< out

    static constexpr Ppa kAnyPpa{0xFFFF'FFFE};
};

class MapCache {
  public:
    virtual ~MapCache() = default;

    /// Translates found.size() logical pages from `first` on; kUnmapped where nothing was written.
    /// Does not return control to other coroutines between the last entry found and its completion. The last of
    /// the core's work may be left to the caller's next spend() (Executor::charge).
    virtual Task<void> lookup(Lpn first, std::span<Ppa> found, Ledger* ledger) = 0;

    /// Applies `updates` in order.
    virtual Task<void> update(std::span<MapUpdate> updates, Cause cause, Ledger* ledger) = 0;

    /// `lpn` will be asked for or changed soon. Concerns the model's speed alone.
    virtual void prefetch(Lpn lpn) const = 0;

    /// The present translation; costs no time. For checks.
    [[nodiscard]] virtual Ppa peek(Lpn lpn) const = 0;
};

/// The whole table in DRAM, 4 bytes an entry; no misses.
std::unique_ptr<MapCache> make_full_table(Environment& environment, const DramMap& dram_map);

}  // namespace solidtlm::fw
