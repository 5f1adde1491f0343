// SPDX-License-Identifier: Apache-2.0
//
// Garbage collection's questions to the owner of the pages that it moves: which of them are still wanted and
// under which name, how the map follows, and what has to be on flash before.
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

/// Units that follow each other in a page of flash, on their way out of a victim.
struct MovedRun {
    Ppa from;
    DramAddress dram;
    Victim* victim = nullptr;
    std::span<Lpn> names;    ///< of all of them: as the spare area says, or as the copies' have to be
    std::uint64_t held = 0;  ///< a bit for each: its fate is open
    std::uint64_t keep = 0;  ///< a bit for each: of those held, it is still to be moved

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

    /// Units of these names were read and are going to be moved. Takes away a name that no valid unit can
    /// have: if a spare area carries it, ECC was wrong. False: it took some.
    virtual bool check_names(std::span<Lpn> names) const = 0;
    /// Keeps those units of `runs`, all valid if they are kept, that are to be moved now: not one whose newer
    /// version is being programmed. Names may change. `noted`: note() has been waited for.
    virtual void keep_wanted(std::span<MovedRun> runs, bool noted) const = 0;
    /// Flash must know more of those that are kept before they are programmed: see note().
    [[nodiscard]] virtual bool must_note(std::span<const MovedRun> runs) const = 0;
    /// Waits until it does, or never will.
    virtual Task<bool> note() = 0;
    /// Units should be programmed in the order of their names.
    [[nodiscard]] virtual bool wants_order() const = 0;
    /// Units were programmed: the map says `fresh` from now on where it says `expected`. Changes the order of
    /// `updates`; `listener` is told of those that were applied. Spends `charge`, or leaves the last of the
    /// core's work in it.
    virtual Task<void> remap(std::span<MapUpdate> updates, MapListener& listener, hal::Cause cause,
                             Charge& charge) = 0;
    /// The map has changed.
    virtual void moved(std::span<const MapUpdate> updates) = 0;
    /// Waits until nothing that a superblock without valid units holds is needed any more. False: what it
    /// holds may be needed for ever.
    virtual Task<bool> may_erase() = 0;
    /// Superpages that what is not on flash yet may take.
    [[nodiscard]] virtual std::uint64_t superpages_to_come() const = 0;
};

}  // namespace solidtlm::fw
