// SPDX-License-Identifier: Apache-2.0
#include "fw/runtime/executor.h"

#include <algorithm>
#include <array>
#include <cstdio>
#include <map>
#include <string_view>

#include "fw/hal/check.h"

namespace solidtlm::fw {
namespace {

/// Returns "Dispatcher::run" for "solidtlm::fw::Task<void> solidtlm::fw::Dispatcher::run(Context&)".
std::string short_name(std::string_view function) {
    std::string name(function);
    for (const std::string_view room : {"solidtlm::", "fw::", "{anonymous}::", "(anonymous namespace)::"}) {
        for (std::size_t at = name.find(room); at != std::string::npos; at = name.find(room, at)) {
            name.erase(at, room.size());
        }
    }
    std::size_t end = name.find('(');
    while (end != std::string::npos && name.compare(end, 4, "()::") == 0) {  // a class within a function
        end = name.find('(', end + 1);
    }
    name.resize(std::min(end, name.size()));
    return name.substr(name.rfind(' ') + 1);
}

/// Names of the coroutines from the spawned one to `last`.
std::string call_chain(const Coroutine& last) {
    const std::string name = short_name(last.function);
    return last.caller == nullptr ? name : call_chain(*last.caller) + " > " + name;
}

std::string us_text(Ps time) {
    std::array<char, 40> text{};
    std::snprintf(text.data(), text.size(), "%.3f us", static_cast<double>(time.count()) / 1e6);
    return text.data();
}

}  // namespace

/// Marks the running executor during a step; steps of different executors may be nested.
class Executor::Step {
  public:
    explicit Step(const Executor& executor) { hal::CheckScene::current = &executor; }
    Step(const Step&) = delete;
    Step& operator=(const Step&) = delete;
    ~Step() {
        hal::CheckScene::current = scene_;
        Coroutine::running = running_;
    }

  private:
    const hal::CheckScene* scene_ = hal::CheckScene::current;
    Coroutine* running_ = Coroutine::running;
};

void Coroutine::retire() noexcept {
    owner->unlink(*this);
    self.destroy();
}

void Executor::spawn(Task<void> task) {
    auto handle = std::exchange(task.handle_, nullptr);
    SOLIDTLM_CHECK(handle, "a spawned task has a frame");
    if (!alive_) {
        handle.destroy();
        return;
    }
    Coroutine& coroutine = handle.promise();
    SOLIDTLM_CHECK(tasks_ < most_, "no more tasks are spawned than have work");
    ++tasks_;
    coroutine.owner = this;
    coroutine.next = spawned_;
    if (spawned_ != nullptr) {
        spawned_->previous = &coroutine;
    }
    spawned_ = &coroutine;
    post(coroutine);
}

void Executor::unlink(Coroutine& coroutine) noexcept {
    --tasks_;
    if (coroutine.previous != nullptr) {
        coroutine.previous->next = coroutine.next;
    } else {
        spawned_ = coroutine.next;
    }
    if (coroutine.next != nullptr) {
        coroutine.next->previous = coroutine.previous;
    }
}

void Executor::post(Coroutine& coroutine) {
    if (!alive_) {
        return;
    }
    if (count_ == ready_.size()) {
        SOLIDTLM_CHECK(count_ < tasks_, "no task is ready twice");
        std::vector<Coroutine*> larger(ready_.size() * 2);
        for (std::size_t i = 0; i < count_; ++i) {
            larger[i] = ready_[(head_ + i) & (ready_.size() - 1)];
        }
        ready_ = std::move(larger);
        head_ = 0;
    }
    coroutine.waits_for = nullptr;
    ready_[(head_ + count_) & (ready_.size() - 1)] = &coroutine;
    ++count_;
    if (idle_) {
        idle_ = false;
        if (kick_) {
            kick_();
        }
    }
}

Coroutine& Executor::pop_ready() {
    Coroutine& coroutine = *ready_[head_];
    head_ = (head_ + 1) & (ready_.size() - 1);
    --count_;
    return coroutine;
}

void Executor::begin_slice(Coroutine& spender, std::uint64_t cycles, Ledger* ledger, Cause cause) {
    if (ledger != nullptr) {
        if (slice_.stall > Ps{0}) {
            ledger->enter(Stage::dram_wait, now());
            ledger->enter(Stage::dram_transfer, now() + stall_wait_);
        }
        ledger->enter(Stage::firmware_execute, now() + slice_.stall);
    }
    stall_wait_ = Ps{0};
    slice_.idle = false;
    slice_.cycles = cycles;
    slice_.cause = cause;
    spender_ = &spender;
}

hal::Slice Executor::step() {
    const Step step(*this);
    step_at_ = Ps{-1};
    while (true) {
        Coroutine* next = nullptr;
        if (spender_ != nullptr) {
            next = std::exchange(spender_, nullptr);
        } else if (count_ > 0) {
            next = &pop_ready();
            begins_turn_ = true;
        } else {
            idle_ = true;
            return hal::Slice{};
        }
        Coroutine::running = next;
        next->self.resume();
        if (spender_ != nullptr) {
            slice_.begins_turn = std::exchange(begins_turn_, false);
            slice_.others_ready = count_ > 0;
            return std::exchange(slice_, hal::Slice{});
        }
    }
}

void Executor::shut_down() noexcept {
    alive_ = false;
    count_ = 0;
    spender_ = nullptr;
    while (spawned_ != nullptr) {
        Coroutine* coroutine = spawned_;
        spawned_ = coroutine->next;
        coroutine->self.destroy();
    }
}

std::string Executor::running() const {
    return Coroutine::running == nullptr ? "(none)" : call_chain(*Coroutine::running);
}

std::vector<std::string> Executor::waits() const {
    struct Wait {
        std::size_t coroutines = 0;
        Ps since = Ps::max();
    };
    std::map<std::string, Wait> waits;
    for (const Coroutine* spawned = spawned_; spawned != nullptr; spawned = spawned->next) {
        const Coroutine* last = spawned;
        while (last->callee != nullptr) {
            last = last->callee;
        }
        const bool waiting = last->waits_for != nullptr;
        Wait& wait =
            waits[call_chain(*last) + " waits for " + (waiting ? last->waits_for->describe() : "the core")];
        ++wait.coroutines;
        wait.since = waiting ? std::min(wait.since, last->since) : wait.since;
    }
    std::vector<std::string> lines;
    lines.reserve(waits.size());
    for (const auto& [text, wait] : waits) {
        lines.push_back((wait.coroutines > 1 ? std::to_string(wait.coroutines) + " x " : "") + text +
                        (wait.since == Ps::max() ? "" : ", since " + us_text(wait.since)));
    }
    return lines;
}

}  // namespace solidtlm::fw
