// SPDX-License-Identifier: Apache-2.0
//
// The time at which a write may use the slots of the write buffer that it has got
// (firmware.write_buffer.admission).
//
// `burst`: at once. Slots come free several at a time, when a superpage has been programmed, and none come
// free while collection holds the dies and buses. Some writes therefore hardly wait, and others wait long.
//
// `even`: at the rate at which the buffer drains. F slots are meant to be free: half of the buffer, or fewer
// if the other half could not hold what flash takes at once, which would slow the drive down. The pacer
// measures W, the time that the last F slots took to come free. With f slots free, it admits one slot every
// W / f. At f = F this is the rate of draining; fewer free slots make it slower, more make it faster. While
// less than half of the slots that are meant to be in use is in use, draining is not the limit, and the pacer
// holds nothing back. It also holds nothing back if the buffer is so small that F is less than the number of
// slots that come free at once.
//
// W counts only time in which the buffer drains: programs are under way, or wait for free flash space. Slots
// that the destager keeps while it waits for more pages of their kind do not drain. While no slot drains, the
// pacer holds nothing back, because only more writes can free space.
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
    std::size_t all = 0;    ///< slots being programmed, or gathered for a program
    std::size_t burst = 0;  ///< slots that come free at the same time
};

class WritePacer {
  public:
    WritePacer(WriteAdmission kind, std::size_t slots, DrainedAtOnce at_once)
        : used_(std::max(slots - slots / 2, at_once.all)), slots_(slots) {
        if (kind == WriteAdmission::even && slots >= used_ + std::max<std::size_t>(at_once.burst, 1)) {
            freed_.resize(slots - used_ + 1);
        }
    }

    /// True if the pacer may hold writes back; otherwise draining() and freed() need not be called.
    [[nodiscard]] bool holds_back() const { return !freed_.empty(); }

    /// The buffer drains from now on (`on`), or no longer does.
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
    /// The time at which a write that has got `slots` may use them; `free`: slots that remain free. There may
    /// be more than all of them: credits without slots (SlotCredits::open_without_slots()).
    [[nodiscard]] Ps turn(std::uint64_t slots, std::uint64_t free, Ps now) {
        if (holds_back() && draining_ && free + used_ / 2 <= slots_) {
            const Ps span = clock(now) - freed_[next_];
            last_ += span / static_cast<std::int64_t>(free + slots) * static_cast<std::int64_t>(slots);
        }
        last_ = std::max(last_, now);
        return last_;
    }

  private:
    /// How long the buffer has been draining in all.
    [[nodiscard]] Ps clock(Ps now) const { return draining_ ? drained_ + (now - since_) : drained_; }

    std::size_t used_;  // slots that are meant to be in use
    std::size_t slots_;
    /// When each of the last slots_ - used_ + 1 slots came free, on clock(); a ring. Empty: burst.
    std::vector<Ps> freed_;
    std::size_t next_ = 0;  // oldest entry of freed_
    Ps last_{0};            // the time that the last turn() returned
    Ps drained_{0};
    Ps since_{0};
    bool draining_ = false;
};

}  // namespace solidtlm::fw
