// SPDX-License-Identifier: Apache-2.0
//
// The write buffer in DRAM: slots of one mapping unit.
//
// Life of a slot: free -> receiving (the host's data is on its way) -> dirty -> programming -> free. find()
// finds the newest slot of a logical page. New data always goes to a fresh slot. commit() then copies the
// sectors that the new data does not cover from the older slot and replaces that slot, so an aborted transfer
// leaves the old data intact. A slot whose older version is still being programmed is held back until that
// program has ended, so two versions of a page are never programmed at the same time.
//
// A pinned slot (a host read sends from it) stays after its program has ended.
//
// Acknowledged data stays here until it is on flash, even if it can never be written (set_stuck()): reads
// find it as long as power lasts, and flushes and durable writes that wait for it fail.
//
// This class keeps the versions of a page. Its parts hold the data (SlotMemory), find slots (SlotIndex),
// order the slots to write (DirtyLists), hand out slots (SlotCredits) and wait for media (Durability).
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "fw/buffer/dirty_lists.h"
#include "fw/buffer/durability.h"
#include "fw/buffer/slot.h"
#include "fw/buffer/slot_credits.h"
#include "fw/buffer/slot_index.h"
#include "fw/buffer/slot_memory.h"
#include "fw/drive/services.h"
#include "fw/hal/decision.h"
#include "fw/hal/state_archive.h"
#include "fw/runtime/signal.h"

namespace solidtlm::fw {

/// A version of a logical page in its slot.
struct BufferedUnit {
    Lpn lpn{kNoLpn};
    SectorMask valid = 0;              ///< sectors whose content is known
    DurableWaiter* durable = nullptr;  ///< notified when the unit is on media
    std::uint32_t command_id = 0;      ///< HostCommand::id of the last command that wrote it
    bool discarded = false;            ///< trimmed while it was being programmed: must not be mapped
    bool past_cache = false;           ///< the last command that wrote it goes past the SLC cache
};

class WriteBuffer {
  public:
    WriteBuffer(Services& services, DramAddress base, const DestageOrder& order);

    [[nodiscard]] SlotCredits& credits() { return credits_; }
    [[nodiscard]] const SlotMemory& memory() const { return memory_; }
    [[nodiscard]] Durability& durability() { return durability_; }
    [[nodiscard]] const Durability& durability() const { return durability_; }
    /// Slots to write. A slot that waits for an older version is in no list.
    [[nodiscard]] const DirtyLists& dirty() const { return dirty_; }

    /// A slot to receive data into. REQUIRES: a credit, not stuck.
    Slot receive();
    /// The data of a run of logical pages has arrived, in the sectors `valid` of each. Returns how many
    /// sectors were copied from older versions. `durable` (may be null) is notified when a slot is on media;
    /// its join already counts the slots.
    std::uint32_t commit(std::span<const Slot> slots, Lpn first, SectorMask valid, DurableWaiter* durable);
    std::uint32_t commit(Slot slot, Lpn lpn, SectorMask valid, DurableWaiter* durable) {
        return commit({&slot, 1}, lpn, valid, durable);
    }
    /// Before commit(): which command the data is of, and whether that goes past the SLC cache.
    void set_command(Slot slot, std::uint32_t id, bool past_cache) {
        entries_[slot.value].command_id = id;
        entries_[slot.value].past_cache = past_cache;
    }
    /// The transfer failed: frees the slot.
    void abandon(Slot slot) { release(slot); }

    /// The newest slot of `lpn` that is dirty or being programmed, or kNoSlot.
    [[nodiscard]] Slot find(Lpn lpn) const { return index_.find(lpn); }
    /// Counts the units from `first` on, at most `most`, that have no slot; stops at the first that has one.
    [[nodiscard]] std::uint32_t absent(Lpn first, std::uint32_t most) const {
        if (dirty_total_ == 0 && programming_ == 0) {
            return most;
        }
        std::uint32_t units = 0;
        while (units < most && find(Lpn{first.value + units}) == kNoSlot) {
            ++units;
        }
        return units;
    }
    [[nodiscard]] const BufferedUnit& operator[](Slot slot) const { return entries_[slot.value]; }
    /// Every sector of the unit is known.
    [[nodiscard]] bool complete(Slot slot) const { return entries_[slot.value].valid == memory_.full_mask(); }
    [[nodiscard]] DramAddress address(Slot slot) const { return memory_.address(slot); }
    void pin(Slot slot) { ++entries_[slot.value].pins; }
    void unpin(Slot slot);
    /// At least one slot is being programmed.
    [[nodiscard]] bool programming() const { return programming_ > 0; }
    /// True if a version of `lpn` is being programmed and will be mapped.
    [[nodiscard]] bool programming(Lpn lpn) const;
    /// Forgets `lpn` (TRIM).
    void discard(Lpn lpn);

    // Destaging.
    [[nodiscard]] std::size_t slots() const { return entries_.size(); }
    /// Moves up to `most` slots of `list`, oldest first, to programming.
    void take(std::uint32_t list, std::uint32_t most, std::vector<Slot>& taken);
    /// The missing sectors of the slot have been read from flash.
    void filled(Slot slot) { entries_[slot.value].valid = memory_.full_mask(); }
    /// The slot has its place on flash, though its data is not there yet: a newer version that waits for it
    /// gets its missing sectors from this slot. Returns the sectors copied.
    std::uint32_t pass_on(Slot slot);
    /// The data of the slots is on media. `ledger` (may be null) is the ledger of the program.
    void written(std::span<const Slot> slots, const Ledger* ledger) { end_program(slots, true, ledger); }
    void written(Slot slot, const Ledger* ledger) { written({&slot, 1}, ledger); }
    /// The program failed: the slot is dirty again.
    void requeue(Slot slot);
    /// Drops a slot that was taken but can never be written. False if no data is lost with it, because it was
    /// trimmed or a newer version contains it.
    bool fail(Slot slot);
    /// Notified when a slot becomes dirty or draining begins. Destaging also waits here for dies and free
    /// space.
    Signal& destager_wakeup() { return destager_wakeup_; }
    /// Why partly filled superpages are written now; none if they are not. Writes that wait for slots are a
    /// reason if no program under way will free any.
    [[nodiscard]] std::optional<hal::Reason> reason_for_part(bool read_only, bool programs_under_way);
    /// While `stuck`, dirty data cannot be written: waits for it fail, and writes that wait for slots are
    /// woken with credits that carry no slot; these writes check stuck() and return the credits. REQUIRES:
    /// while stuck, a slot is received only for a transfer that had begun before.
    void set_stuck(bool stuck);
    /// Of the slots taken, `slots` are kept until later writes fill their superpage: their programs are not
    /// under way.
    void set_held(std::uint32_t slots);
    /// While `blocked`, waits for the buffer count as waits for free flash space.
    void set_space_blocked(bool blocked);

    /// Slots that became dirty so far.
    [[nodiscard]] std::uint64_t commits() const { return commits_; }
    /// Dirty slots, including those that wait for an older version.
    [[nodiscard]] std::uint32_t dirty_total() const { return dirty_total_; }
    /// Saves or loads the order in which slots are taken next. REQUIRES: all are free.
    void serialize(hal::StateArchive& archive);
    /// Describes the states of the slots and their waiters. For reports.
    [[nodiscard]] std::vector<std::string> waits() const;

  private:
    enum class State : std::uint8_t { free, receiving, dirty, blocked, programming, zombie };
    struct Entry : BufferedUnit {
        std::uint64_t generation = 0;  // of Durability
        Slot successor{kNoSlot};       // newer version that waits for this one's program
        Slot predecessor{kNoSlot};  // the older version that this one waits for; only blocked slots have one
        std::uint32_t pins = 0;
        State state = State::free;
    };

    Entry& at(Slot slot) { return entries_[slot.value]; }
    void release(Slot slot);
    void free_up(Slot slot);
    void give_back();
    void tell_draining();
    void tell_used();
    void end_program(std::span<const Slot> slots, bool ok, const Ledger* ledger);
    void block(Slot newer, Slot older);
    void unblock_successor(Entry& entry);
    void give_up_if_stuck(Entry& entry) const;
    bool supersede(Slot older, Slot newer);
    std::uint32_t copy_missing(Slot from, Slot to);

    Services& services_;
    std::vector<Entry> entries_;
    std::vector<Slot> free_;
    SlotMemory memory_;
    SlotIndex index_;
    DirtyLists dirty_;
    SlotCredits credits_;
    Signal destager_wakeup_;
    Durability durability_;
    std::uint64_t commits_ = 0;
    std::uint32_t dirty_total_ = 0;
    std::uint32_t programming_ = 0;  // slots; if 0, no slot is blocked either
    std::uint32_t held_ = 0;         // of programming_, waiting for more pages
    std::uint32_t released_ = 0;     // freed slots whose credits have not been given back yet
    bool space_blocked_ = false;
};

}  // namespace solidtlm::fw
