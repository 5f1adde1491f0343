// SPDX-License-Identifier: Apache-2.0
//
// The base class of machines: state that outlives an instant and knows when its next step is due. A step that
// only the machine itself notices needs no entry of the agenda: the machine makes it later, for the instant
// at which it was due, when another block calls or when the agenda wakes the machine. So the same code makes
// steps one at a time or many in a loop.
//
// A step gets its instant as an argument and never asks for now(). It may ask other blocks only for work that
// they can do late: DRAM accesses, frames of a data phase. Entries of one instant run in the order in which
// they were requested; a late step is placed among them by the instant at which the machine knew of it.
#pragma once

#include <utility>

#include "hw/tlm/agenda.h"

namespace solidtlm::hw {

class Machine {
  public:
    static constexpr Ps kNever = Agenda::kNever;

    /// Makes the steps that have no entry in the agenda, up to the place of the running entry. Other blocks
    /// call it before they call the machine.
    void catch_up() {
        run_until(now());
        if (due_ == now()) {
            interpose();
        }
    }
    /// Another access waits for the DRAM: the machine makes the end of its own access an entry of the agenda.
    virtual void dram_wanted() = 0;
    /// Finds the next step again. To be called after anything that may have begun or ended a step, or that
    /// ended with an entry.
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
    Ps due_ = kNever;  ///< of the next step without an entry
    Ps known_{0};      ///< when the machine knew of that step

  private:
    void interpose() {
        while (agenda_.passed(due_, known_)) {
            const Agenda::Interposed interposed(agenda_, known_);
            step(std::exchange(due_, kNever));
        }
    }
};

}  // namespace solidtlm::hw
