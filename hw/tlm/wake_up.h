// SPDX-License-Identifier: Apache-2.0
//
// A block's alarm: one entry of its agenda, which the block can move and withdraw.
#pragma once

#include "hw/tlm/agenda_module.h"

namespace solidtlm::hw {

class WakeUp {
  public:
    static constexpr Ps kNever = Agenda::kNever;

    /// Calls a member `void work()` of `module`.
    template <class Module, auto kMember>
    WakeUp(Module& module, CallOf<kMember> call) : WakeUp(module, module, call) {}
    /// Calls a member `void work()` of `part`, which belongs to `module`.
    template <class Part, auto kMember>
    WakeUp(AgendaModule& module, Part& part, CallOf<kMember> call)
        : module_(module), object_(&part), call_(call.function()) {}

    [[nodiscard]] bool armed() const { return at_ != kNever; }
    /// When the block is called; kNever if it is not armed.
    [[nodiscard]] Ps at() const { return at_; }

    /// Calls the block at `at`, and not at the instant it was armed for before. REQUIRES: at >= now().
    void arm(Ps at) {
        if (at_ == at) {
            return;
        }
        disarm();
        at_ = at;
        ticket_ = module_.push(at, detail::call_member<&WakeUp::wake>, this);
    }
    /// Arms it to come before all other entries of that instant.
    void arm_first(Ps at) {
        disarm();
        at_ = at;
        ticket_ = module_.push_first(at, detail::call_member<&WakeUp::wake>, this);
    }
    /// Cancels the call.
    void disarm() {
        if (at_ != kNever) {
            at_ = kNever;
            module_.agenda().withdraw(ticket_);
        }
    }

  private:
    void wake() {
        at_ = kNever;
        call_(object_, 0);
    }

    AgendaModule& module_;
    void* object_;
    Agenda::Call call_;
    Agenda::Ticket ticket_ = 0;
    Ps at_ = kNever;
};

}  // namespace solidtlm::hw
