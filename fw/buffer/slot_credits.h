// SPDX-License-Identifier: Apache-2.0
//
// Which writes may take slots of the write buffer, in which order, and how their waits are accounted.
#pragma once

#include <algorithm>
#include <string>
#include <vector>

#include "fw/buffer/write_pacer.h"
#include "fw/runtime/semaphore.h"

namespace solidtlm::fw {

class SlotCredits {
  public:
    SlotCredits(Executor& executor, std::size_t slots, WriteAdmission admission, DrainedAtOnce at_once)
        : executor_(executor),
          slots_(executor, "write buffer slots", slots),
          gate_(executor, "turn to take write buffer slots", 1),
          pacer_(admission, slots, at_once),
          count_(slots) {}

    /// A credit for each slot.
    [[nodiscard]] Semaphore& slots() { return slots_; }
    /// Lets one write at a time acquire credits, in the order of the data phases. The writes after it wait
    /// for the same reason as the first: for space, or (gate_on_link) for its data.
    [[nodiscard]] Semaphore& gate() { return gate_; }
    void gate_on_link(bool on_link) {
        gate_on_link_ = on_link;
        gate_.set_wait_stage(on_link ? Stage::link_wait : stall_stage_);
    }
    /// The time at which a write may use the `credits` that it has got.
    [[nodiscard]] Ps turn(std::uint32_t credits) {
        return pacer_.turn(credits, slots_.available(), executor_.now());
    }
    /// Slots are being programmed or wait for free flash space, from now on (`on`) or no longer.
    void draining(bool on) {
        if (pacer_.holds_back()) {
            pacer_.draining(on, executor_.now());
        }
    }
    /// The stage that waits for slots count as.
    [[nodiscard]] Stage stall_stage() const { return stall_stage_; }

    /// Takes back credits whose slots are free again or were not used.
    void give_back(std::uint32_t credits) {
        if (pacer_.holds_back()) {
            pacer_.freed(credits, executor_.now());
        }
        if (lent_ == 0 || lending_) {
            slots_.release(credits);
            return;
        }
        const std::uint64_t repaid = std::min<std::uint64_t>(lent_, credits);
        lent_ -= repaid;
        slots_.retire(repaid);
        slots_.release(credits - repaid);
    }
    /// Issues credits without slots, enough for one segment after the other.
    void open_without_slots() {
        lending_ = true;
        lent_ += count_;
        slots_.lend(count_);
    }
    /// Stops issuing credits without slots; outstanding ones are absorbed when they are returned.
    void close_again() {
        lending_ = false;
        const std::uint64_t back = std::min(lent_, slots_.available());
        lent_ -= back;
        slots_.withdraw(back);
    }
    /// From now on waits for slots count as `stage`.
    void set_stall_stage(Stage stage) {
        stall_stage_ = stage;
        slots_.set_wait_stage(stage);
        gate_on_link(gate_on_link_);
    }
    /// Appends a description of the waiters.
    void describe(std::vector<std::string>& lines) const {
        if (slots_.has_waiters()) {
            lines.push_back("write buffer: " + std::to_string(slots_.waiters()) +
                            " waiting for slots, the first for " + std::to_string(slots_.first_wanted()) +
                            " of them; not promised: " + std::to_string(slots_.available()));
        }
        if (gate_.has_waiters()) {
            lines.push_back("write buffer: " + std::to_string(gate_.waiters()) +
                            " waiting for their turn behind it");
        }
    }

  private:
    Executor& executor_;
    Semaphore slots_;
    Semaphore gate_;
    WritePacer pacer_;
    std::uint64_t count_;
    std::uint64_t lent_ = 0;  // credits without slots
    bool lending_ = false;
    bool gate_on_link_ = false;
    Stage stall_stage_ = Stage::write_buffer_stall;
};

}  // namespace solidtlm::fw
