// SPDX-License-Identifier: Apache-2.0
//
// Waits until several pieces of work are done, and records which one was last, because the command's ledger
// follows that piece.
#pragma once

#include <coroutine>
#include <cstdint>
#include <utility>

#include "fw/hal/check.h"
#include "fw/runtime/executor.h"

namespace solidtlm::fw {

class Join : public Waitable {
  public:
    /// `name` describes the pieces, for reports.
    Join(Executor& executor, const char* name) : executor_(executor), name_(name) {}
    Join(const Join&) = delete;
    Join& operator=(const Join&) = delete;

    void add(std::uint32_t count = 1) { pending_ += count; }
    /// One piece is done; `branch` (may be null) is its ledger.
    void done(const Ledger* branch = nullptr) {
        SOLIDTLM_CHECK(pending_ > 0, "no more pieces are done than were added");
        last_ = branch;
        if (--pending_ == 0 && waiter_ != nullptr) {
            executor_.post(*std::exchange(waiter_, nullptr));
        }
    }

    /// The completion of one piece that has no ledger.
    [[nodiscard]] hal::Completion completion() {
        return hal::Completion{[](void* self) { static_cast<Join*>(self)->done(); }, this};
    }

    struct Awaiter {
        Join& join;
        [[nodiscard]] bool await_ready() const noexcept { return join.pending_ == 0; }
        template <class Promise>
        void await_suspend(std::coroutine_handle<Promise> handle) noexcept {
            SOLIDTLM_CHECK(join.waiter_ == nullptr, "at most one coroutine waits for a join");
            join.waiter_ = &handle.promise();
            join.executor_.suspend(*join.waiter_, join);
        }
        /// The ledger of the piece that ended last; null if it had none or there was nothing to wait for.
        const Ledger* await_resume() const noexcept { return std::exchange(join.last_, nullptr); }
    };
    /// At most one coroutine waits.
    [[nodiscard]] Awaiter wait() { return Awaiter{*this}; }

    [[nodiscard]] std::uint32_t pending() const { return pending_; }
    [[nodiscard]] std::string describe() const override { return std::to_string(pending_) + " " + name_; }

  private:
    Executor& executor_;
    const char* name_;
    std::uint32_t pending_ = 0;
    Coroutine* waiter_ = nullptr;
    const Ledger* last_ = nullptr;
};

}  // namespace solidtlm::fw
