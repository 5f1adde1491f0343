// SPDX-License-Identifier: Apache-2.0
//
// A lazily started coroutine. Awaited, it runs as part of its caller; spawned on an Executor, it runs by
// itself and the executor owns its frame. Firmware does not throw: an exception that leaves a task terminates
// the program.
#pragma once

#include <coroutine>
#include <cstddef>
#include <exception>
#include <type_traits>
#include <utility>

#include "fw/runtime/frame_pool.h"

namespace solidtlm::fw {

class Executor;

namespace detail {

struct TaskPromiseBase {
    std::coroutine_handle<> continuation;  ///< who awaits this task; null for a spawned one
    Executor* owner = nullptr;             ///< of a spawned task
    TaskPromiseBase* previous = nullptr;   ///< the owner's list of spawned tasks
    TaskPromiseBase* next = nullptr;
    std::coroutine_handle<> self;

    static void* operator new(std::size_t bytes) { return FramePool::allocate(bytes); }
    static void operator delete(void* frame, std::size_t bytes) noexcept { FramePool::release(frame, bytes); }

    struct FinalAwaiter {
        [[nodiscard]] bool await_ready() const noexcept { return false; }
        template <class Promise>
        std::coroutine_handle<> await_suspend(std::coroutine_handle<Promise> handle) noexcept {
            TaskPromiseBase& promise = handle.promise();
            if (promise.continuation) {
                return promise.continuation;
            }
            promise.retire();
            return std::noop_coroutine();
        }
        void await_resume() const noexcept {}
    };

    std::suspend_always initial_suspend() noexcept { return {}; }
    FinalAwaiter final_suspend() noexcept { return {}; }
    void unhandled_exception() noexcept { std::terminate(); }
    /// Ends a spawned task: takes it off the owner's list and destroys the frame.
    void retire() noexcept;
};

template <class T>
struct TaskPromise : TaskPromiseBase {
    T value{};
    void return_value(T v) { value = std::move(v); }
};

template <>
struct TaskPromise<void> : TaskPromiseBase {
    void return_void() {}
};

}  // namespace detail

template <class T>
class [[nodiscard]] Task {
  public:
    struct promise_type : detail::TaskPromise<T> {
        Task get_return_object() { return Task(std::coroutine_handle<promise_type>::from_promise(*this)); }
    };

    Task(Task&& other) noexcept : handle_(std::exchange(other.handle_, nullptr)) {}
    Task& operator=(Task&&) = delete;
    ~Task() {
        if (handle_) {
            handle_.destroy();
        }
    }

    [[nodiscard]] bool await_ready() const noexcept { return false; }
    std::coroutine_handle<> await_suspend(std::coroutine_handle<> caller) noexcept {
        handle_.promise().continuation = caller;
        return handle_;
    }
    T await_resume() {
        if constexpr (!std::is_void_v<T>) {
            return std::move(handle_.promise().value);
        }
    }

  private:
    friend class Executor;
    explicit Task(std::coroutine_handle<promise_type> handle) : handle_(handle) {}
    std::coroutine_handle<promise_type> handle_;
};

}  // namespace solidtlm::fw
