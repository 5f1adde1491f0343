// SPDX-License-Identifier: Apache-2.0
//
// Runs the firmware's coroutines on one core, first come first served: in turns. A turn of a coroutine begins
// when it is resumed from the ready queue, and ends when it waits, yields or ends.
//
// Time passes on the core only in spend(), and spend() is not a scheduling point: no other coroutine runs
// before its caller continues. Code between two real waits (flash, host, semaphore) is therefore atomic with
// respect to all other coroutines, however many cycles it spends. A loop that spends, and need not wait in
// each round, must yield(), or its rounds must be so few that fw/longest_turn.h can count them.
//
// A power cut destroys the executor: shut_down() destroys every spawned frame and ignores posts by
// destructors that run meanwhile.
#pragma once

#include <coroutine>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "fw/hal/check.h"
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

/// Core cycles that a piece of work owes. The code that charges them passes them on until a spend() takes
/// them, so that they are not billed to another command.
class [[nodiscard]] Charge {
  public:
    Charge() = default;
    Charge(Charge&& other) noexcept : executor_(other.executor_), cycles_(std::exchange(other.cycles_, 0)) {}
    Charge& operator=(Charge&&) = delete;
    /// REQUIRES: spend() has taken the cycles, or the executor has been shut down.
    ~Charge();
    Charge& operator+=(Charge&& other) {
        executor_ = other.executor_;
        cycles_ += std::exchange(other.cycles_, 0);
        return *this;
    }

  private:
    friend class Executor;
    Charge(const Executor& executor, std::uint64_t cycles) : executor_(&executor), cycles_(cycles) {}
    const Executor* executor_ = nullptr;
    std::uint64_t cycles_ = 0;
};

class Executor : private hal::CheckScene {
  public:
    /// `timeless`: spend() costs nothing; the order in which coroutines run is the same.
    explicit Executor(const hal::Clock& clock, bool timeless = false) : clock_(&clock), timeless_(timeless) {}
    Executor(const Executor&) = delete;
    Executor& operator=(const Executor&) = delete;
    ~Executor() { shut_down(); }

    /// From now on at most `most` spawned tasks exist at once. Any number without this call.
    void allow(std::uint64_t most) { most_ = most; }
    /// Starts `task` at the end of the ready queue and owns it from then on. REQUIRES: it has a frame; no
    /// more tasks than allow() says.
    void spawn(Task<void> task);
    /// Makes `coroutine` ready at the end of the queue.
    void post(Coroutine& coroutine);
    /// `coroutine` waits for `what` from now on.
    void suspend(Coroutine& coroutine, const Waitable& what) {
        if (step_at_ < Ps{0}) {
            step_at_ = now();
        }
        coroutine.waits_for = &what;
        coroutine.since = step_at_;
    }
    /// Runs ready coroutines until one spends time or no more are ready.
    hal::Slice step();
    /// `kick` is called when a coroutine is posted to an idle executor.
    void on_work(hal::Completion kick) { kick_ = kick; }
    /// Continues with another clock; `timeless` decides whether spend() costs time from now on. REQUIRES:
    /// idle().
    void move_to(const hal::Clock& clock, bool timeless) {
        SOLIDTLM_CHECK(idle(), "no task is ready or spends time");
        clock_ = &clock;
        timeless_ = timeless;
    }
    /// True if no coroutine is ready or spends time.
    [[nodiscard]] bool idle() const { return count_ == 0 && spender_ == nullptr; }
    /// Destroys all spawned tasks. No coroutine runs afterwards.
    void shut_down() noexcept;

    /// Describes what coroutines wait for, and since when, one line per kind of wait. For reports.
    [[nodiscard]] std::vector<std::string> waits() const;

    [[nodiscard]] bool alive() const { return alive_; }
    /// spend() costs nothing.
    [[nodiscard]] bool timeless() const { return timeless_; }
    [[nodiscard]] Ps now() const { return clock_->now(); }

    /// The core's next spend() includes a stall for this memory access.
    void add_access(hal::Dram::Access access) {
        stall_wait_ += access.wait;
        slice_.stall += access.wait + access.transfer;
    }
    /// Cycles for the next spend(). Only for steps during which no other coroutine reads the core's time and
    /// no hardware is called.
    [[nodiscard]] Charge charge(std::uint64_t cycles) const { return {*this, timeless_ ? 0 : cycles}; }
    /// Stalls added since the last spend(), which is the offset at which the core's next access begins.
    [[nodiscard]] Ps pending_stall() const { return slice_.stall; }

    struct SpendAwaiter {
        Executor& executor;
        std::uint64_t cycles;
        Ledger* ledger;
        Cause cause;
        [[nodiscard]] bool await_ready() const noexcept {
            return executor.timeless_ || (cycles == 0 && executor.slice_.stall == Ps{0});
        }
        template <class Promise>
        void await_suspend(std::coroutine_handle<Promise> handle) noexcept {
            executor.begin_slice(handle.promise(), cycles, ledger, cause);
        }
        void await_resume() const noexcept {}
    };
    /// Keeps the core busy for `cycles` on behalf of `cause`; `ledger` (may be null) shows it as executing.
    [[nodiscard]] SpendAwaiter spend(std::uint64_t cycles, Ledger* ledger = nullptr,
                                     Cause cause = Cause::host) {
        return SpendAwaiter{*this, cycles, ledger, cause};
    }
    /// As above, for `cycles` and the cycles in `charge`.
    [[nodiscard]] SpendAwaiter spend(Charge& charge, std::uint64_t cycles, Ledger* ledger = nullptr,
                                     Cause cause = Cause::host) {
        return SpendAwaiter{*this, cycles + std::exchange(charge.cycles_, 0), ledger, cause};
    }

    struct YieldAwaiter {
        Executor& executor;
        [[nodiscard]] bool await_ready() const noexcept { return false; }
        template <class Promise>
        void await_suspend(std::coroutine_handle<Promise> handle) const {
            executor.post(handle.promise());
        }
        void await_resume() const noexcept {}
    };
    /// Lets all ready coroutines run first; `ledger` (may be null) shows the wait.
    [[nodiscard]] YieldAwaiter yield(Ledger* ledger) {
        if (ledger != nullptr) {
            ledger->enter(Stage::firmware_wait, now());
        }
        return YieldAwaiter{*this};
    }

  private:
    friend struct Coroutine;
    class Step;
    void begin_slice(Coroutine& spender, std::uint64_t cycles, Ledger* ledger, Cause cause);
    void unlink(Coroutine& coroutine) noexcept;
    Coroutine& pop_ready();
    [[nodiscard]] std::string running() const override;
    [[nodiscard]] Ps time() const override { return now(); }

    const hal::Clock* clock_;
    hal::Completion kick_;
    std::vector<Coroutine*> ready_ = std::vector<Coroutine*>(64);  // ring, power of two
    std::size_t head_ = 0;
    std::size_t count_ = 0;
    Coroutine* spawned_ = nullptr;
    std::uint64_t tasks_ = 0;  // spawned and not ended
    std::uint64_t most_ = ~std::uint64_t{0};
    Coroutine* spender_ = nullptr;
    hal::Slice slice_;
    Ps step_at_{-1};  // the time of this step after the first call of now(); -1: not called yet
    Ps stall_wait_{0};
    bool idle_ = false;
    bool alive_ = true;
    bool timeless_;
    bool begins_turn_ = true;  // no slice of the running coroutine's turn has begun
};

inline Charge::~Charge() {
    SOLIDTLM_CHECK(cycles_ == 0 || !executor_->alive(), "charged cycles are spent");
}

/// Turns a hardware completion into the resumption of a coroutine. Lives in the awaiting frame.
class Resumption {
  public:
    explicit Resumption(Executor& executor) : executor_(executor) {}
    /// `coroutine` waits for `what` until the completion is called.
    hal::Completion completion(Coroutine& coroutine, const Waitable& what) {
        executor_.suspend(coroutine, what);
        coroutine_ = &coroutine;
        return hal::Completion{[](void* context) {
                                   auto* self = static_cast<Resumption*>(context);
                                   self->executor_.post(*self->coroutine_);
                               },
                               this};
    }

  private:
    Executor& executor_;
    Coroutine* coroutine_ = nullptr;
};

}  // namespace solidtlm::fw
