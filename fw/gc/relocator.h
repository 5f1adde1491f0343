// SPDX-License-Identifier: Apache-2.0
//
// What garbage collection asks of those who know what the pages that it moves are: which of them are still
// wanted and under which name, how the map follows, and what has to be on flash before.
#pragma once

#include <cstdint>
#include <span>

#include "fw/drive/dram_map.h"
#include "fw/hal/types.h"
#include "fw/media/map_update.h"
#include "fw/runtime/task.h"

namespace solidtlm::fw {

struct Victim;

/// A unit on its way out of a victim.
struct MovedUnit {
    Ppa from;
    Lpn name{kNoLpn};  ///< as its spare area says, or as the copy's has to
    DramAddress dram;
    Victim* victim = nullptr;
    bool keep = true;  ///< still to be moved
};

class Relocator {
  public:
    virtual ~Relocator() = default;

    /// `units` were read and are going to be moved. Takes away a name that no valid unit can have: if a spare
    /// area carries it, ECC was wrong.
    virtual void check_names(std::span<MovedUnit> units) const = 0;
    /// Keeps those of `units`, all valid if they are kept, that are to be moved now: not one whose newer
    /// version is being programmed. Names may change. `noted`: note() has been waited for.
    virtual void keep_wanted(std::span<MovedUnit> units, bool noted) const = 0;
    /// Flash must know more of those that are kept before they are programmed: see note().
    [[nodiscard]] virtual bool must_note(std::span<const MovedUnit> units) const = 0;
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
