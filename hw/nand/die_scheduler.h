// SPDX-License-Identifier: Apache-2.0
//
// The dies of a channel: which operations wait for a die, which one holds it, which one is next. The
// scheduler grants dies; what an operation does with its die is up to the controller.
//
// Rules of a die's queue: die_queue.h. Who holds a die: plane_shares.h. One operation does, or several reads
// of different planes where the part can sense them at the same time. A host read may pause the program or
// erase that holds its die; others may join it.
//
// Ledger invariant: while an operation waits for a resource, another one holds it at every instant, because
// grants happen in the instant of release.
#pragma once

#include <cstdint>
#include <utility>
#include <vector>

#include "hw/nand/config.h"
#include "hw/nand/die_queue.h"
#include "hw/nand/flash_statistics.h"
#include "hw/nand/flash_trace.h"
#include "hw/nand/plane_shares.h"

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
        PlaneShares shares;
        FlashRequest* suspended = nullptr;        ///< program or erase, paused
        FlashRequest* preempting_read = nullptr;  ///< queued read that has asked for the bus to pause it
        Ps wake_at{-1};
        bool dirty = false;
        bool withheld = false;  ///< for the reads in `decoding`, from an erase that is next
        std::uint32_t pending = 0;
        std::vector<const FlashRequest*> decoding;
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
        FlashRequest* holder = nullptr;           ///< holds its planes of the die from now on
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
    /// The die has come to a halt: other reads may join `read` on planes that it does not need.
    void paused(FlashRequest& read);
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
    /// The read wants its die again, to be retried. The level is that of all planes.
    void requeue_for_retry(FlashRequest& request);
    /// The retried read gives its die back.
    void release_after_retry(FlashRequest& request);

    void power_cut();
    /// Operations added and not removed.
    [[nodiscard]] std::uint32_t pending(hal::Die die) const { return dies_[die.value].pending; }
    /// The operations of a die: the holders, the one they paused, then the queue. For reports.
    [[nodiscard]] std::vector<PendingOperation> pending_operations(hal::Die die) const;
    /// How long a die has been held so far, by holder.
    [[nodiscard]] hal::HolderTimes times(hal::Die die) const;
    void report(FlashControllerStatistics& statistics) const;

  private:
    void mark_dirty(DieState& die);
    void give_back(DieState& die, const FlashRequest& request);
    FlashRequest* take(DieState& die, FlashRequest& request);
    FlashRequest* grant(DieState& die, FlashRequest& request);
    FlashRequest* next_holder(DieState& die);
    FlashRequest* after_suspension(DieState& die);
    [[nodiscard]] FlashRequest* preempting_read(DieState& die) const;
    [[nodiscard]] bool keeps_from(DieState& die, const FlashRequest& next);

    FlashControllerConfig config_;
    NandPlaneReads plane_reads_;
    const FlashTrace& trace_;
    Ps suspend_time_;
    std::vector<DieState> dies_;
    std::vector<DieState*> dirty_;
    std::size_t next_dirty_ = 0;
    std::uint64_t suspends_ = 0;
    std::size_t max_queued_ = 0;
};

}  // namespace solidtlm::hw
