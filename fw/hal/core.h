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
    /// Calls `alarm` at `at` (not before now). One alarm at a time: a new one replaces the old.
    virtual void set_alarm(Ps at, Completion alarm) = 0;
};

/// What the core does next: nothing until kicked, or busy for a while.
struct Slice {
    bool idle = true;
    std::uint64_t cycles = 0;   ///< instructions, in core clock cycles
    Ps stall{0};                ///< added memory stalls
    Cause cause = Cause::host;  ///< on whose behalf
};

class Program {
  public:
    virtual ~Program() = default;
    /// Runs until the program spends time or has nothing to do. The core calls it again after the slice has
    /// passed, or, when idle, after `kick`.
    virtual Slice step() = 0;
    /// `kick` is to be called whenever an idle program has something to do again.
    virtual void on_work(Completion kick) = 0;
};

}  // namespace solidtlm::hal
