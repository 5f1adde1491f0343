// SPDX-License-Identifier: Apache-2.0
//
// A machine is state that lives between instants and knows its next step. A step that only the machine itself
// notices needs no entry of the agenda: it is made later, for its own instant, when a caller comes from
// outside or when the agenda wakes the machine. So there is one code for both ways, a step at a time or many
// in a loop.
//
// Steps get their instant as an argument and never ask for now(). What a step may ask of others is what they
// can do late: DRAM accesses, frames of a data phase. At one instant, entries of the agenda go in the order
// in which they were asked for; so a step has the instant at which it became known, and takes its place by
// that.
#pragma once

#include <utility>

#include "hw/tlm/agenda.h"

namespace solidtlm::hw {

class Machine {
  public:
    static constexpr Ps kNever = Agenda::kNever;

    /// Makes the steps for which the agenda has no entry, up to the entry that runs. Callers from outside
    /// call it first.
    void catch_up() {
        run_until(now());
        if (due_ == now()) {
            interpose();
        }
    }
    /// Another access waits for the DRAM: the end of the machine's own is an entry of the agenda.
    virtual void dram_wanted() = 0;
    /// After what may have begun or ended a step, or ended with an entry.
    virtual void look_again() = 0;

  protected:
    explicit Machine(Agenda& agenda) : agenda_(agenda) {}
    ~Machine() = default;

    void run_until(Ps t) {
        while (due_ < t) {
            step(std::exchange(due_, kNever));
        }
    }
    /// Makes the step that is due at `at`, and sets due_ and known_.
    virtual void step(Ps at) = 0;

    Agenda& agenda_;
    Ps due_ = kNever;  ///< the next step without an entry
    Ps known_{0};      ///< since when

  private:
    void interpose() {
        const Agenda::Interposed interposed(agenda_);
        while (agenda_.passed(due_, known_)) {
            step(std::exchange(due_, kNever));
        }
    }
};

}  // namespace solidtlm::hw
