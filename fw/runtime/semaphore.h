// SPDX-License-Identifier: Apache-2.0
//
// Credits, handed out strictly first come first served, so that small requests never starve a large one.
#pragma once

#include <coroutine>
#include <cstdint>
#include <utility>

#include "fw/hal/check.h"
#include "fw/runtime/executor.h"

namespace solidtlm::fw {

class Semaphore : public Waitable {
  public:
    /// `name` says what a credit stands for, for reports.
    Semaphore(Executor& executor, const char* name, std::uint64_t credits)
        : executor_(executor), name_(name), credits_(credits), most_(credits) {}
    Semaphore(const Semaphore&) = delete;
    Semaphore& operator=(const Semaphore&) = delete;

    struct Awaiter {
        Semaphore& semaphore;
        std::uint64_t wanted;
        Ledger* ledger;
        Coroutine* waiter = nullptr;
        Awaiter* next = nullptr;

        bool await_ready() noexcept {
            if (semaphore.first_ == nullptr && semaphore.credits_ >= wanted) {
                semaphore.credits_ -= wanted;
                return true;
            }
            return false;
        }
        template <class Promise>
        void await_suspend(std::coroutine_handle<Promise> handle) noexcept {
            waiter = &handle.promise();
            semaphore.executor_.suspend(*waiter, semaphore);
            semaphore.enqueue(*this);
        }
        void await_resume() const noexcept {}
    };

    /// Waits for `wanted` credits. Meanwhile `ledger` (may be null) shows the wait stage.
    [[nodiscard]] Awaiter acquire(std::uint64_t wanted, Ledger* ledger = nullptr) {
        SOLIDTLM_CHECK(wanted <= most_, "no task waits for more credits than there are");
        return Awaiter{*this, wanted, ledger};
    }

    void release(std::uint64_t credits) {
        credits_ += credits;
        SOLIDTLM_CHECK(credits_ <= most_, "no more credits are returned than were taken");
        if (!executor_.alive()) {
            return;  // the waiters' frames are being destroyed
        }
        while (first_ != nullptr && credits_ >= first_->wanted) {
            Awaiter& waiter = *first_;
            first_ = waiter.next;
            if (first_ == nullptr) {
                last_ = nullptr;
            }
            credits_ -= waiter.wanted;
            if (waiter.ledger != nullptr) {
                waiter.ledger->enter(Stage::firmware_wait, executor_.now());
            }
            executor_.post(*waiter.waiter);
        }
    }

    /// Adds credits that are available at once.
    void lend(std::uint64_t credits) {
        most_ += credits;
        release(credits);
    }
    /// Credits that are in use will not be returned. REQUIRES: at least as many are in use.
    void retire(std::uint64_t credits) {
        SOLIDTLM_CHECK(credits_ + credits <= most_, "the retired credits are in use");
        most_ -= credits;
    }
    /// Removes available credits. REQUIRES: as many are available.
    void withdraw(std::uint64_t credits) {
        SOLIDTLM_CHECK(credits <= credits_, "the withdrawn credits are available");
        credits_ -= credits;
        most_ -= credits;
    }

    /// From now on waits count as `stage`, including those under way.
    void set_wait_stage(Stage stage) {
        if (stage == wait_stage_) {
            return;
        }
        wait_stage_ = stage;
        for (Awaiter* waiter = first_; waiter != nullptr; waiter = waiter->next) {
            if (waiter->ledger != nullptr) {
                waiter->ledger->enter(stage, executor_.now());
            }
        }
    }

    [[nodiscard]] std::uint64_t available() const { return credits_; }
    [[nodiscard]] bool has_waiters() const { return first_ != nullptr; }
    [[nodiscard]] std::uint32_t waiters() const {
        std::uint32_t count = 0;
        for (const Awaiter* waiter = first_; waiter != nullptr; waiter = waiter->next) {
            ++count;
        }
        return count;
    }
    /// Credits that the first waiter wants. REQUIRES: has_waiters().
    [[nodiscard]] std::uint64_t first_wanted() const {
        SOLIDTLM_CHECK(has_waiters(), "a task waits for credits");
        return first_->wanted;
    }
    [[nodiscard]] std::string describe() const override {
        return std::string("semaphore \"") + name_ + "\" (" + std::to_string(credits_) + " of " +
               std::to_string(most_) + " free, " + std::to_string(waiters()) + " waiting)";
    }

  private:
    void enqueue(Awaiter& waiter) {
        if (waiter.ledger != nullptr) {
            waiter.ledger->enter(wait_stage_, executor_.now());
        }
        (last_ != nullptr ? last_->next : first_) = &waiter;
        last_ = &waiter;
    }

    Executor& executor_;
    const char* name_;
    std::uint64_t credits_;
    std::uint64_t most_;  // all credits, including those in use
    Awaiter* first_ = nullptr;
    Awaiter* last_ = nullptr;
    Stage wait_stage_ = Stage::write_buffer_stall;
};

/// Returns its credits when it is destroyed.
class Credits {
  public:
    Credits(Semaphore& semaphore, std::uint64_t count) : semaphore_(&semaphore), count_(count) {}
    Credits(Credits&& other) noexcept
        : semaphore_(std::exchange(other.semaphore_, nullptr)), count_(other.count_) {}
    Credits& operator=(Credits&&) = delete;
    ~Credits() { release(); }
    void release() {
        if (semaphore_ != nullptr) {
            std::exchange(semaphore_, nullptr)->release(count_);
        }
    }

  private:
    Semaphore* semaphore_;
    std::uint64_t count_;
};

}  // namespace solidtlm::fw
