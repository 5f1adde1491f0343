// SPDX-License-Identifier: Apache-2.0
//
// The contract between the firmware core (hw/core: an SC_THREAD that charges cycles) and the program it runs.
#pragma once

#include <cstdint>

#include "fw/hal/completion.h"
#include "fw/hal/types.h"

namespace solidtlm::hal {

class Clock {
  public:
    virtual ~Clock() = default;
    [[nodiscard]] virtual Ps now() const = 0;
    /// Calls `alarm` at `at` (not before now). There is one alarm at a time: a new one replaces the old one.
    virtual void set_alarm(Ps at, Completion alarm) = 0;
};

/// What the core does next: it is busy for a while, or idle until kicked.
struct Slice {
    bool idle = true;
    std::uint64_t cycles = 0;   ///< instructions, in core clock cycles
    Ps stall{0};                ///< memory stalls in addition
    Cause cause = Cause::host;  ///< on whose behalf the core works
    bool begins_turn = true;    ///< another piece of work had the core before
    bool others_ready = false;  ///< other pieces of work wait for the core when the slice begins

    /// How long its turn has taken after this slice, whose execution takes `execution`, as cycles or as time;
    /// `before`: after the slice before. Counts from the first slice on at whose begin others are ready.
    template <class Duration>
    [[nodiscard]] Duration turn_after(Duration before, Duration execution) const {
        return (begins_turn ? Duration{} : before) + (others_ready ? execution : Duration{});
    }
};

class Program {
  public:
    virtual ~Program() = default;
    /// Runs until the program spends time or has nothing to do. The core calls it again when the slice has
    /// passed or, if idle, after `kick`.
    virtual Slice step() = 0;
    /// An idle program calls `kick` when it has something to do again.
    virtual void on_work(Completion kick) = 0;
};

}  // namespace solidtlm::hal
