// SPDX-License-Identifier: Apache-2.0
#include "fw/runtime/executor.h"

namespace solidtlm::fw {

void detail::TaskPromiseBase::retire() noexcept {
    owner->unlink(*this);
    self.destroy();
}

void Executor::spawn(Task<void> task) {
    auto handle = std::exchange(task.handle_, nullptr);
    if (!alive_) {
        handle.destroy();
        return;
    }
    detail::TaskPromiseBase& promise = handle.promise();
    promise.owner = this;
    promise.self = handle;
    promise.next = spawned_;
    if (spawned_ != nullptr) {
        spawned_->previous = &promise;
    }
    spawned_ = &promise;
    post(handle);
}

void Executor::unlink(detail::TaskPromiseBase& promise) noexcept {
    if (promise.previous != nullptr) {
        promise.previous->next = promise.next;
    } else {
        spawned_ = promise.next;
    }
    if (promise.next != nullptr) {
        promise.next->previous = promise.previous;
    }
}

void Executor::post(std::coroutine_handle<> handle) {
    if (!alive_) {
        return;
    }
    if (count_ == ready_.size()) {
        std::vector<std::coroutine_handle<>> larger(ready_.size() * 2);
        for (std::size_t i = 0; i < count_; ++i) {
            larger[i] = ready_[(head_ + i) & (ready_.size() - 1)];
        }
        ready_ = std::move(larger);
        head_ = 0;
    }
    ready_[(head_ + count_) & (ready_.size() - 1)] = handle;
    ++count_;
    if (idle_) {
        idle_ = false;
        if (kick_) {
            kick_();
        }
    }
}

std::coroutine_handle<> Executor::pop_ready() {
    const std::coroutine_handle<> handle = ready_[head_];
    head_ = (head_ + 1) & (ready_.size() - 1);
    --count_;
    return handle;
}

void Executor::begin_slice(std::coroutine_handle<> handle, std::uint64_t cycles, Ledger* ledger,
                           Cause cause) {
    if (ledger != nullptr) {
        if (slice_.stall > Ps{0}) {
            ledger->enter(Stage::dram_wait, now());
            ledger->enter(Stage::dram_transfer, now() + stall_wait_);
        }
        ledger->enter(Stage::firmware_execute, now() + slice_.stall);
    }
    stall_wait_ = Ps{0};
    slice_.idle = false;
    slice_.cycles = cycles + std::exchange(charged_, 0);
    slice_.cause = cause;
    spender_ = handle;
}

hal::Slice Executor::step() {
    while (true) {
        std::coroutine_handle<> handle;
        if (spender_) {
            handle = std::exchange(spender_, nullptr);
        } else if (count_ > 0) {
            handle = pop_ready();
        } else {
            idle_ = true;
            return hal::Slice{};
        }
        handle.resume();
        if (spender_) {
            return std::exchange(slice_, hal::Slice{});
        }
    }
}

void Executor::shut_down() noexcept {
    alive_ = false;
    count_ = 0;
    spender_ = nullptr;
    while (spawned_ != nullptr) {
        detail::TaskPromiseBase* promise = spawned_;
        spawned_ = promise->next;
        promise->self.destroy();
    }
}

}  // namespace solidtlm::fw
