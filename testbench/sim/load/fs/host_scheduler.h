// SPDX-License-Identifier: Apache-2.0
//
// Runs the host's threads as coroutines in the host's own time, which the caller advances. Threads take no
// time unless they sleep, or wait for a processor or the device.
#pragma once

#include <coroutine>
#include <cstdint>
#include <optional>
#include <queue>
#include <vector>

#include "fw/hal/check.h"
#include "fw/hal/core.h"
#include "fw/hal/horizon.h"
#include "fw/runtime/executor.h"
#include "fw/runtime/task.h"

namespace solidtlm::testbench::fs {

using fw::Task;
using hal::Ps;

class HostScheduler final : public hal::Clock, public fw::Waitable {
  public:
    [[nodiscard]] fw::Executor& executor() { return executor_; }
    [[nodiscard]] Ps now() const override { return now_; }
    /// Host code needs no alarms, because threads sleep.
    void set_alarm(Ps /*at*/, hal::Completion /*alarm*/) override {}

    void spawn(Task<void> task) { executor_.spawn(std::move(task)); }
    /// Runs everything that is due until `to`, each at its time. REQUIRES: to >= now().
    void advance(Ps to) {
        SOLIDTLM_CHECK(to >= now_, "time does not go back");
        run();
        while (!timers_.empty() && timers_.top().at <= to) {
            now_ = timers_.top().at;
            executor_.post(*timers_.top().thread);
            timers_.pop();
            run();
        }
        now_ = to;
    }
    /// Runs all threads that can run now.
    void run() {
        while (!executor_.step().idle) {
        }
    }
    /// When the next sleeper wakes.
    [[nodiscard]] std::optional<Ps> next_timer() const {
        return timers_.empty() ? std::nullopt : std::optional(timers_.top().at);
    }

    struct Sleep {
        HostScheduler& scheduler;
        Ps at;
        [[nodiscard]] bool await_ready() const noexcept { return at <= scheduler.now_; }
        template <class Promise>
        void await_suspend(std::coroutine_handle<Promise> handle) const {
            scheduler.executor_.suspend(handle.promise(), scheduler);
            scheduler.timers_.push(Timer{at, scheduler.sequence_++, &handle.promise()});
        }
        void await_resume() const noexcept {}
    };
    [[nodiscard]] Sleep sleep_until(Ps at) { return Sleep{*this, at}; }
    [[nodiscard]] Sleep sleep(Ps duration) { return sleep_until(hal::instant_after(now_, duration)); }

    [[nodiscard]] std::string describe() const override { return "the end of its sleep"; }

  private:
    struct Timer {
        Ps at;
        std::uint64_t sequence;  ///< threads with equal times wake in the order in which they fell asleep
        fw::Coroutine* thread;
        bool operator<(const Timer& other) const {
            return at != other.at ? at > other.at : sequence > other.sequence;
        }
    };

    Ps now_{0};
    std::uint64_t sequence_ = 0;
    std::priority_queue<Timer> timers_;
    fw::Executor executor_{*this};
};

}  // namespace solidtlm::testbench::fs
