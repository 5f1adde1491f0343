// SPDX-License-Identifier: Apache-2.0
//
// Garbage collection and static wear levelling: one coroutine per parallel unit.
//
// Valid units are gathered from victims superpage by superpage, read (data and metadata), programmed to the
// parallel unit's own frontier and remapped. A victim without valid units is erased. A superpage is filled
// from the next victim rather than padded, and an unfinished victim simply stays. Collection therefore
// never loses space, and does not run where it cannot gain any; so a device that is full to its last
// exported sector can go on for ever. A victim whose units are all on their way already counts as free: the
// next one is chosen as late as possible. When space is short the oldest move gets it, which finishes the
// oldest victim.
//
// A unit is left behind if the host is programming a newer version of it. It becomes invalid when that
// program ends, so of two pages that carry one LPN the newer always has the larger sequence number. The
// reserve relies on this promise: a further victim may take what the rest of the first one would need. A page
// that is rewritten with its own contents is therefore programmed if its superblock is a victim
// (fw/dedup/sharing.h). If the program fails, the unit stays valid. Its victim is searched again when all
// programs of the host have ended that were under way when the unit was left.
//
// A move that waits for space may lose units, and with them the rest of the victim that it was to empty.
// Its superpage then ends nothing, and the next victim takes one superpage more than it was to take. Until
// it is programmed, the host leaves that much more (Allocator::owe()).
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "fw/gc/move.h"
#include "fw/gc/victims.h"
#include "fw/runtime/semaphore.h"
#include "fw/runtime/signal.h"

namespace solidtlm::fw {

class GarbageCollector {
  public:
    /// `buffers`: gc.pipeline_depth superpages of DRAM for each parallel unit.
    GarbageCollector(Services& services, SuperblockTable& table, Allocator& allocator, Relocator& relocator,
                     DramAddress buffers);

    /// Starts the coroutines.
    void start();
    /// After a loss of power: units that were moved out of unfinished victims occupy space that collection
    /// had counted on. Whichever policy is configured, each parallel unit takes the victims with the fewest
    /// valid units until it has free superblocks for the host again.
    void save_space();
    /// The drive takes no more writes: collection moves no data, but still erases superblocks that TRIM
    /// empties.
    void stand_down(bool stands_down);
    /// No work can continue: erases superblocks without valid units that were not erased because moves wait
    /// for space. False if there are none.
    bool erase_empty();
    /// The data of this superblock should move: it is hard to read, or a program has failed there.
    void move_soon(const SuperpageAddress& at);
    /// Space was taken, a program ended, or a unit of `pu` became invalid: collection checks the unit again.
    void kick(Pu pu);
    /// As kick() for all parallel units.
    void kick_all();
    /// Programs of the host have ended: units left behind for them may be moved.
    void revisit_deferred_victims();
    /// The unit at `place` is being programmed elsewhere under its present name, or is about to be.
    [[nodiscard]] bool programming(Ppa place) const;
    /// Something is being moved or erased, or about to be.
    [[nodiscard]] bool active() const { return active_ > 0; }
    /// Nothing is being moved or erased, and nothing will be when the host becomes idle.
    [[nodiscard]] bool at_rest() const {
        return !active() && !(services_.config.collects_in_idle_time() && idle_look_due_);
    }
    [[nodiscard]] const GcCounters& counters() const { return counters_; }
    void tell(hal::Metrics& metrics) const;
    void reset_counters() { counters_ = GcCounters{}; }

    void serialize(hal::StateArchive& archive) {
        archive(*policies_.usual, stands_down_, left_behind_);
        for (auto& unit : units_) {
            archive(unit->victims, unit->asleep, unit->revisited_when);
        }
    }

  private:
    /// Collection of one parallel unit.
    struct UnitState {
        UnitState(Services& services, Victims from, Pu unit)
            : pu(unit),
              victims(std::move(from)),
              wake(services.executor, "there may be something to collect"),
              space(services.executor, "a superblock was erased, or a unit became invalid"),
              pipeline(services.executor, "moves of a parallel unit", services.config.gc.pipeline_depth) {}

        Pu pu;
        Victims victims;
        Signal wake;                // notified when there may be work
        Signal space;               // notified when a superblock was erased or a unit became invalid
        std::uint32_t waiting = 0;  // moves that wait for space
        Semaphore pipeline;
        std::vector<std::unique_ptr<Move>> moves;
        std::vector<const Move*> unplaced;  // moves that have no place yet, oldest first
        bool asleep = false;
        std::uint64_t revisited_when = ~std::uint64_t{0};  // Allocator::host_programs_ended()
    };

    Task<void> collect(UnitState& unit);
    Task<void> look_when_idle();
    void idle_look_due();
    Task<void> run(UnitState& unit, Move& move);
    Task<void> erase(UnitState& unit, Superblock superblock, Cause cause);
    void erase_finished_victims(UnitState& unit);
    void erase_empty(UnitState& unit);
    [[nodiscard]] bool may_allocate() const;
    std::optional<SuperpageAddress> allocate(UnitState& unit, const Move& move);
    void let_go(UnitState& unit, Move& move);
    void settle(UnitState& unit, Move& move, bool failed);
    void wake_moves(UnitState& unit);
    void wake_if_wanted(UnitState& unit);
    void rest();

    Services& services_;
    SuperblockTable& table_;
    Allocator& allocator_;
    Relocator& relocator_;
    GcCounters counters_;
    Victims::Policies policies_;
    bool stands_down_ = false;
    bool left_behind_ = false;  // some parallel unit may have left units behind
    bool idle_look_due_ = true;
    Signal idle_look_;
    std::vector<std::unique_ptr<UnitState>> units_;
    std::uint32_t active_ = 0;
};

}  // namespace solidtlm::fw
