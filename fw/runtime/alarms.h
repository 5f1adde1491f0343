// SPDX-License-Identifier: Apache-2.0
//
// Many alarms on a clock that has a single one. The clock's alarm is set to the earliest instant, once for
// all alarms of that instant.
#pragma once

#include <coroutine>

#include "fw/hal/check.h"
#include "fw/hal/core.h"
#include "fw/runtime/executor.h"

namespace solidtlm::fw {

class Alarms : public Waitable {
  public:
    Alarms(Executor& executor, hal::Clock& clock) : executor_(executor), clock_(&clock) {}
    Alarms(const Alarms&) = delete;
    Alarms& operator=(const Alarms&) = delete;

    struct Awaiter {
        Alarms& alarms;
        Ps at;
        Coroutine* waiter = nullptr;
        Awaiter* next = nullptr;
        [[nodiscard]] bool await_ready() const { return at <= alarms.executor_.now(); }
        template <class Promise>
        void await_suspend(std::coroutine_handle<Promise> handle) {
            waiter = &handle.promise();
            alarms.executor_.suspend(*waiter, alarms);
            alarms.enqueue(*this);
        }
        void await_resume() const noexcept {}
    };
    /// Sleeps until `at`; not at all if that is now or earlier. Coroutines that sleep until the same instant
    /// wake in the order of their calls.
    [[nodiscard]] Awaiter until(Ps at) { return Awaiter{*this, at}; }

    /// REQUIRES: no alarm is set.
    void move_to(hal::Clock& clock) {
        SOLIDTLM_CHECK(!has_waiters(), "no task waits for an alarm");
        clock_ = &clock;
    }
    [[nodiscard]] bool has_waiters() const { return first_ != nullptr; }
    [[nodiscard]] std::string describe() const override { return "an alarm"; }

  private:
    void enqueue(Awaiter& waiter);
    void arm();
    void go_off();

    Executor& executor_;
    hal::Clock* clock_;
    Awaiter* first_ = nullptr;  // earliest first
};

}  // namespace solidtlm::fw
