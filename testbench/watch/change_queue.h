// SPDX-License-Identifier: Apache-2.0
//
// Sorts the changes of many signals by time. Blocks announce changes ahead of time; a later announcement
// about a signal replaces everything announced for that signal from the later one's instant on
// (fw/hal/probe.h).
#pragma once

#include <cstdint>
#include <functional>
#include <queue>
#include <utility>
#include <vector>

#include "fw/hal/types.h"

namespace solidtlm::testbench {

class ChangeQueue {
  public:
    using SignalIndex = std::uint32_t;
    /// Called when the value of a signal changes at `at`.
    using Sink = std::function<void(hal::Ps at, SignalIndex signal, std::uint64_t value)>;

    /// Adds a signal whose first value is `value`. Indices count from 0.
    SignalIndex add(std::uint64_t value);
    /// From `at` on, the signal has this value. REQUIRES: `at` is not before the last settle().
    void set(SignalIndex signal, hal::Ps at, std::uint64_t value);
    /// The signal is `value` from `begin` to `end`, then `after`.
    void set_between(SignalIndex signal, hal::Ps begin, hal::Ps end, std::uint64_t value,
                     std::uint64_t after);
    /// Declares everything before `at` final and passes it to `sink`, ordered by time and then by signal. Of
    /// several changes in an instant only the last is passed, and only if the value really changes.
    void settle(hal::Ps at, const Sink& sink);
    /// The signal's value after the last settle().
    [[nodiscard]] std::uint64_t value(SignalIndex signal) const { return signals_[signal].value; }
    [[nodiscard]] std::size_t size() const { return signals_.size(); }

  private:
    struct Change {
        hal::Ps at;
        std::uint64_t value;
    };
    struct Signal {
        std::uint64_t value = 0;
        std::vector<Change> ahead;  ///< ordered by time
    };
    using Due = std::pair<hal::Ps, SignalIndex>;

    hal::Ps settled_{0};
    std::vector<Signal> signals_;
    std::priority_queue<Due, std::vector<Due>, std::greater<>> due_;  ///< entries may be superseded
};

}  // namespace solidtlm::testbench
