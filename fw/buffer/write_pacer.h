// SPDX-License-Identifier: Apache-2.0
//
// When a write may use the slots of the write buffer that it has got (firmware.write_buffer.admission).
//
// `burst`: at once. Slots come free several at a time, when a superpage has been programmed, and while
// collection holds dies and buses none do; so some writes hardly wait and others long.
//
// `even`: at the rate at which the buffer drains. The firmware measures W, the time in which half of the
// slots came free last. With f slots free, one is admitted every W / f. While half of the buffer is free,
// that is the rate of draining; with less it is slower, with more faster, so the buffer stays about half
// full, and draining finds as much to do as before. While less than a quarter is in use, draining is not the
// limit, and nothing is held back.
//
// W counts only time in which the buffer drains: programs are under way, or wait for free flash space.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "fw/drive/config.h"
#include "fw/hal/types.h"

namespace solidtlm::fw {

class WritePacer {
  public:
    WritePacer(WriteAdmission kind, std::size_t slots)
        : slots_(slots), freed_(kind == WriteAdmission::even ? slots / 2 + 1 : 0) {}

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
        if (holds_back() && free <= slots_ - slots_ / 4) {
            const Ps half = clock(now) - freed_[next_];
            last_ += half / static_cast<std::int64_t>(free + slots) * static_cast<std::int64_t>(slots);
        }
        last_ = std::max(last_, now);
        return last_;
    }

  private:
    /// How long the buffer has drained.
    [[nodiscard]] Ps clock(Ps now) const { return draining_ ? drained_ + (now - since_) : drained_; }

    std::size_t slots_;
    /// The last half of the slots and one more: when they came free, on clock(); a ring. Empty: burst.
    std::vector<Ps> freed_;
    std::size_t next_ = 0;  // the oldest of these
    Ps last_{0};            // the last turn
    Ps drained_{0};
    Ps since_{0};
    bool draining_ = false;
};

}  // namespace solidtlm::fw
