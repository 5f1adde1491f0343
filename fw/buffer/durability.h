// SPDX-License-Identifier: Apache-2.0
//
// Waits until data of the write buffer is on media. A flush waits for all data that was dirty when it began;
// a write that must be durable waits for its own slots. Each slot has a generation: the number of flushes
// that had begun when it became dirty. Those flushes do not wait for it.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "fw/runtime/join.h"
#include "fw/runtime/signal.h"
#include "fw/runtime/task.h"

namespace solidtlm::fw {

/// Is notified when the data of a slot is on media, or never will be.
struct DurableWaiter {
    Join* join = nullptr;
    Ledger ledger;  ///< of the write that ended last
    bool failed = false;
};

class Durability {
  public:
    /// `wanted` is notified when a flush or a write begins to wait.
    /// At most `commands` wait at once.
    Durability(Executor& executor, Signal& wanted, std::uint32_t commands)
        : executor_(executor), wanted_(wanted), commands_(commands) {}

    /// Waits until everything that is dirty now is on media. False if some of it could not be written.
    Task<bool> flush(Ledger* ledger);
    /// Waits until the slots that `waiter` counts are on media. False if not all of them could be written.
    Task<bool> wait(DurableWaiter& waiter, Ledger* ledger);
    /// A flush or a durable write waits: the destager writes partly filled superpages, too.
    [[nodiscard]] bool draining() const { return drainers_ > 0; }
    /// At least one flush waits.
    [[nodiscard]] bool flushing() const { return flushes_ != nullptr; }
    /// Slots whose data is not on media yet.
    [[nodiscard]] std::uint32_t unwritten() const { return unwritten_; }
    /// Dirty data cannot be written.
    [[nodiscard]] bool stuck() const { return stuck_; }

    /// A slot became dirty. Returns its generation.
    std::uint64_t add() {
        ++unwritten_;
        return generation_;
    }
    /// The data of a slot is on media, or never will be. Notifies the flushes and `waiter`, which may be null
    /// and is null afterwards.
    void settle(std::uint64_t generation, DurableWaiter*& waiter, bool ok) {
        tell(waiter, ok, nullptr);
        --unwritten_;
        for (Flush* flush = flushes_; flush != nullptr; flush = flush->next) {
            if (generation < flush->generation) {
                flush->failed |= !ok;
                if (--flush->remaining == 0) {
                    flush->join->done();
                }
            }
        }
    }
    /// A newer version with the same generation replaced the slot.
    void drop() { --unwritten_; }
    /// A newer slot, of generation `newer`, replaced an older one: counts both as one slot of the smaller
    /// generation.
    void drop_for(std::uint64_t newer);
    /// The write that `waiter` waits for has ended. `waiter` may be null and is null afterwards; `ledger`
    /// (may be null) is the ledger of the write.
    static void tell(DurableWaiter*& waiter, bool ok, const Ledger* ledger) {
        if (waiter != nullptr) {
            DurableWaiter& told = *std::exchange(waiter, nullptr);
            told.failed |= !ok;
            if (ledger != nullptr) {
                told.ledger = *ledger;
            }
            told.join->done(ledger != nullptr ? &told.ledger : nullptr);
        }
    }

    /// While `stuck`, flushes fail.
    void set_stuck(bool stuck);
    /// From now on waits count as `stage`, including those under way.
    void set_stall_stage(Stage stage);
    /// Appends a description of the waiters.
    void describe(std::vector<std::string>& lines) const;

  private:
    struct Flush {
        std::uint64_t generation;
        std::uint32_t remaining;
        Join* join;
        bool failed;
        Flush* next;
    };
    class StallScope;  // marks a ledger as stalled while its owner waits

    Executor& executor_;
    Signal& wanted_;
    const std::uint32_t commands_;
    Flush* flushes_ = nullptr;
    std::vector<Ledger*> stalled_;
    std::uint64_t generation_ = 0;
    std::uint32_t drainers_ = 0;
    std::uint32_t unwritten_ = 0;
    bool stuck_ = false;
    Stage stall_stage_ = Stage::write_buffer_stall;
};

}  // namespace solidtlm::fw
