// SPDX-License-Identifier: Apache-2.0
//
// Puts the changes of many signals in the order of time. Blocks announce changes ahead, and a later
// announcement about a signal takes back what was announced from its own instant on (fw/hal/probe.h).
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

    /// A signal that is `value` from the beginning on. Indices count from 0.
    SignalIndex add(std::uint64_t value);
    /// From `at` on the signal is `value`. REQUIRES: `at` not before the last settle().
    void set(SignalIndex signal, hal::Ps at, std::uint64_t value);
    /// From `begin` to `end` it is `value`, then `after`.
    void set_between(SignalIndex signal, hal::Ps begin, hal::Ps end, std::uint64_t value,
                     std::uint64_t after);
    /// Everything before `at` is final: tells it to `sink` in the order of time, and within an instant in the
    /// order of signals; only the last value of an instant, and only real changes.
    void settle(hal::Ps at, const Sink& sink);
    /// After what has been settled.
    [[nodiscard]] std::uint64_t value(SignalIndex signal) const { return signals_[signal].value; }
    [[nodiscard]] std::size_t size() const { return signals_.size(); }

  private:
    struct Change {
        hal::Ps at;
        std::uint64_t value;
    };
    struct Signal {
        std::uint64_t value = 0;
        std::vector<Change> ahead;  ///< in the order of time
    };
    using Due = std::pair<hal::Ps, SignalIndex>;

    hal::Ps settled_{0};
    std::vector<Signal> signals_;
    std::priority_queue<Due, std::vector<Due>, std::greater<>> due_;  ///< may be void
};

}  // namespace solidtlm::testbench
