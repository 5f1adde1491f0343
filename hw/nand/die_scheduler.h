// SPDX-License-Identifier: Apache-2.0
//
// The dies of a channel: who waits for one, who holds it, who comes next.
//
// Rules of a die's queue: die_queue.h. At most one operation holds a die. A host read may pause the program
// or erase that holds its die.
//
// Ledger invariant: whatever an operation waits for is held by somebody at every instant of the wait, because
// grants happen in the instant of release.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "hw/nand/bus_sequencer.h"
#include "hw/nand/data_mover.h"
#include "hw/nand/die_queue.h"

namespace solidtlm::hw {

/// An operation that a controller has accepted and not finished.
struct PendingOperation {
    const hal::FlashOp* op = nullptr;
    bool holds_die = false;  ///< false: waits in the die's queue, or was suspended
    Ps since{0};             ///< holds_die: since when its die is held
    Step step = Step::queued;
};

class DieScheduler {
  public:
    /// All references must outlive it.
    DieScheduler(const NandConfig& config, BusSequencer& bus, DataMover& data, FlashAgenda& agenda,
                 const FlashTrace& trace);

    /// An operation waits for its die from now on.
    void add(FlashRequest& request);
    /// It is over.
    void remove(FlashRequest& request);
    /// A die has become free, or may have.
    void look_at(std::size_t die) { mark_dirty(dies_[die]); }
    /// Gives dies away where something has changed.
    void schedule();

    // What happens to its operations
    /// R/B# rises. True: the die has refused the operation, which is over.
    bool ready(FlashRequest& request);
    /// The suspend command has reached the die: from now on the read holds it.
    void pausing(FlashRequest& read);

    // Bus phases that were granted
    /// False: what the read wants to pause ends before it could be.
    bool suspends(FlashRequest& read);
    /// The request's data leave the die's register until `end`.
    void empties(FlashRequest& request, Ps end);

    // Reads that are decoded while others may have the die. Only where there is a read-retry table
    /// Its data have left the die; until decoded() no erase of their block begins.
    void decodes(FlashRequest& request);
    void decoded(FlashRequest& request);
    /// The read wants its die again, to be retried.
    void again(FlashRequest& request);
    /// The read that was retried gives its die back.
    void leave(FlashRequest& request);
    /// The request's command is sent: a host read that waits may want to pause it.
    void consider(const FlashRequest& request) { schedule(die_of(request)); }

    void power_cut();
    /// Operations added and not removed.
    [[nodiscard]] std::uint32_t pending(hal::Die die) const { return dies_[die.value].pending; }
    /// The operations of a die: the holder, the one it paused, then the queue. For reports.
    [[nodiscard]] std::vector<PendingOperation> pending_operations(hal::Die die) const;
    /// How long a die has been held so far, by holder.
    [[nodiscard]] hal::HolderTimes times(hal::Die die) const;
    void report(FlashControllerStatistics& statistics) const;

  private:
    struct DieState {
        DieState(hal::Die die, bool reads_overtake) : index(die), queue(reads_overtake) {}
        hal::Die index;
        DieQueue queue;
        hal::HolderClock clock;
        hal::Cause cause = hal::Cause::host;  ///< of the holder
        Ps held_since{0};
        FlashRequest* active = nullptr;       ///< holds the die
        FlashRequest* suspended = nullptr;    ///< program or erase, paused
        FlashRequest* interrupter = nullptr;  ///< queued read that has asked for the bus to pause it
        bool leaving = false;                 ///< held by nobody's step until free_at
        Ps free_at{0};
        Ps wake_at{-1};
        bool dirty = false;
        bool kept = false;  ///< for the reads in `decoding`, from an erase that is next
        std::uint32_t pending = 0;
        std::vector<const FlashRequest*> decoding;

        /// The end of the holder's time as seen at `now`: a die that leaves is free from free_at on, although
        /// that is written down only when somebody next looks.
        [[nodiscard]] Ps held_until(Ps now) const { return leaving ? std::min(free_at, now) : now; }
    };

    [[nodiscard]] DieState& die_of(const FlashRequest& request) {
        return dies_[request.op->address[0].die.value];
    }
    void mark_dirty(DieState& die);
    void settle(DieState& die);
    void hold(DieState& die, const FlashRequest& request);
    void release(DieState& die, Ps at);
    void schedule(DieState& die);
    void grant(DieState& die, FlashRequest& request);
    void go_on_after_suspension(DieState& die);
    void try_interrupt(DieState& die);
    [[nodiscard]] bool keeps_from(DieState& die, const FlashRequest& next);
    DieState& begin_wait(FlashRequest& request);
    static void note_waits(const DieState& die);

    FlashControllerConfig config_;
    BusSequencer& bus_;
    DataMover& data_;
    FlashAgenda& agenda_;
    const FlashTrace& trace_;
    std::vector<DieState> dies_;
    std::vector<DieState*> dirty_;
    TimeByCause held_{};
    std::uint64_t suspends_ = 0;
    std::size_t max_queued_ = 0;
};

}  // namespace solidtlm::hw
