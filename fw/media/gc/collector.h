// SPDX-License-Identifier: Apache-2.0
//
// Garbage collection and static wear levelling: one coroutine for each parallel unit.
//
// Valid units are gathered from victims a superpage at a time, read (data and metadata), programmed to the
// unit's own frontier and remapped; a victim without valid units is erased. A superpage is filled from the
// next victim rather than padded, and an unfinished victim simply stays: collection never loses space, and
// does not run where there is none to gain, which is what lets a device that is full to its last exported
// sector go on for ever. A victim all of whose units are on their way counts as free already: the next one is
// chosen as late as possible.
//
// A unit whose newer version is being programmed by the host is left behind: it becomes invalid when that
// program ends. So of two pages that carry one LPN the newer always has the larger sequence number.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "fw/dram_map.h"
#include "fw/ftl/dedup/deduplicator.h"
#include "fw/ftl/page_map/map_cache/map_cache.h"
#include "fw/host/write_buffer.h"
#include "fw/media/allocator.h"
#include "fw/media/gc/victim_policy.h"
#include "fw/media/program_op.h"
#include "fw/media/read_batch.h"
#include "fw/recovery/recovery_log.h"

namespace solidtlm::fw {

struct GcCounters {
    std::uint64_t victims = 0;       ///< superblocks chosen
    std::uint64_t wear_victims = 0;  ///< of these, by static wear levelling
    std::uint64_t moved_units = 0;
    std::uint64_t padded_units = 0;
    std::uint64_t copied_back_superpages = 0;
    std::uint64_t erased = 0;  ///< superblocks
    std::uint64_t unreadable_units = 0;
    /// Superpages of the victims' parallel units that held nothing, or were about to, when a victim was
    /// chosen to gain space. Over `victims - wear_victims` and pages a superblock: the blocks kept free in
    /// the mean.
    std::uint64_t empty_superpages = 0;
};

class GarbageCollector : private MapListener {
  public:
    /// The parts of the page map that collection works on.
    struct Parts {
        SuperblockTable& table;
        Allocator& allocator;
        MapCache& map;
        WriteBuffer& buffer;
        RecoveryLog* log = nullptr;     ///< null: none
        SharedPages* shared = nullptr;  ///< null: nothing is deduplicated
        Deduplicator* dedup = nullptr;  ///< likewise
    };
    GarbageCollector(Environment& environment, Parts parts, DramAddress buffers);
    ~GarbageCollector() override;

    /// Starts the coroutines.
    void start();
    /// After a loss of power: what was moved out of victims that were not finished takes space that
    /// collection had counted on. Each parallel unit takes the victims with the fewest valid units, whatever
    /// the policy, until it has free superblocks for the host again.
    void save_space() { saves_space_ = true; }
    /// The drive takes no more writes: nothing is moved any more, but what TRIM empties is erased.
    void stand_down(bool stands_down);
    /// A free superblock was taken, a program ended, or a unit of `pu` became invalid: look again.
    void kick(Pu pu);
    /// The unit at `place` is being programmed elsewhere, under the name that it has now.
    [[nodiscard]] bool programming(Ppa place) const;
    /// Something is being moved or erased, or about to be.
    [[nodiscard]] bool active() const { return active_ > 0; }
    [[nodiscard]] const GcCounters& counters() const { return counters_; }
    void reset_counters() { counters_ = GcCounters{}; }

  private:
    struct Victim {
        Superblock superblock;
        std::uint32_t cursor = 0;       // next unit to look at
        std::uint32_t outstanding = 0;  // units gathered, their fate open
        std::uint32_t gathered = 0;     // units moved, or about to be
        Cause cause = Cause::gc;
        bool unreadable = false;   // holds units that nobody can move
        bool left_behind = false;  // units stayed because the host was just rewriting them
    };
    struct Move;
    struct UnitState;

    [[nodiscard]] std::uint32_t nearly_free(const UnitState& unit) const;
    [[nodiscard]] bool space_wanted(const UnitState& unit) const;
    [[nodiscard]] bool wanted(const UnitState& unit) const;
    [[nodiscard]] Victim* next_victim(UnitState& unit, bool to_fill_up);
    [[nodiscard]] Victim* revisit(UnitState& unit);
    [[nodiscard]] std::optional<Superblock> wear_victim(Pu pu) const;
    [[nodiscard]] std::optional<Superblock> choose_victim(UnitState& unit);
    bool gather(UnitState& unit, Move& move);
    void ungather(UnitState& unit, Move& move);
    void rest();
    Task<void> collect(UnitState& unit);
    Task<void> run_move(UnitState& unit, Move& move);
    Task<void> read_units(Move& move, bool metadata_only);
    void drop_stale(Move& move);
    [[nodiscard]] bool must_note(const Move& move) const;
    void move_shared(VirtualBlock block, Ppa from, Ppa to);
    void moved(Ppa from, Ppa to);
    Task<bool> program_move(Move& move, SuperpageAddress at, bool copy_back);
    Task<void> remap(Move& move, SuperpageAddress at);
    [[nodiscard]] bool wanted(const MapUpdate& /*update*/) const override { return true; }
    void applied(const MapUpdate& update) override;
    void settle(UnitState& unit, Move& move, bool failed);
    void wake_moves(UnitState& unit);
    void erase_empty(UnitState& unit);
    [[nodiscard]] bool may_allocate() const;
    void let_go(UnitState& unit, Move& move);
    void release(Victim& victim, Ppa unit) const;
    Task<void> erase(UnitState& unit, Superblock superblock, Cause cause);
    void erase_finished_victims(UnitState& unit);

    Environment& environment_;
    Parts parts_;
    std::unique_ptr<VictimPolicy> policy_;
    std::unique_ptr<VictimPolicy> saving_policy_;
    bool saves_space_ = false;
    bool stands_down_ = false;
    std::vector<std::unique_ptr<UnitState>> units_;
    std::uint32_t active_ = 0;
    GcCounters counters_;
};

}  // namespace solidtlm::fw
