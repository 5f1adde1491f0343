// SPDX-License-Identifier: Apache-2.0
//
// A lazily started coroutine. If awaited, it runs as part of its caller. If spawned on an Executor, it runs
// independently and the executor owns its frame. Firmware does not throw: an exception that leaves a task
// terminates the program.
#pragma once

#include <coroutine>
#include <cstddef>
#include <exception>
#include <source_location>
#include <string>
#include <type_traits>
#include <utility>

#include "fw/hal/types.h"
#include "fw/runtime/frame_pool.h"

namespace solidtlm::fw {

class Executor;

/// Something that coroutines wait for. It must exist while one of them waits.
class Waitable {
  public:
    /// Describes it for reports, for example 'signal "a block is free"'.
    [[nodiscard]] virtual std::string describe() const = 0;

  protected:
    ~Waitable() = default;
};

/// The state of a coroutine of any return type, as the runtime keeps it in the frame.
///
/// States: running -> suspended (waits_for is set) -> ready (posted) -> running; or running -> suspended
/// because it awaits another coroutine (callee is set) -> running when that one has ended.
struct Coroutine {
    std::coroutine_handle<> self;
    const char* function = "";            ///< name in the form of std::source_location
    Coroutine* caller = nullptr;          ///< the coroutine that awaits it; null if spawned
    Coroutine* callee = nullptr;          ///< the coroutine that it awaits
    const Waitable* waits_for = nullptr;  ///< null: it waits for the core, or runs
    hal::Ps since{0};                     ///< when it began to wait
    Executor* owner = nullptr;            ///< only if spawned
    Coroutine* previous = nullptr;        ///< links of the owner's list of spawned coroutines
    Coroutine* next = nullptr;

    /// The coroutine that runs now, or ran last; null before the first.
    inline static Coroutine* running = nullptr;

    static void* operator new(std::size_t bytes) { return FramePool::allocate(bytes); }
    static void operator delete(void* frame, std::size_t bytes) noexcept { FramePool::release(frame, bytes); }

    struct FinalAwaiter {
        [[nodiscard]] bool await_ready() const noexcept { return false; }
        template <class Promise>
        std::coroutine_handle<> await_suspend(std::coroutine_handle<Promise> handle) noexcept {
            Coroutine& ended = handle.promise();
            Coroutine* awaiting = ended.caller;
            running = awaiting;
            if (awaiting != nullptr) {
                awaiting->callee = nullptr;
                return awaiting->self;
            }
            ended.retire();
            return std::noop_coroutine();
        }
        void await_resume() const noexcept {}
    };

    std::suspend_always initial_suspend() noexcept { return {}; }
    FinalAwaiter final_suspend() noexcept { return {}; }
    void unhandled_exception() noexcept { std::terminate(); }
    /// A spawned coroutine has ended: removes it from the owner's list and destroys its frame.
    void retire() noexcept;
};

namespace detail {

#ifdef __cpp_lib_source_location
using CallSite = std::source_location;
#else  // clang 14 lacks what libstdc++ of g++ 12 needs for std::source_location; names are shorter then
struct CallSite {
    const char* name = "";
    static constexpr CallSite current(const char* function = __builtin_FUNCTION()) { return {function}; }
    [[nodiscard]] const char* function_name() const { return name; }
};
#endif

template <class T>
struct TaskPromise : Coroutine {
    T value{};
    void return_value(T v) { value = std::move(v); }
};

template <>
struct TaskPromise<void> : Coroutine {
    void return_void() {}
};

}  // namespace detail

template <class T>
class [[nodiscard]] Task {
  public:
    struct promise_type : detail::TaskPromise<T> {
        Task get_return_object(detail::CallSite where = detail::CallSite::current()) {
            const auto handle = std::coroutine_handle<promise_type>::from_promise(*this);
            this->self = handle;
            this->function = where.function_name();
            return Task(handle);
        }
    };

    Task(Task&& other) noexcept : handle_(std::exchange(other.handle_, nullptr)) {}
    Task& operator=(Task&&) = delete;
    ~Task() {
        if (handle_) {
            handle_.destroy();
        }
    }

    /// A task that has already ended, for work that needs no wait and therefore no frame. It can only be
    /// awaited.
    static Task ended() requires std::is_void_v<T> { return Task(nullptr); }

    [[nodiscard]] bool await_ready() const noexcept { return !handle_; }
    template <class Promise>
    std::coroutine_handle<> await_suspend(std::coroutine_handle<Promise> caller) noexcept {
        Coroutine& callee = handle_.promise();
        callee.caller = &caller.promise();
        callee.caller->callee = &callee;
        Coroutine::running = &callee;
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
