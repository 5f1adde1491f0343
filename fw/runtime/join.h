// SPDX-License-Identifier: Apache-2.0
//
// Waits until several pieces of work are done, and knows which one was last: a command's ledger follows that
// one.
#pragma once

#include <coroutine>
#include <cstdint>
#include <utility>

#include "fw/runtime/executor.h"

namespace solidtlm::fw {

class Join {
  public:
    explicit Join(Executor& executor) : executor_(executor) {}
    Join(const Join&) = delete;
    Join& operator=(const Join&) = delete;

    void add(std::uint32_t count = 1) { pending_ += count; }
    /// One piece is done; `branch` (may be null) is its ledger.
    void done(const Ledger* branch = nullptr) {
        last_ = branch;
        if (--pending_ == 0 && waiter_) {
            executor_.post(std::exchange(waiter_, nullptr));
        }
    }

    struct Awaiter {
        Join& join;
        [[nodiscard]] bool await_ready() const noexcept { return join.pending_ == 0; }
        void await_suspend(std::coroutine_handle<> handle) noexcept { join.waiter_ = handle; }
        /// The ledger of the piece that finished last; null if it had none or there was nothing to wait for.
        const Ledger* await_resume() const noexcept { return std::exchange(join.last_, nullptr); }
    };
    /// At most one coroutine waits.
    [[nodiscard]] Awaiter wait() { return Awaiter{*this}; }

    [[nodiscard]] std::uint32_t pending() const { return pending_; }

  private:
    Executor& executor_;
    std::uint32_t pending_ = 0;
    std::coroutine_handle<> waiter_;
    const Ledger* last_ = nullptr;
};

}  // namespace solidtlm::fw
