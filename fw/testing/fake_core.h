// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "fw/runtime/executor.h"
#include "fw/testing/fake_hardware.h"

namespace solidtlm::fw::testing {

/// Runs an executor without a firmware around it: 2 ns per cycle.
class FakeCore {
  public:
    FakeCore(FakeClock& clock, Executor& executor) : clock_(clock), executor_(executor) {
        executor.on_work({[](void* self) { static_cast<FakeCore*>(self)->wake(); }, this});
    }
    /// The executor has work again.
    void wake() {
        if (!scheduled_) {
            scheduled_ = true;
            clock_.at(clock_.now(), [this] { step(); });
        }
    }

  private:
    void step() {
        scheduled_ = false;
        const hal::Slice slice = executor_.step();
        if (!slice.idle) {
            scheduled_ = true;
            clock_.at(clock_.now() + Ps{static_cast<std::int64_t>(slice.cycles) * 2000} + slice.stall,
                      [this] { step(); });
        }
    }

    FakeClock& clock_;
    Executor& executor_;
    bool scheduled_ = false;
};

}  // namespace solidtlm::fw::testing
