// SPDX-License-Identifier: Apache-2.0
//
// The victims of collection in one parallel unit: which superblocks are being emptied, which one is next,
// and which of their units are gathered.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "fw/drive/host_activity.h"
#include "fw/drive/services.h"
#include "fw/flash/allocator.h"
#include "fw/gc/relocator.h"
#include "fw/gc/static_wear.h"
#include "fw/gc/victim_policy.h"
#include "fw/hal/metrics.h"
#include "fw/hal/state_archive.h"

namespace solidtlm::fw {

struct GcCounters {
    std::uint64_t victims = 0;       ///< superblocks chosen
    std::uint64_t wear_victims = 0;  ///< of victims: by static wear levelling, or to move their data
    std::uint64_t weak_victims = 0;  ///< of wear_victims, those whose data should move
    std::uint64_t moved_units = 0;
    std::uint64_t padded_units = 0;
    std::uint64_t copied_back_superpages = 0;
    std::uint64_t erased = 0;  ///< superblocks
    std::uint64_t unreadable_units = 0;
    /// Superpages that were empty, or about to be, in the parallel units of the victims when a victim was
    /// chosen to gain space. Divided by (victims - wear_victims) * pages per superblock: the average number
    /// of free superblocks.
    std::uint64_t empty_superpages = 0;
    std::uint64_t folded_superblocks = 0;  ///< of the SLC cache, chosen to be emptied; not in `victims`
    std::uint64_t folded_units = 0;        ///< of moved_units, those out of the SLC cache
    std::uint64_t erased_slc = 0;          ///< of erased, those in SLC mode

    void tell(hal::Metrics& metrics) const;
    /// Reports counters that only move if superblocks are hard to read.
    void tell_reclaimed(hal::Metrics& metrics) const;
    /// Reports counters that only move if superblocks are in SLC mode, and how many of these are `free`.
    void tell_slc(hal::Metrics& metrics, std::uint64_t free) const;
};

struct Victim {
    Superblock superblock;
    std::uint32_t cursor = 0;       ///< next unit to check
    std::uint32_t outstanding = 0;  ///< units gathered whose move has not ended
    std::uint32_t gathered = 0;     ///< units moved, or about to be
    Cause cause = Cause::gc;
    bool folds = false;           ///< chosen to empty the SLC cache; need not gain space
    bool unreadable = false;      ///< holds units that could not be moved
    bool left_behind = false;     ///< units stayed because the host was just rewriting them
    std::uint64_t left_when = 0;  ///< then: Allocator::host_generation()

    void serialize(hal::StateArchive& archive) {
        archive(superblock, cursor, outstanding, gathered, cause, folds, unreadable, left_behind, left_when);
    }
};

class Victims {
  public:
    /// Shared by all parallel units.
    struct Policies {
        std::unique_ptr<VictimPolicy> usual;
        std::unique_ptr<VictimPolicy> saving;  ///< fewest valid units
    };
    Victims(Services& services, SuperblockTable& table, Allocator& allocator, Policies& policies,
            GcCounters& counters, Pu pu);

    /// See GarbageCollector::save_space().
    void save_space() { saves_space_ = true; }
    /// The data of a superblock should move: it is hard to read, or a program has failed there.
    void move_soon(Superblock superblock);
    /// True if there is a reason to gather.
    [[nodiscard]] bool wanted() const;
    /// Number of superblocks that are being emptied.
    [[nodiscard]] std::size_t count() const { return victims_.size(); }
    /// Collects up to a superpage of valid units that are to be read to `buffer`; `names` has room for their
    /// names. Returns their number, 0 if there is nothing worth moving.
    std::uint32_t gather(std::vector<MovedRun>& runs, std::span<Lpn> names, DramAddress buffer, Cause& cause);
    /// The move of a unit has ended: it was moved, has become invalid, or stays in its victim.
    void release(Victim& victim, Ppa unit) const {
        --victim.outstanding;
        if (!victim.unreadable && table_.is_valid(unit)) {
            victim.left_behind = true;
            victim.left_when = allocator_.host_generation();
        }
    }
    /// True if units stayed in some victim because the host was rewriting them.
    [[nodiscard]] bool left_behind() const;
    /// True if such a victim may be searched again. All programs of the host that were under way then must
    /// have ended. Before, a unit might be gathered again that only waits for its program to end; the units
    /// of another victim that were gathered with it would take a superpage more than they need.
    [[nodiscard]] bool may_revisit() const;
    /// Removes a victim without valid units, so that the caller can erase it. None if there is none.
    std::optional<Victim> take_finished();
    void erase_begins(Superblock superblock) { ++erasing_[kind_of(superblock)]; }
    void erase_ends(Superblock superblock, bool ok);

    void serialize(hal::StateArchive& archive);

  private:
    /// What an erase frees: a superblock in normal mode, one that the SLC cache had taken for a time, or one
    /// that is always in SLC mode.
    enum Kind : std::uint8_t { normal, lent, always_slc };
    [[nodiscard]] Kind kind_of(Superblock superblock) const {
        const BlockInfo& info = table_.info(pu_, superblock);
        return info.always_slc ? always_slc : info.slc ? lent : normal;
    }
    [[nodiscard]] bool emptied(const Victim& victim) const;
    [[nodiscard]] std::uint32_t nearly_free(Kind kind) const;
    [[nodiscard]] std::uint32_t nearly_free() const;
    /// True if the victim is emptied for the space that this gains.
    [[nodiscard]] bool must_gain(const Victim& victim) const {
        return !victim.folds && kind_of(victim.superblock) != always_slc;
    }
    /// Target for free superblocks.
    [[nodiscard]] std::uint32_t free_aimed_at() const {
        return idle_aim_ > usual_aim_ && services_.activity->idle() ? idle_aim_ : usual_aim_;
    }
    [[nodiscard]] std::uint64_t space_in_sight() const;
    [[nodiscard]] bool may_empty(const Victim& victim) const;
    [[nodiscard]] bool room_to_fold() const;
    /// True if fewer SLC cache superblocks are free than folding maintains while the host is at work.
    [[nodiscard]] bool cache_short() const;
    [[nodiscard]] bool fold_due() const;
    [[nodiscard]] std::optional<Superblock> fold_victim() const;
    /// True if fewer than `aim` superblocks are free or about to be.
    [[nodiscard]] bool space_wanted(std::uint32_t aim) const;
    [[nodiscard]] bool space_wanted() const { return space_wanted(free_aimed_at()); }
    [[nodiscard]] hal::Reason reason_to_gain() const;
    /// What is done where units have been gathered that do not fill a superpage: padding; a further victim
    /// that gains space; or one of the SLC cache.
    enum class Fill : std::uint8_t { padding, gain, fold };
    [[nodiscard]] Fill fill_after(const Victim& last) const {
        if (must_gain(last)) {
            return Fill::gain;
        }
        return last.folds && services_.layout.rows() > 1 ? Fill::fold : Fill::padding;
    }
    [[nodiscard]] Victim* next(Fill fill);
    [[nodiscard]] bool may_revisit(const Victim& victim) const;
    [[nodiscard]] Victim* revisit();
    [[nodiscard]] std::uint64_t units_in_victims() const;
    [[nodiscard]] bool may_be_emptied(const BlockInfo& info) const;
    [[nodiscard]] bool weak_due() const;
    [[nodiscard]] std::optional<Superblock> weak_victim();
    [[nodiscard]] std::optional<Superblock> choose();
    void ungather(std::vector<MovedRun>& runs);

    Services& services_;
    SuperblockTable& table_;
    Allocator& allocator_;
    Policies& policies_;
    GcCounters& counters_;
    Pu pu_;
    std::uint32_t usual_aim_;                       // target for free superblocks
    std::uint32_t idle_aim_;                        // as above, when the host is idle
    std::vector<std::unique_ptr<Victim>> victims_;  // being emptied, oldest first
    std::vector<Superblock> weak_;                  // to be emptied, whose turn has not come
    std::array<std::uint32_t, 3> erasing_{};        // by kind
    bool saves_space_ = false;
    bool has_space_ = false;  // since save_space()
    StaticWear static_wear_;
};

}  // namespace solidtlm::fw
