// SPDX-License-Identifier: Apache-2.0
//
// Wakes all coroutines that wait for a change. They check their conditions again themselves; a notification
// without a waiter has no effect.
#pragma once

#include <coroutine>

#include "fw/runtime/executor.h"

namespace solidtlm::fw {

class Signal : public Waitable {
  public:
    /// `name` says what a notification means, for reports.
    Signal(Executor& executor, const char* name) : executor_(executor), name_(name) {}
    Signal(const Signal&) = delete;
    Signal& operator=(const Signal&) = delete;

    struct Awaiter {
        Signal& signal;
        Coroutine* waiter = nullptr;
        Awaiter* next = nullptr;
        [[nodiscard]] bool await_ready() const noexcept { return false; }
        template <class Promise>
        void await_suspend(std::coroutine_handle<Promise> handle) noexcept {
            waiter = &handle.promise();
            signal.executor_.suspend(*waiter, signal);
            (signal.last_ != nullptr ? signal.last_->next : signal.first_) = this;
            signal.last_ = this;
        }
        void await_resume() const noexcept {}
    };
    [[nodiscard]] Awaiter wait() { return Awaiter{*this}; }

    void notify() {
        if (!executor_.alive()) {
            return;
        }
        Awaiter* waiter = first_;
        first_ = last_ = nullptr;
        while (waiter != nullptr) {
            Awaiter* following = waiter->next;
            executor_.post(*waiter->waiter);
            waiter = following;
        }
    }
    [[nodiscard]] bool has_waiters() const { return first_ != nullptr; }
    [[nodiscard]] std::string describe() const override { return std::string("signal \"") + name_ + "\""; }

  private:
    Executor& executor_;
    const char* name_;
    Awaiter* first_ = nullptr;
    Awaiter* last_ = nullptr;
};

}  // namespace solidtlm::fw
