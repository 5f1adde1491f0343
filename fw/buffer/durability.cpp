// SPDX-License-Identifier: Apache-2.0
#include "fw/buffer/durability.h"

#include "fw/hal/check.h"

namespace solidtlm::fw {

/// While alive, `ledger` shows a stall, and the kind of stall follows set_stall_stage().
class Durability::StallScope {
  public:
    StallScope(Durability& owner, Ledger* ledger) : owner_(owner), ledger_(ledger) {
        ++owner_.drainers_;
        if (ledger_ != nullptr) {
            ledger_->enter(owner_.stall_stage_, owner_.executor_.now());
            SOLIDTLM_CHECK(owner_.stalled_.size() < owner_.commands_, "each command waits once");
            owner_.stalled_.push_back(ledger_);
        }
        owner_.wanted_.notify();
    }
    StallScope(const StallScope&) = delete;
    StallScope& operator=(const StallScope&) = delete;
    ~StallScope() {
        --owner_.drainers_;
        std::erase(owner_.stalled_, ledger_);
    }

  private:
    Durability& owner_;
    Ledger* ledger_;
};

Task<bool> Durability::flush(Ledger* ledger) {
    if (unwritten_ == 0 || stuck_) {
        co_return unwritten_ == 0;
    }
    Join join(executor_, "buffered pages, to the last, on their way to flash");
    join.add();
    Flush record{++generation_, unwritten_, &join, false, flushes_};
    flushes_ = &record;
    {
        const StallScope stall(*this, ledger);
        co_await join.wait();
        Flush** link = &flushes_;
        while (*link != &record) {
            link = &(*link)->next;
        }
        *link = record.next;
    }
    if (ledger != nullptr) {
        ledger->enter(Stage::firmware_wait, executor_.now());
    }
    co_return !record.failed;
}

Task<bool> Durability::wait(DurableWaiter& waiter, Ledger* ledger) {
    if (waiter.join->pending() == 0) {
        co_return !waiter.failed;
    }
    const Ledger* last = nullptr;
    const Ledger before = *ledger;
    {
        const StallScope stall(*this, ledger);
        last = co_await waiter.join->wait();
    }
    if (last != nullptr && last->begin() >= before.last()) {
        if (last->begin() < ledger->last()) {  // shown as stalled while its own data was being programmed
            *ledger = before;
            ledger->enter(Stage::write_buffer_stall, before.last());
        }
        ledger->join(*last, Stage::firmware_wait);
    } else {
        ledger->enter(Stage::firmware_wait, executor_.now());
    }
    co_return !waiter.failed;
}

void Durability::drop_for(std::uint64_t newer) {
    --unwritten_;
    for (Flush* flush = flushes_; flush != nullptr; flush = flush->next) {
        if (newer < flush->generation) {
            --flush->remaining;  // counted twice; the newer version keeps it above 0
        }
    }
}

void Durability::set_stuck(bool stuck) {
    stuck_ = stuck;
    for (Flush* flush = stuck ? flushes_ : nullptr; flush != nullptr; flush = flush->next) {
        if (std::exchange(flush->generation, 0) != 0 && flush->remaining > 0) {
            flush->failed = true;
            flush->join->done();
        }
    }
}

void Durability::set_stall_stage(Stage stage) {
    stall_stage_ = stage;
    for (Ledger* ledger : stalled_) {
        ledger->enter(stage, executor_.now());
    }
}

void Durability::describe(std::vector<std::string>& lines) const {
    if (drainers_ > 0) {
        lines.push_back("write buffer: " + std::to_string(drainers_) +
                        " waiting for data to reach flash (FLUSH, FUA)");
    }
}

}  // namespace solidtlm::fw
