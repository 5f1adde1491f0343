// SPDX-License-Identifier: Apache-2.0
//
// The write buffer in DRAM: slots of one mapping unit.
//
// Life of a slot: free -> receiving (the host's data is on its way) -> dirty -> programming -> free. The
// newest slot of a logical page is found by find(). New data always goes to a fresh slot; commit() then takes
// over what it does not cover from the older slot and replaces it, so that a transfer that is aborted
// half-way harms nothing. A slot whose older version is still being programmed is held back until that has
// ended, so that two versions of a page are never programmed at the same time.
//
// A slot that is pinned (a host read sends from it) outlives its programming.
//
// What was acknowledged stays here until it is on flash, even where that is impossible (set_stuck()): reads
// find it as long as power lasts, and whoever waits for it to be durable is told that it is not.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "fw/drive/environment.h"
#include "fw/runtime/join.h"
#include "fw/runtime/semaphore.h"
#include "fw/runtime/signal.h"

namespace solidtlm::fw {

using hal::DramAddress;

using Slot = hal::Index<struct SlotTag, std::uint32_t>;  ///< slot of the write buffer
constexpr Slot kNoSlot{0xFFFF'FFFF};
/// Bit i: sector i of a mapping unit. Units have at most 64 sectors.
using SectorMask = std::uint64_t;

/// Which of several dirty lists a logical page belongs to (static allocation: one a parallel unit).
class DestageOrder {
  public:
    virtual ~DestageOrder() = default;
    [[nodiscard]] virtual std::uint32_t lists() const = 0;
    [[nodiscard]] virtual std::uint32_t list_of(Lpn lpn) const = 0;
};

/// Told when a slot's data is on media (or never will be).
struct DurableWaiter {
    Join* join = nullptr;
    Ledger ledger;  ///< of the write that ended last
    bool failed = false;
};

class WriteBuffer {
  public:
    WriteBuffer(Environment& environment, DramAddress base, const DestageOrder& order);

    /// Credits for slots. Acquire, then receive() that often.
    Semaphore& credits() { return credits_; }
    /// Lets one write at a time acquire credits, in the order of the data phases. Who waits here waits for
    /// what the holder waits for: space, or (gate_on_link) the holder's data.
    Semaphore& gate() { return gate_; }
    void gate_on_link(bool on_link);
    [[nodiscard]] SectorMask full_mask() const { return full_mask_; }

    /// A slot to receive data into. REQUIRES: a credit.
    Slot receive();
    /// The data has arrived in the sectors of `valid`. Returns the sectors copied from an older version.
    /// `durable` (may be null) is told when the slot is on media; its join already counts the slot.
    std::uint32_t commit(Slot slot, Lpn lpn, SectorMask valid, DurableWaiter* durable);
    /// The command that has written the slot last: HostCommand::id.
    void set_flow(Slot slot, std::uint32_t id) { entries_[slot.value].flow = id; }
    [[nodiscard]] std::uint32_t flow(Slot slot) const { return entries_[slot.value].flow; }
    /// The data did not arrive.
    void abandon(Slot slot);
    /// Credits that are not used after all.
    void give_back(std::uint32_t credits);

    /// The newest slot of `lpn` that is dirty or being programmed, or kNoSlot.
    [[nodiscard]] Slot find(Lpn lpn) const;
    [[nodiscard]] DramAddress address(Slot slot) const {
        return DramAddress{base_.value + std::uint64_t{slot.value} * environment_.layout.unit_bytes()};
    }
    [[nodiscard]] Lpn lpn(Slot slot) const { return entries_[slot.value].lpn; }
    [[nodiscard]] SectorMask valid(Slot slot) const { return entries_[slot.value].valid; }
    [[nodiscard]] bool has_durable_waiter(Slot slot) const { return entries_[slot.value].durable != nullptr; }
    void pin(Slot slot) { ++entries_[slot.value].pins; }
    void unpin(Slot slot);
    /// True if a version of `lpn` is being programmed and will be mapped.
    [[nodiscard]] bool programming(Lpn lpn) const;
    /// Forgets `lpn` (TRIM).
    void discard(Lpn lpn);

    // Destaging.
    [[nodiscard]] std::size_t slots() const { return entries_.size(); }
    [[nodiscard]] std::uint32_t lists() const { return static_cast<std::uint32_t>(lists_.size()); }
    [[nodiscard]] std::uint32_t dirty(std::uint32_t list) const { return lists_[list].count; }
    /// Somebody waits for data to reach the media: write partly filled superpages too.
    [[nodiscard]] bool draining() const { return drainers_ > 0; }
    /// Moves up to `most` slots of `list`, oldest first, to programming.
    void take(std::uint32_t list, std::uint32_t most, std::vector<Slot>& taken);
    /// Fills in sectors that were read from flash before programming.
    void filled(Slot slot) { entries_[slot.value].valid = full_mask_; }
    /// The slot's place counts from now on, though its data is not on flash yet: a newer version that waits
    /// for it gets what it lacks from here. Returns the sectors copied.
    std::uint32_t pass_on(Slot slot);
    /// The core reads and writes sectors that a slot took over from another. Part of the caller's next
    /// spend().
    void charge_copy(Slot slot, std::uint32_t sectors) const;
    /// Every sector of the unit is known.
    [[nodiscard]] bool complete(Slot slot) const { return entries_[slot.value].valid == full_mask_; }
    /// True if the slot was trimmed while it was being programmed: do not map it.
    [[nodiscard]] bool discarded(Slot slot) const { return entries_[slot.value].discarded; }
    /// The slot's data is on media. `ledger` (may be null) is that of the write.
    void written(Slot slot, const Ledger* ledger);
    /// The program failed: the slot is dirty again.
    void requeue(Slot slot);
    /// Drops a slot that was taken and can never be written.
    void fail(Slot slot);
    /// Something became dirty, or draining began. Destaging also waits here for dies and free space.
    Signal& dirty_signal() { return dirty_signal_; }

    /// Waits until everything that is dirty now is on media. False if some of it could not be written.
    Task<bool> flush(Ledger* ledger);
    /// Waits until the slots that `waiter` counts are on media. False if not all of them could be written.
    Task<bool> wait_durable(DurableWaiter& waiter, Ledger* ledger);
    /// While `stuck`, what is dirty cannot be written: whoever waits for that fails, and who waits for slots
    /// gets credits without any, to be given back. REQUIRES: nothing is received meanwhile that was not
    /// before.
    void set_stuck(bool stuck);
    [[nodiscard]] bool stuck() const { return stuck_; }
    /// While `blocked`, waits for the buffer count as waits for free flash space.
    void set_space_blocked(bool blocked);

    /// Slots that became dirty so far.
    [[nodiscard]] std::uint64_t commits() const { return commits_; }
    [[nodiscard]] std::uint32_t dirty_total() const { return dirty_total_; }
    /// Slots dirty or being programmed.
    [[nodiscard]] std::uint32_t unwritten() const { return unwritten_; }
    /// What the slots are at and who waits for them, in words. For reports.
    [[nodiscard]] std::vector<std::string> waits() const;

  private:
    enum class State : std::uint8_t { free, receiving, dirty, blocked, programming, zombie };
    struct Entry {
        Lpn lpn{kNoLpn};
        SectorMask valid = 0;
        DurableWaiter* durable = nullptr;
        std::uint64_t generation = 0;  // flushes begun before it became dirty
        Slot previous{kNoSlot};        // dirty list
        Slot next{kNoSlot};            // dirty list
        Slot hash_next{kNoSlot};
        Slot successor{kNoSlot};    // newer version that waits for this one's programming
        Slot predecessor{kNoSlot};  // of which this is the successor; blocked slots have one, others none
        std::uint32_t pins = 0;
        std::uint32_t flow = 0;
        State state = State::free;
        bool indexed = false;
        bool discarded = false;
    };
    struct List {
        Slot first{kNoSlot};
        Slot last{kNoSlot};
        std::uint32_t count = 0;
    };
    struct Flush {
        std::uint64_t generation;
        std::uint32_t remaining;
        Join* join;
        bool failed;
        Flush* next;
    };
    class StallScope;  // marks a ledger as stalled while its owner waits

    Entry& at(Slot slot) { return entries_[slot.value]; }
    [[nodiscard]] std::size_t bucket(Lpn lpn) const { return (lpn.value * 0x9E3779B1U) >> hash_shift_; }
    void index_insert(Slot slot);
    void index_remove(Slot slot);
    void push_back(Slot slot);
    void push_front(Slot slot);
    void unlink(Slot slot);
    void release(Slot slot);
    void tell_used();
    void settle(Slot slot, bool ok);
    void settle_durable(Entry& entry, bool ok, const Ledger* ledger);
    void fail_waiters();
    void block(Slot newer, Slot older);
    void unblock_successor(Entry& entry);
    bool supersede(Slot older, Slot newer);
    void replace_in_list(Slot older, Slot newer);
    std::uint32_t copy_missing(Slot from, Slot to);

    Environment& environment_;
    DramAddress base_;
    const DestageOrder& order_;
    std::vector<Entry> entries_;
    std::vector<Slot> free_;
    std::vector<Slot> buckets_;
    unsigned hash_shift_;
    std::vector<List> lists_;
    SectorMask full_mask_;
    Semaphore credits_;
    Semaphore gate_;
    bool gate_on_link_ = false;
    Signal dirty_signal_;
    Flush* flushes_ = nullptr;
    std::vector<Ledger*> stalled_;  // of flushes and durable waits
    std::uint64_t generation_ = 0;
    std::uint64_t commits_ = 0;
    std::uint32_t drainers_ = 0;
    std::uint32_t dirty_total_ = 0;
    std::uint32_t unwritten_ = 0;
    std::uint32_t programming_ = 0;  // slots; none: none is blocked either
    std::uint64_t lent_ = 0;         // credits without slots
    bool stuck_ = false;
    Stage stall_stage_ = Stage::write_buffer_stall;
};

}  // namespace solidtlm::fw
