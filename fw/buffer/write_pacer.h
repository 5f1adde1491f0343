// SPDX-License-Identifier: Apache-2.0
//
// When a write may use the slots of the write buffer that it has got (firmware.write_buffer.admission).
//
// `burst`: at once. Slots come free several at a time, when a superpage has been programmed, and while
// collection holds dies and buses none do; so some writes hardly wait and others long.
//
// `even`: at the rate at which the buffer drains. F slots, half of the buffer, are meant to be free; fewer
// where the other half would be less than what flash takes at once, because then the drive would write more
// slowly. The firmware measures W, the time in which F slots came free last. With f slots free, one is
// admitted every W / f. While F are free, that is the rate of draining; with less it is slower, with more
// faster. While less is in use than half of what is meant to be, draining is not the limit, and nothing is
// held back. Nor is anything in a buffer that is too small for F to be what comes free at once.
//
// W counts only time in which the buffer drains: programs are under way, or wait for free flash space. Slots
// that the destager has taken and keeps until more pages of their kind come do not drain. While nothing does,
// nothing is held back: space would come only with more writes.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "fw/drive/config.h"
#include "fw/hal/types.h"

namespace solidtlm::fw {

/// What flash takes from the write buffer, in slots.
struct DrainedAtOnce {
    std::size_t all = 0;    ///< being programmed, and being gathered for that
    std::size_t burst = 0;  ///< that come free at the same time
};

class WritePacer {
  public:
    WritePacer(WriteAdmission kind, std::size_t slots, DrainedAtOnce at_once)
        : used_(std::max(slots - slots / 2, at_once.all)), slots_(slots) {
        if (kind == WriteAdmission::even && slots >= used_ + std::max<std::size_t>(at_once.burst, 1)) {
            freed_.resize(slots - used_ + 1);
        }
    }

    /// Some writes may be held back; otherwise nothing needs to be told.
    [[nodiscard]] bool holds_back() const { return !freed_.empty(); }

    /// The buffer drains from now on, or no longer.
    void draining(bool on, Ps now) {
        drained_ = clock(now);
        since_ = now;
        draining_ = on;
    }
    void freed(std::uint64_t slots, Ps now) {
        for (std::uint64_t i = 0; i < slots && !freed_.empty(); ++i) {
            freed_[next_] = clock(now);
            next_ = (next_ + 1) % freed_.size();
        }
    }
    /// When a write that has got `slots` may use them; `free`: what is left.
    [[nodiscard]] Ps turn(std::uint64_t slots, std::uint64_t free, Ps now) {
        if (holds_back() && draining_ && slots_ - free >= used_ / 2) {
            const Ps span = clock(now) - freed_[next_];
            last_ += span / static_cast<std::int64_t>(free + slots) * static_cast<std::int64_t>(slots);
        }
        last_ = std::max(last_, now);
        return last_;
    }

  private:
    /// How long the buffer has drained.
    [[nodiscard]] Ps clock(Ps now) const { return draining_ ? drained_ + (now - since_) : drained_; }

    std::size_t used_;  // that are meant to be
    std::size_t slots_;
    /// The last slots_ - used_ slots and one more: when they came free, on clock(); a ring. Empty: burst.
    std::vector<Ps> freed_;
    std::size_t next_ = 0;  // the oldest of these
    Ps last_{0};            // the last turn
    Ps drained_{0};
    Ps since_{0};
    bool draining_ = false;
};

}  // namespace solidtlm::fw
