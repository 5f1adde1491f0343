// SPDX-License-Identifier: Apache-2.0
//
// Something changed: wakes whoever waits. Waiters look again for themselves; nothing is remembered.
#pragma once

#include <coroutine>

#include "fw/runtime/executor.h"

namespace solidtlm::fw {

class Signal {
  public:
    explicit Signal(Executor& executor) : executor_(executor) {}
    Signal(const Signal&) = delete;
    Signal& operator=(const Signal&) = delete;

    struct Awaiter {
        Signal& signal;
        std::coroutine_handle<> handle{};
        Awaiter* next = nullptr;
        [[nodiscard]] bool await_ready() const noexcept { return false; }
        void await_suspend(std::coroutine_handle<> h) noexcept {
            handle = h;
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
            executor_.post(waiter->handle);
            waiter = following;
        }
    }
    [[nodiscard]] bool has_waiters() const { return first_ != nullptr; }

  private:
    Executor& executor_;
    Awaiter* first_ = nullptr;
    Awaiter* last_ = nullptr;
};

}  // namespace solidtlm::fw
