// SPDX-License-Identifier: Apache-2.0
//
// The dies of a channel: which operations wait for a die, which one holds it, and which one is next. The
// scheduler grants dies; the controller decides what an operation does with its die.
//
// Rules of a die's queue: die_queue.h. The holders of a die: plane_shares.h. A die is held by one operation,
// or by several reads of different planes if the part can sense them at the same time. A host read may pause
// the program or erase that holds its die; others may join it.
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
    Ps since{0};          ///< holds_die: since when
    const char* at = "";  ///< holds_die: its present step, or what it waits for
};

class DieScheduler {
  public:
    struct DieState {
        DieState(hal::Die die, bool reads_overtake, const PlaneShares& held = {})
            : index(die), queue(reads_overtake), shares(held) {}
        hal::Die index;
        DieQueue queue;
        PlaneShares shares;                       ///< also counts how long the die has been held
        FlashRequest* suspended = nullptr;        ///< the paused program or erase
        FlashRequest* preempting_read = nullptr;  ///< queued read that waits for the bus to pause the holder
        Ps wake_at{-1};
        bool dirty = false;
        bool withheld = false;  ///< kept from a waiting erase, for the reads in `decoding`
        std::uint32_t pending = 0;
        std::vector<const FlashRequest*> decoding;
    };

    /// `suspend_time`: time of the command that pauses an operation. `trace` must outlive it.
    DieScheduler(const NandConfig& config, const FlashTrace& trace, Ps suspend_time);

    [[nodiscard]] DieState& of(const FlashRequest& request) {
        return dies_[request.op->address[0].die.value];
    }
    /// Puts an operation into the queue of its die.
    void add(FlashRequest& request);
    /// Removes a finished operation and frees its die.
    void remove(FlashRequest& request);
    /// Marks a die that may have become free.
    void look_at(std::size_t die) { mark_dirty(dies_[die]); }
    /// The next die that has changed at this instant, or null.
    DieState* next_changed();

    /// Result of schedule(); at most one of the members is set.
    struct Turn {
        FlashRequest* holder = nullptr;           ///< gets its planes of the die now
        FlashRequest* preempting_read = nullptr;  ///< must ask for the bus to pause the holder
        Ps look_at{0};                            ///< the die is wanted and becomes free at this time
    };
    Turn schedule(DieState& die);
    /// Begins the ledger waits of the operations that came at this instant and did not get the die at once.
    static void note_waits(const DieState& die);

    // A read pauses the operation that holds its die.
    /// The operation that `read` pauses. Null if it ends before it could be paused; the read then waits.
    FlashRequest* preempt(FlashRequest& read);
    /// The suspend command has reached the die, which `read` holds from now on.
    void pausing(FlashRequest& read);
    /// The array has stopped: other reads may join `read` on planes that it does not need.
    void paused(FlashRequest& read);
    /// Withdraws and returns the read that was to pause `request`; null if there is none.
    FlashRequest* cancel_preemption(const FlashRequest& request) {
        return std::exchange(of(request).preempting_read, nullptr);
    }

    /// The data of the request leaves the die's register until `end`.
    void release_at(FlashRequest& request, Ps end);

    // Reads whose data is decoded while others may use the die. Only with a read-retry table.
    /// The data has left the die. Until unguard_block(), no erase of its block begins.
    void guard_block(FlashRequest& request) { of(request).decoding.push_back(&request); }
    void unguard_block(FlashRequest& request);
    /// The read needs its die again for a retry, and needs all planes, because the level applies to all.
    void requeue_for_retry(FlashRequest& request);
    /// The retried read returns its die.
    void release_after_retry(FlashRequest& request);

    void power_cut();
    /// Operations added and not removed.
    [[nodiscard]] std::uint32_t pending(hal::Die die) const { return dies_[die.value].pending; }
    /// The operations of a die for reports: the holders, the one that they paused, then the queue.
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
    /// The dies that have changed at this instant.
    struct Changed {
        std::vector<DieState*> dies;
        std::size_t next = 0;
    } changed_;
    std::uint64_t suspends_ = 0;
    std::size_t max_queued_ = 0;
};

}  // namespace solidtlm::hw
