// SPDX-License-Identifier: Apache-2.0
//
// The dies of a channel: which operations wait for a die, which one holds it, which one is next. The
// scheduler grants dies; what an operation does with its die is up to the controller.
//
// Rules of a die's queue: die_queue.h. At most one operation holds a die. A host read may pause the program
// or erase that holds its die.
//
// Ledger invariant: while an operation waits for a resource, another one holds it at every instant, because
// grants happen in the instant of release.
#pragma once

#include <algorithm>
#include <cstdint>
#include <utility>
#include <vector>

#include "hw/nand/config.h"
#include "hw/nand/die_queue.h"
#include "hw/nand/flash_statistics.h"
#include "hw/nand/flash_trace.h"

namespace solidtlm::hw {

/// An operation that a controller has accepted and not finished.
struct PendingOperation {
    const hal::FlashOp* op = nullptr;
    bool holds_die = false;  ///< false: waits in the die's queue, or was suspended
    bool suspended = false;
    Ps since{0};          ///< holds_die: since when its die is held
    const char* at = "";  ///< holds_die: what it does or waits for
};

class DieScheduler {
  public:
    struct DieState {
        DieState(hal::Die die, bool reads_overtake) : index(die), queue(reads_overtake) {}
        hal::Die index;
        DieQueue queue;
        hal::HolderClock clock;
        hal::Cause cause = hal::Cause::host;  ///< of the holder
        Ps held_since{0};
        FlashRequest* active = nullptr;           ///< holds the die
        FlashRequest* suspended = nullptr;        ///< program or erase, paused
        FlashRequest* preempting_read = nullptr;  ///< queued read that has asked for the bus to pause it
        bool release_pending = false;             ///< its last data leave until free_at
        Ps free_at{0};
        Ps wake_at{-1};
        bool dirty = false;
        bool withheld = false;  ///< for the reads in `decoding`, from an erase that is next
        std::uint32_t pending = 0;
        std::vector<const FlashRequest*> decoding;

        /// The end of the holder's time as seen at `now`: a die whose holder leaves is free from free_at on,
        /// although that is recorded only when the die is next examined.
        [[nodiscard]] Ps held_until(Ps now) const { return release_pending ? std::min(free_at, now) : now; }
    };

    /// `suspend_time`: of the command that pauses an operation. `trace` must outlive it.
    DieScheduler(const NandConfig& config, const FlashTrace& trace, Ps suspend_time);

    [[nodiscard]] DieState& of(const FlashRequest& request) {
        return dies_[request.op->address[0].die.value];
    }
    /// Puts an operation into the queue of its die.
    void add(FlashRequest& request);
    /// Forgets a finished operation and frees its die.
    void remove(FlashRequest& request);
    /// Marks a die that has become free, or may have.
    void look_at(std::size_t die) { mark_dirty(dies_[die]); }
    /// The next die that has changed at this instant, or null.
    DieState* next_changed();

    /// Which operation acts at a die: at most one of the three.
    struct Turn {
        FlashRequest* holder = nullptr;           ///< holds the die from now on
        FlashRequest* preempting_read = nullptr;  ///< has to ask for the bus to pause the holder
        Ps look_at{0};                            ///< the die is wanted and becomes free then
    };
    Turn schedule(DieState& die);
    /// Begins the waits of the operations that asked for the die at this instant and did not get it.
    static void note_waits(const DieState& die);

    // A read pauses the operation that holds its die
    /// The operation that `read` pauses; null: that one ends before it could be paused, and the read waits.
    FlashRequest* preempt(FlashRequest& read);
    /// The suspend command has reached the die: from now on `read` holds it.
    void pausing(FlashRequest& read);
    /// Withdraws and returns the read that was to pause `request`; null: there is none.
    FlashRequest* cancel_preemption(const FlashRequest& request) {
        return std::exchange(of(request).preempting_read, nullptr);
    }

    /// The request's data leave the die's register until `end`.
    void release_at(FlashRequest& request, Ps end);

    // Reads that are decoded while others may have the die. Only where there is a read-retry table
    /// Its data have left the die; until unguard_block() no erase of their block begins.
    void guard_block(FlashRequest& request) { of(request).decoding.push_back(&request); }
    void unguard_block(FlashRequest& request);
    /// The read wants its die again, to be retried.
    void requeue_for_retry(FlashRequest& request);
    /// The retried read gives its die back.
    void release_after_retry(FlashRequest& request);

    void power_cut();
    /// Operations added and not removed.
    [[nodiscard]] std::uint32_t pending(hal::Die die) const { return dies_[die.value].pending; }
    /// The operations of a die: the holder, the one it paused, then the queue. For reports.
    [[nodiscard]] std::vector<PendingOperation> pending_operations(hal::Die die) const;
    /// How long a die has been held so far, by holder.
    [[nodiscard]] hal::HolderTimes times(hal::Die die) const;
    void report(FlashControllerStatistics& statistics) const;

  private:
    void mark_dirty(DieState& die);
    void settle(DieState& die);
    void hold(DieState& die, const FlashRequest& request);
    void release(DieState& die, Ps at);
    FlashRequest* grant(DieState& die, FlashRequest& request);
    FlashRequest* after_suspension(DieState& die);
    [[nodiscard]] FlashRequest* preempting_read(DieState& die) const;
    [[nodiscard]] bool keeps_from(DieState& die, const FlashRequest& next);

    FlashControllerConfig config_;
    const FlashTrace& trace_;
    Ps suspend_time_;
    std::vector<DieState> dies_;
    std::vector<DieState*> dirty_;
    std::size_t next_dirty_ = 0;
    TimeByCause held_{};
    std::uint64_t suspends_ = 0;
    std::size_t max_queued_ = 0;
};

}  // namespace solidtlm::hw
