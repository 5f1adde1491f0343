// SPDX-License-Identifier: Apache-2.0
//
// What garbage collection needs from the owner of the pages that it moves: which units are still wanted and
// under which names, how the map is updated, and what must be on flash before.
#pragma once

#include <bit>
#include <cstdint>
#include <span>

#include "fw/drive/dram_map.h"
#include "fw/flash/map_update.h"
#include "fw/hal/types.h"
#include "fw/runtime/task.h"

namespace solidtlm::fw {

struct Victim;

/// Consecutive units of a flash page that are moved out of a victim.
struct MovedRun {
    Ppa from;
    DramAddress dram;
    Victim* victim = nullptr;
    std::span<Lpn> names;    ///< of all units: as read from the spare area, or as the copies will carry them
    std::uint64_t held = 0;  ///< one bit per unit: its move has not been decided or has not ended
    std::uint64_t keep = 0;  ///< one bit per unit: of those held, it is still to be moved

    [[nodiscard]] Ppa place(std::uint32_t unit) const { return Ppa{from.value + unit}; }
    void drop(std::uint32_t unit) { keep &= ~(std::uint64_t{1} << unit); }
    /// Calls `use(unit)` for each of `units`.
    template <class Use>
    static void for_each(std::uint64_t units, Use use) {
        for (; units != 0; units &= units - 1) {
            use(static_cast<std::uint32_t>(std::countr_zero(units)));
        }
    }
};

class Relocator {
  public:
    virtual ~Relocator() = default;

    /// Units with these names were read and are to be moved. Removes each name that no valid unit can have:
    /// if a spare area carries it, ECC was wrong. False if it removed any.
    virtual bool check_names(std::span<Lpn> names) const = 0;
    /// Of the kept units of `runs`, which are all valid, keeps those that may be moved now; drops a unit
    /// whose newer version is being programmed. May change names. `noted`: note() has been awaited.
    virtual void keep_wanted(std::span<MovedRun> runs, bool noted) const = 0;
    /// True if records about the kept units must be on flash before the units are programmed: see note().
    [[nodiscard]] virtual bool must_note(std::span<const MovedRun> runs) const = 0;
    /// Waits until these records are on flash, or never can be.
    virtual Task<bool> note() = 0;
    /// Units should be programmed in the order of their names.
    [[nodiscard]] virtual bool wants_order() const = 0;
    /// Units were programmed: where the map has `expected`, it has `fresh` from now on. Changes the order of
    /// `updates`; `listener` is called for those that were applied. Spends `charge`, or leaves the last part
    /// of the core's work in it.
    virtual Task<void> remap(std::span<MapUpdate> updates, MapListener& listener, hal::Cause cause,
                             Charge& charge) = 0;
    /// The map has changed.
    virtual void moved(std::span<const MapUpdate> updates) = 0;
    /// Waits until no unit of a superblock without valid units is needed any longer. False if its data may be
    /// needed for ever.
    virtual Task<bool> may_erase() = 0;
    /// Superpages that data which is not on flash yet may take.
    [[nodiscard]] virtual std::uint64_t superpages_to_come() const = 0;
};

}  // namespace solidtlm::fw
