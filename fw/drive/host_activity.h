// SPDX-License-Identifier: Apache-2.0
//
// Whether the host is idle, for work that is done in idle time. A command is outstanding from the time the
// firmware takes it until its status has gone to the device.
#pragma once

#include <cstdint>

#include "fw/hal/state_archive.h"
#include "fw/runtime/alarms.h"
#include "fw/runtime/signal.h"
#include "fw/runtime/task.h"

namespace solidtlm::fw {

class HostActivity {
  public:
    /// The host counts as idle when no command has been outstanding for `threshold`; 0: as soon as none is.
    HostActivity(Executor& executor, Alarms& alarms, Ps threshold)
        : executor_(executor),
          alarms_(alarms),
          quiet_(executor, "no command is outstanding"),
          threshold_(threshold),
          since_(executor.now()) {}

    /// The firmware has taken a command.
    void begin() {
        ++outstanding_;
        ++begun_;
    }
    /// A command is complete.
    void end() {
        if (--outstanding_ == 0) {
            since_ = executor_.now();
            quiet_.notify();
        }
    }

    /// A command is outstanding: work in idle time stops before its next step.
    [[nodiscard]] bool busy() const { return outstanding_ > 0; }
    [[nodiscard]] bool idle() const {
        return outstanding_ == 0 && (found_idle_ == begun_ || executor_.now() - since_ >= threshold_);
    }
    /// Waits until idle(). While the host is not idle, it sets at most one alarm per `threshold`.
    Task<void> wait_idle();

    /// Does not save when the host was last busy: the idle clock starts again.
    void serialize(hal::StateArchive& archive) { archive(begun_, found_idle_); }

  private:
    static constexpr std::uint64_t kNever = ~std::uint64_t{0};

    Executor& executor_;
    Alarms& alarms_;
    Signal quiet_;  // notified when no command is outstanding any longer
    Ps threshold_;
    Ps since_;  // when the last outstanding command ended
    std::uint32_t outstanding_ = 0;
    std::uint64_t begun_ = 0;
    std::uint64_t found_idle_ = kNever;  // number of commands begun when the host was last found idle
};

}  // namespace solidtlm::fw
