// SPDX-License-Identifier: Apache-2.0
//
// What garbage collection asks of those who know what the pages that it moves are: which of them are still
// wanted and under which name, how the map follows, and what has to be on flash before.
#pragma once

#include <cstdint>
#include <span>

#include "fw/hal/types.h"
#include "fw/media/map_update.h"
#include "fw/runtime/task.h"

namespace solidtlm::fw {

class Relocator {
  public:
    virtual ~Relocator() = default;

    /// Can a spare area carry it as the name of a valid unit? If not, ECC was wrong.
    [[nodiscard]] virtual bool is_name(Lpn name) const = 0;
    /// The unit called `name` was read and is going to be moved. Concerns the model's speed alone.
    virtual void prefetch(Lpn name) const = 0;
    /// Is the valid unit at `from` still to be moved now? Not one whose newer version is being programmed.
    /// `name`: as its spare area says; out: as the copy's has to. `noted`: note() has been waited for.
    [[nodiscard]] virtual bool wanted(Ppa from, Lpn& name, bool noted) const = 0;
    /// Flash must know more of `name` before it is programmed under it: see note().
    [[nodiscard]] virtual bool must_note(Lpn name) const = 0;
    /// Waits until it does, or never will.
    virtual Task<bool> note() = 0;
    /// Units should be programmed in the order of their names.
    [[nodiscard]] virtual bool wants_order() const = 0;
    /// Units were programmed: the map says `fresh` from now on where it says `expected`. Changes the order of
    /// `updates`; `listener` is told of each that was applied. Spends `charge`, or leaves the last of the
    /// core's work in it.
    virtual Task<void> remap(std::span<MapUpdate> updates, MapListener& listener, hal::Cause cause,
                             Charge& charge) = 0;
    /// A unit has been mapped to `to`.
    virtual void moved(Ppa from, Ppa to) = 0;
    /// Waits until nothing that a superblock without valid units holds is needed any more. False: what it
    /// holds may be needed for ever.
    virtual Task<bool> may_erase() = 0;
    /// Superpages that what is not on flash yet may take.
    [[nodiscard]] virtual std::uint64_t superpages_to_come() const = 0;
};

}  // namespace solidtlm::fw
