// SPDX-License-Identifier: Apache-2.0
//
// One lock per translation page, first come first served. Only the holder may read the page into the cache,
// write it, or collect into it.
#pragma once

#include <coroutine>
#include <vector>

#include "fw/hal/check.h"
#include "fw/map_cache/cache_policy.h"
#include "fw/runtime/executor.h"

namespace solidtlm::fw {

class PageLocks : public Waitable {
  public:
    PageLocks(Executor& executor, std::uint32_t pages) : executor_(executor), locks_(pages) {}
    PageLocks(const PageLocks&) = delete;
    PageLocks& operator=(const PageLocks&) = delete;

    struct Awaiter {
        PageLocks& owner;
        Tpn page;
        Coroutine* waiter = nullptr;
        Awaiter* next = nullptr;
        [[nodiscard]] bool await_ready() const noexcept {
            Lock& lock = owner.locks_[page.value];
            return !std::exchange(lock.held, true);
        }
        template <class Promise>
        void await_suspend(std::coroutine_handle<Promise> handle) noexcept {
            waiter = &handle.promise();
            owner.executor_.suspend(*waiter, owner);
            Lock& lock = owner.locks_[page.value];
            (lock.last != nullptr ? lock.last->next : lock.first) = this;
            lock.last = this;
        }
        void await_resume() const noexcept {}
    };
    [[nodiscard]] Awaiter acquire(Tpn page) { return Awaiter{*this, page}; }

    [[nodiscard]] bool held(Tpn page) const { return locks_[page.value].held; }
    /// REQUIRES: held(page).
    void release(Tpn page) {
        SOLIDTLM_CHECK(held(page), "the lock is held");
        Lock& lock = locks_[page.value];
        Awaiter* waiter = lock.first;
        if (waiter == nullptr) {
            lock.held = false;
            return;
        }
        lock.first = waiter->next;
        if (lock.first == nullptr) {
            lock.last = nullptr;
        }
        executor_.post(*waiter->waiter);  // the lock passes directly to the waiter
    }

    [[nodiscard]] std::string describe() const override { return "the lock of a translation page"; }

  private:
    struct Lock {
        bool held = false;
        Awaiter* first = nullptr;
        Awaiter* last = nullptr;
    };
    Executor& executor_;
    std::vector<Lock> locks_;  // by translation page
};

}  // namespace solidtlm::fw
