// SPDX-License-Identifier: Apache-2.0
//
// Runs the firmware's coroutines on one core, first come first served.
//
// spend() is the only way time passes on the core, and it is not a scheduling point: the coroutine that
// spends goes on before any other runs. A stretch of code between two real waits (flash, host, semaphore) is
// therefore atomic with respect to all other coroutines, however many cycles it spends.
//
// A power cut is the destruction of the executor: shut_down() destroys every spawned frame and ignores
// whatever guards post while they unwind.
#pragma once

#include <coroutine>
#include <cstdint>
#include <vector>

#include "fw/hal/completion.h"
#include "fw/hal/core.h"
#include "fw/hal/dram.h"
#include "fw/hal/ledger.h"
#include "fw/runtime/task.h"

namespace solidtlm::fw {

using hal::Cause;
using hal::Ledger;
using hal::Ps;
using hal::Stage;

class Executor {
  public:
    explicit Executor(const hal::Clock& clock) : clock_(&clock) {}
    Executor(const Executor&) = delete;
    Executor& operator=(const Executor&) = delete;
    ~Executor() { shut_down(); }

    /// Starts `task` at the end of the ready queue and owns it from then on.
    void spawn(Task<void> task);
    /// Resumes `handle` in its turn.
    void post(std::coroutine_handle<> handle);
    /// Runs ready coroutines until one spends time or none is left.
    hal::Slice step();
    /// `kick` is called when something is posted to an idle executor.
    void on_work(hal::Completion kick) { kick_ = kick; }
    /// Another clock; `timeless`: spend() costs nothing from now on, the order in which coroutines run stays.
    /// REQUIRES: idle().
    void move_to(const hal::Clock& clock, bool timeless) {
        clock_ = &clock;
        timeless_ = timeless;
    }
    /// Nothing is ready and nobody spends time.
    [[nodiscard]] bool idle() const { return count_ == 0 && !spender_; }
    /// Destroys all spawned tasks; nothing runs any more.
    void shut_down() noexcept;

    [[nodiscard]] bool alive() const { return alive_; }
    [[nodiscard]] Ps now() const { return clock_->now(); }

    /// Adds a memory access by the core to what is spent next: the core stalls for it.
    void add_access(hal::Dram::Access access) {
        stall_wait_ += access.wait;
        slice_.stall += access.wait + access.transfer;
    }
    /// Adds `cycles` to what this coroutine spends next: for steps between which nobody else looks at the
    /// core and nothing is asked of hardware. REQUIRES: the same coroutine goes on to spend() with the same
    /// ledger and cause before it waits for anything or asks hardware for something.
    void charge(std::uint64_t cycles) { charged_ += timeless_ ? 0 : cycles; }
    /// Stalls added since the last spend(): the offset at which the next access of the core begins.
    [[nodiscard]] Ps pending_stall() const { return slice_.stall; }

    struct SpendAwaiter {
        Executor& executor;
        std::uint64_t cycles;
        Ledger* ledger;
        Cause cause;
        [[nodiscard]] bool await_ready() const noexcept {
            return executor.timeless_ ||
                   (cycles == 0 && executor.charged_ == 0 && executor.slice_.stall == Ps{0});
        }
        void await_suspend(std::coroutine_handle<> handle) noexcept {
            executor.begin_slice(handle, cycles, ledger, cause);
        }
        void await_resume() const noexcept {}
    };
    /// Keeps the core busy for `cycles` on behalf of `cause`; `ledger` (may be null) shows it as executing.
    [[nodiscard]] SpendAwaiter spend(std::uint64_t cycles, Ledger* ledger = nullptr,
                                     Cause cause = Cause::host) {
        return SpendAwaiter{*this, cycles, ledger, cause};
    }

    struct YieldAwaiter {
        Executor& executor;
        [[nodiscard]] bool await_ready() const noexcept { return false; }
        void await_suspend(std::coroutine_handle<> handle) const { executor.post(handle); }
        void await_resume() const noexcept {}
    };
    /// Lets everything that is ready go first; `ledger` (may be null) shows the wait.
    [[nodiscard]] YieldAwaiter yield(Ledger* ledger) {
        if (ledger != nullptr) {
            ledger->enter(Stage::firmware_wait, now());
        }
        return YieldAwaiter{*this};
    }

  private:
    friend struct detail::TaskPromiseBase;
    void begin_slice(std::coroutine_handle<> handle, std::uint64_t cycles, Ledger* ledger, Cause cause);
    void unlink(detail::TaskPromiseBase& promise) noexcept;
    std::coroutine_handle<> pop_ready();

    const hal::Clock* clock_;
    hal::Completion kick_;
    std::vector<std::coroutine_handle<>> ready_ =
        std::vector<std::coroutine_handle<>>(64);  // ring, power of two
    std::size_t head_ = 0;
    std::size_t count_ = 0;
    detail::TaskPromiseBase* spawned_ = nullptr;
    std::coroutine_handle<> spender_;
    hal::Slice slice_;
    std::uint64_t charged_ = 0;
    Ps stall_wait_{0};
    bool idle_ = false;
    bool alive_ = true;
    bool timeless_ = false;
};

/// Turns a hardware completion into the resumption of a coroutine. Lives in the awaiting frame.
class Resumption {
  public:
    explicit Resumption(Executor& executor) : executor_(executor) {}
    hal::Completion completion(std::coroutine_handle<> handle) {
        handle_ = handle;
        return hal::Completion{[](void* context) {
                                   auto* self = static_cast<Resumption*>(context);
                                   self->executor_.post(self->handle_);
                               },
                               this};
    }

  private:
    Executor& executor_;
    std::coroutine_handle<> handle_;
};

}  // namespace solidtlm::fw
