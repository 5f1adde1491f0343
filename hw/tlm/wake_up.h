// SPDX-License-Identifier: Apache-2.0
//
// When a process is to run next: an event, and the instant for which it was notified.
//
// An event that has fired cannot be taken back: its process runs in this delta even if what it was to do has
// gone meanwhile (a power cut, another process of the same instant). So a process asks, first of all, whether
// it is due. It may also be early, because a notification of before came first; then it is woken again.
#pragma once

#include <systemc>

#include "hw/tlm/time.h"

namespace solidtlm::hw {

/// Make the block's process sensitive to event(); it begins with `if (!wake_.due()) return;`.
class WakeUp {
  public:
    static constexpr Ps kNever = Ps::max();

    explicit WakeUp(const char* event_name) : event_(event_name) {}

    [[nodiscard]] const sc_core::sc_event& event() const { return event_; }
    [[nodiscard]] bool armed() const { return at_ != kNever; }
    /// kNever when it is not armed.
    [[nodiscard]] Ps at() const { return at_; }

    /// The process is to run at `at`, and not at the instant it was armed for before. REQUIRES: at >= now()
    /// (to_sc_time() checks it).
    void arm(Ps at) {
        if (at_ == at) {
            return;
        }
        if (at_ != kNever) {
            event_.cancel();
        }
        at_ = at;
        event_.notify(to_sc_time(at - now()));
    }
    /// It is not to run.
    void disarm() {
        at_ = kNever;
        event_.cancel();
    }
    /// Is there work for the process that has woken? If so it is armed no more.
    [[nodiscard]] bool due() {
        if (at_ <= now()) {
            at_ = kNever;
            return true;
        }
        if (at_ != kNever) {
            event_.notify(to_sc_time(at_ - now()));
        }
        return false;
    }

  private:
    sc_core::sc_event event_;
    Ps at_ = kNever;
};

}  // namespace solidtlm::hw
